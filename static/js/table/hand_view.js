// Draws the own hand, and changes it on taps, keys and drops.

import { el, say } from "../elements.js";
import { cardButton, pointsOf } from "./cards.js";
import { glide, placesOf, startDrag } from "./drag.js";
import { costs, kindOfGroup, nameOfKind, shortName, untilWhen, whyNoGroup } from "./groups.js";

export class HandView {
  /** Call `onChange(moved)` after a change of the selection or, `moved`, of the arrangement; `onKey` with letters. */
  constructor(root, hand, { onChange, onKey, onThrow }) {
    Object.assign(this, { root, hand, onChange, onKey, onThrow, wildRank: "", focused: null, dragging: false, drawnAs: "" });
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", (event) => this.remember(event.target.dataset.key));
    new ResizeObserver(() => this.draw()).observe(root);
  }

  draw() {
    if (this.dragging) return; // Redrawn when the card is dropped.
    const { groups: laid, loose, drawn } = this.hand;
    const rows = Number(getComputedStyle(this.root).getPropertyValue("--rows")) || 1;
    const layout = JSON.stringify([laid, loose, drawn, this.wildRank, rows]);
    if (layout === this.drawnAs && this.root.firstChild) this.press();
    else this.lay(layout, rows);
  }

  /** Update the selection only: another player's move must not replace a card being pressed. */
  press() {
    for (const button of this.root.querySelectorAll("[data-key]")) {
      button.setAttribute("aria-pressed", String(this.hand.selected.has(button.dataset.key)));
    }
  }

  lay(layout, count) {
    this.drawnAs = layout;
    const hadFocus = this.root.contains(document.activeElement);
    const before = placesOf(this.root);
    const { rows, longest, gaps } = intoRows(this.pieces(), count);
    this.root.style.setProperty("--n", String(longest));
    this.root.style.setProperty("--g", String(gaps));
    this.root.replaceChildren(...rows.map((row) => el("div", { class: "row" }, ...row.map((piece) => this.group(piece)))));
    const keys = this.hand.keysInOrder();
    if (!keys.includes(this.focused)) this.focused = keys[0] ?? null;
    const focused = this.cardOf(this.focused);
    focused?.setAttribute("tabindex", "0");
    if (hadFocus) focused?.focus({ preventScroll: true });
    glide(this.root, before);
  }

  /** Return the pieces of the hand: groups, loose cards, and the slot of the drawn card. */
  pieces() {
    const { groups, loose } = this.hand;
    const drawn = loose.includes(this.hand.drawn) ? this.hand.drawn : null; // It may have been moved into a group.
    const price = costs(this.hand.groupsAsCodes(), this.hand.looseCodes(), this.wildRank);
    const prices = price.each.values();
    const pieces = groups.map((keys, at) => {
      const text = this.hand.isHeap(keys) ? this.labelOfLoose("heap", keys) : this.labelOf(keys, prices.next().value, price.isSafe);
      return { keys, index: at, ...text };
    });
    const rest = loose.filter((key) => key !== drawn);
    if (rest.length) pieces.push({ keys: rest, index: "loose", ...this.labelOfLoose("loose", rest) });
    const name = drawn ? gettext("Drawn card") : "";
    pieces.push({ keys: drawn ? [drawn] : [], index: "loose", kind: "slot", name, label: "" });
    return pieces;
  }

  labelOfLoose(kind, keys) {
    const points = this.hand.codes(keys).reduce((sum, code) => sum + pointsOf(code, this.wildRank), 0);
    const label = say(gettext("Loose %(points)s"), { points });
    return { kind, name: label, label };
  }

  /** Return a group's kind, label and accessible name, with its cost or why it is no group. */
  labelOf(keys, points, isSafe) {
    const codes = this.hand.codes(keys);
    const kind = kindOfGroup(codes, this.wildRank);
    if (kind === "jokers") return { kind, name: nameOfKind(kind), label: `${shortName(kind)} ✓ 0` };
    if (kind === "none") {
      const why = whyNoGroup(codes, this.wildRank);
      return { kind, name: `${nameOfKind(kind)}: ${why} (${points})`, label: `${points}`, why: codes.length < 2 ? "" : why };
    }
    const until = isSafe || !points ? "" : ` · ${untilWhen()}`;
    return { kind, name: `${nameOfKind(kind)} (${points})${until}`, label: points ? `${shortName(kind)} ✓ (${points})` : `${shortName(kind)} ✓ 0` };
  }

