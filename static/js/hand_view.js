// Draws the own hand and turns taps, keys and drops into changes of it.

import { cardButton } from "./cards.js";
import { startDrag } from "./drag.js";
import { el } from "./elements.js";
import { kindOfGroup, nameOfKind, whyNoGroup } from "./groups.js";

export class HandView {
  /** `onChange(moved)` tells that selection or (moved) arrangement changed; `onKey` gets D, G, S, U. */
  constructor(root, hand, { onChange, onKey, onThrow }) {
    Object.assign(this, { root, hand, onChange, onKey, onThrow, wildRank: "", focused: null, dragging: false, drawnAs: "", arrived: null });
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", (event) => this.remember(event.target.dataset.key));
  }

  draw() {
    if (this.dragging) return; // Redrawn when the card is let go.
    const { groups: laid, loose, drawn } = this.hand;
    const layout = JSON.stringify([laid, loose, drawn, this.wildRank]);
    if (layout === this.drawnAs && this.root.firstChild) this.press();
    else this.lay(layout);
  }

  /** The cards lie as before: another player's move must not take one from under a finger. */
  press() {
    for (const button of this.root.querySelectorAll("[data-key]")) {
      button.setAttribute("aria-pressed", String(this.hand.selected.has(button.dataset.key)));
    }
  }

  lay(layout) {
    this.drawnAs = layout;
    const hadFocus = this.root.contains(document.activeElement);
    const groups = this.hand.groups.map((keys, index) => this.group(keys, index));
    if (this.hand.loose.length) groups.push(this.group(this.hand.loose, "loose"));
    this.root.replaceChildren(...groups);
    const keys = this.hand.keysInOrder();
    if (!keys.includes(this.focused)) this.focused = keys[0] ?? null;
    const focused = this.cardOf(this.focused);
    focused?.setAttribute("tabindex", "0");
    if (hadFocus) focused?.focus({ preventScroll: true });
    this.arrived = this.hand.drawn;
  }

  group(keys, index) {
    const codes = this.hand.codes(keys);
    const kind = index === "loose" ? "loose" : kindOfGroup(codes, this.wildRank);
    const name = index === "loose" ? gettext("Loose") : nameOfKind(kind);
    const why = kind === "none" ? whyNoGroup(codes, this.wildRank) : "";
    const cards = el("div", { class: "cards" }, ...keys.map((key) => this.card(key)));
    cards.style.setProperty("--count", String(Math.max(2, keys.length))); // Long rows overlap more.
    return el(
      "div",
      { class: `group is-${kind}`, role: "group", "aria-label": why ? `${name}: ${why}` : name, "data-group": String(index) },
      cards,
      el("p", { class: "label", "aria-hidden": "true" }, why || name),
    );
  }

  card(key) {
    const button = cardButton(this.hand.cards.get(key), this.wildRank);
    button.dataset.key = key;
    button.tabIndex = -1;
    button.setAttribute("aria-pressed", String(this.hand.selected.has(key)));
    button.classList.toggle("is-drawn", key === this.hand.drawn);
    button.classList.toggle("arrives", key === this.hand.drawn && key !== this.arrived);
    button.addEventListener("click", () => this.toggle(key));
    button.addEventListener("pointerdown", (event) => this.grab(event, key, button));
    return button;
  }

  cardOf(key) {
    return key && this.root.querySelector(`[data-key="${key}"]`);
  }

  toggle(key) {
    this.hand.toggle(key);
    this.remember(key);
    this.draw();
    this.onChange(false);
  }

  remember(key) {
    if (!key) return;
    this.cardOf(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = key;
    this.cardOf(key)?.setAttribute("tabindex", "0");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = this.hand.keysInOrder();
    const at = keys.indexOf(this.focused);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: keys.length - 1 }[event.key];
    if (to !== undefined && keys.length) {
      event.preventDefault();
      this.cardOf(keys[(to + keys.length) % keys.length])?.focus();
    } else if ("dgsu".includes(event.key.toLowerCase()) && event.key.length === 1) {
      event.preventDefault();
      this.onKey(event.key.toLowerCase());
    }
  }

  grab(event, key, button) {
    const keys = this.hand.selected.has(key)
      ? this.hand.keysInOrder().filter((other) => this.hand.selected.has(other))
      : [key];
    startDrag(event, {
      cards: () => keys.map((each) => this.cardOf(each)).filter(Boolean),
      button,
      onStart: () => this.lifted(),
      onDrop: (spot) => this.dropped(keys, spot),
    });
  }

  lifted() {
    this.dragging = true;
    this.root.append(el("div", { class: "group is-new", "data-group": "new" }, gettext("New group")));
  }

  /** Where cards were let go; the clock may have played one of them meanwhile. */
  dropped(lifted, spot) {
    this.dragging = false;
    this.drawnAs = ""; // A frame for a new group stands among the cards.
    const keys = lifted.filter((key) => this.hand.cards.has(key));
    if (!keys.length) this.draw();
    else this.laidDown(keys, spot);
  }

  laidDown(keys, spot) {
    if (spot?.pile) this.onThrow(keys, spot.pile);
    else if (spot) {
      const to = /^\d+$/.test(spot.group) ? Number(spot.group) : spot.group;
      this.hand.move(keys, to, spot.before);
      this.hand.selected.clear();
    }
    this.draw();
    this.onChange(Boolean(spot && !spot.pile));
  }
}
