// Dragging cards with mouse, finger or pen: a ghost follows the pointer, targets light up.

import { el } from "./elements.js";

const SLACK_PX = 8; // A shaky tap is still a tap.

/** Follow one pointer from `event` on; `onDrop` gets {group, before}, {pile} or null. */
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

/** What lies under the pointer: a group (and the card to go before) or a pile. */
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

/** The click that follows a drop is not a tap on the card. */
function swallowClick() {
  const swallow = (event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
}