  group({ keys, index, kind, name, label, why = "", isRest = false }) {
    const cards = keys.length ? keys.map((key) => this.card(key)) : [el("span", { class: "place" })];
    return el(
      "div",
      { class: `group is-${kind}${isRest ? " is-rest" : ""}`, role: name ? "group" : null, "aria-label": name || null, title: name || null, "data-group": String(index) },
      el("div", { class: "cards" }, ...cards),
      // CSS hides the reason if it does not fit; the title has it.
      el("p", { class: "label", "aria-hidden": "true" }, el("span", {}, label), why && el("span", {}, `· ${why}`)),
    );
  }

  card(key) {
    const button = cardButton(this.hand.cards.get(key), this.wildRank);
    button.dataset.key = key;
    button.tabIndex = -1;
    button.setAttribute("aria-pressed", String(this.hand.selected.has(key)));
    button.classList.toggle("is-drawn", key === this.hand.drawn);
    button.addEventListener("click", () => this.toggle(key));
    button.addEventListener("dblclick", () => this.onThrow([key], "open"));
    button.addEventListener("pointerdown", (event) => this.grab(event, key, button));
    return button;
  }

  cardOf(key) {
    return key && this.root.querySelector(`[data-key="${key}"]`);
  }

  /** Move the focus to the cards if the focused button is gone or disabled. */
  keepFocus() {
    const focused = document.activeElement;
    if (focused && focused !== document.body && !focused.disabled) return;
    this.root.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
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
    const keys = [...this.root.querySelectorAll("[data-key]")].map((card) => card.dataset.key); // In display order.
    const at = keys.indexOf(this.focused);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: keys.length - 1 }[event.key];
    if (to !== undefined && keys.length) {
      event.preventDefault();
      this.cardOf(keys[(to + keys.length) % keys.length])?.focus();
    } else if (this.onKey(event.key.toLowerCase())) {
      event.preventDefault();
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

  /** Handle a drop; the clock may have played one of the cards meanwhile. */
  dropped(lifted, spot) {
    this.dragging = false;
    this.drawnAs = ""; // Remove the frame of the new group.
    const keys = lifted.filter((key) => this.hand.cards.has(key));
    if (!keys.length) this.draw();
    else this.laidDown(keys, spot);
  }

  laidDown(keys, spot) {
    if (spot?.pile) this.onThrow(keys, spot.pile, spot.meld);
    else if (spot) {
      const to = /^\d+$/.test(spot.group) ? Number(spot.group) : spot.group;
      this.hand.move(keys, to, spot.before);
      this.hand.selected.clear();
    }
    this.draw();
    this.onChange(Boolean(spot && !spot.pile));
  }
}

const PIECES_MAX = 8; // With more pieces every split is about as good.

const widthOf = (piece) => Math.max(1, piece.keys.length);
const sizeOf = (pieces) => pieces.reduce((sum, piece) => sum + widthOf(piece), 0);
const longer = (halves) => Math.max(...halves.map(sizeOf));

/** Split the loose cards where a row of `width` cards is full: they are no group. */
function splitLoose(pieces, width) {
  const at = pieces.findIndex((piece) => piece.kind === "loose");
  const fits = at < 0 ? 0 : width - sizeOf(pieces.slice(0, at));
  if (fits < 1 || fits >= pieces[at].keys.length) return [];
  const { keys } = pieces[at];
  const head = { ...pieces[at], keys: keys.slice(0, fits) };
  const tail = { ...pieces[at], keys: keys.slice(fits) };
  (widthOf(head) < widthOf(tail) ? head : tail).isRest = true; // The longer part shows the points of both.
  return [[[...pieces.slice(0, at), head], [tail, ...pieces.slice(at + 1)]]];
}

/** Return every split of the pieces into two rows; the last piece, the drawn card's slot, stays below. */
function shares(pieces) {
  if (pieces.length > PIECES_MAX) return [];
  const masks = Array.from({ length: 2 ** (pieces.length - 1) - 1 }, (_, mask) => mask + 1);
  return masks.map((mask) => [0, 1].map((below) => pieces.filter((_, at) => ((mask >> at) & 1) !== below)));
}

/** Return the rows, with the cards and gaps of the longest one, which limit the visible width of a card. */
function intoRows(pieces, count) {
  let rows = [pieces];
  if (count > 1 && pieces.length > 1) {
    const cuts = pieces.slice(1).map((_, at) => [pieces.slice(0, at + 1), pieces.slice(at + 1)]);
    const ways = [...cuts, ...splitLoose(pieces, Math.ceil(sizeOf(pieces) / 2)), ...shares(pieces)];
    rows = ways.reduce((best, halves) => (longer(halves) < longer(best) ? halves : best)); // Ties keep the order of the pieces.
  }
  const longest = Math.max(2, ...rows.map(sizeOf));
  return { rows, longest, gaps: Math.max(...rows.map((row) => row.length - 1)) };
}
