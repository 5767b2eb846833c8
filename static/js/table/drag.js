// Card movement: animations, and drag and drop.

import { el } from "../elements.js";

const stills = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE_MS = 180;
const FLIGHT_MS = 260;
const RAIN = 32;

/** Return the positions of the own cards by key, or null with reduced motion. */
export function placesOf(hand) {
  if (stills.matches) return null;
  return new Map([...hand.querySelectorAll("[data-key]")].map((card) => [card.dataset.key, card.getBoundingClientRect()]));
}

/** Animate cards from their positions before to their present ones. */
export function glide(hand, before) {
  if (!before?.size) return;
  for (const card of hand.querySelectorAll("[data-key]")) {
    const old = before.get(card.dataset.key);
    const now = card.getBoundingClientRect();
    const [x, y] = [old?.left - now.left, old?.top - now.top];
    if (!old || (Math.abs(x) < 1 && Math.abs(y) < 1)) continue;
    card.animate([{ transform: `translate(${x}px, ${y}px)` }, {}], { duration: GLIDE_MS, easing: "ease-out" });
  }
}

/** Let suits rain over the page for a moment. */
export function celebrate() {
  if (stills.matches) return;
  for (let at = 0; at < RAIN; at += 1) {
    const pip = document.createElement("i");
    pip.className = `flight rain pip pip-${"SHCD"[at % 4]}`;
    pip.style.left = `${(at * 61) % 100}vw`;
    document.body.append(pip);
    const fall = [{ transform: "translateY(-3rem)" }, { transform: `translateY(105vh) rotate(${at * 47}deg)` }];
    const rain = pip.animate(fall, { duration: 1800 + ((at * 137) % 1200), delay: (at * 53) % 700, fill: "backwards", easing: "ease-in" });
    rain.addEventListener("finish", () => pip.remove());
  }
}

/** Animate a copy of a card from one place to another; the real card is already there. */
export function fly(card, from, to) {
  if (stills.matches || !from?.width || !to?.width) return;
  card.classList.add("flight");
  card.style.setProperty("--card-w", `${to.width}px`);
  card.style.left = `${to.left}px`;
  card.style.top = `${to.top}px`;
  document.body.append(card);
  const start = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`;
  const flight = card.animate([{ transform: start }, { transform: "none" }], { duration: FLIGHT_MS, easing: "ease-in-out" });
  flight.addEventListener("finish", () => card.remove());
  flight.addEventListener("cancel", () => card.remove());
}

// Drag and drop with mouse, touch or pen: a ghost follows the pointer, targets are highlighted.

const SLACK_PX = 8; // Smaller movements count as a tap.

/** Track one pointer from `event` on; call `onDrop` with {group, before}, {pile} or null. */
export function startDrag(event, { cards, button, onStart, onDrop }) {
  if (event.button !== 0 || !event.isPrimary) return;
  const from = { x: event.clientX, y: event.clientY };
  let ghost = null;

  const move = (moved) => {
    if (moved.pointerId !== event.pointerId) return;
    if (!ghost && Math.hypot(moved.clientX - from.x, moved.clientY - from.y) < SLACK_PX) return;
    if (!ghost) {
      ghost = lift(cards());
      onStart();
    }
    ghost.style.transform = `translate(${moved.clientX}px, ${moved.clientY}px) translate(-50%, -70%)`;
    light(spotAt(moved.clientX, moved.clientY)?.element);
  };

  const end = (ended) => {
    if (ended.pointerId !== event.pointerId) return;
    for (const name of ["pointermove", "pointerup", "pointercancel"]) removeEventListener(name, name === "pointermove" ? move : end);
    if (!ghost) return;
    ghost.remove();
    light(null);
    swallowClick();
    onDrop(ended.type === "pointerup" ? spotAt(ended.clientX, ended.clientY) : null);
  };

  if (event.pointerType !== "mouse") button.releasePointerCapture?.(event.pointerId);
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

function lift(cards) {
  const ghost = el("div", { class: "ghost", "aria-hidden": "true" }, ...cards.map((card) => card.cloneNode(true)));
  for (const card of cards) card.classList.add("is-dragged");
  document.body.append(ghost);
  return ghost;
}

/** Return the drop target under the pointer: a group with the card to insert before, or a pile. */
function spotAt(x, y) {
  const under = document.elementFromPoint(x, y);
  const melds = under?.closest("#melds");
  const meld = under?.closest("[data-meld]");
  if (melds) return { pile: "melds", meld: meld?.dataset.meld ?? null, element: meld ?? melds };
  const pile = under?.closest("#open, #finish");
  if (pile) return { pile: pile.id, element: pile };
  const group = under?.closest("[data-group]");
  const hand = under?.closest("#hand");
  if (!group) return hand && { group: "new", before: null, element: hand.querySelector(".is-new") };
  const after = [...group.querySelectorAll(".card:not(.is-dragged)")].find((card) => {
    const box = card.getBoundingClientRect();
    return x < box.left + box.width / 2;
  });
  return { group: group.dataset.group, before: after?.dataset.key ?? null, element: group };
}

function light(element) {
  for (const lit of document.querySelectorAll(".is-target")) if (lit !== element) lit.classList.remove("is-target");
  element?.classList.add("is-target");
}

/** Ignore the click that follows a drop. */
function swallowClick() {
  const swallow = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
}
