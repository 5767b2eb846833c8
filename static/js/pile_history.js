// What lies in the open pile, newest first, and who threw it, on request.

import { cardFace } from "./cards.js";
import { byId, el, say } from "./elements.js";

let latest = null;
let askedFor = null;
let thrown = []; // As the server sent it last: {card, by}, the bottom first.

export function drawPileHistory(view, moves) {
  latest = view;
  const count = view.deal?.open_pile.length ?? 0;
  byId("pile-history").disabled = count === 0;
  byId("pile-count").textContent = String(count);
  byId("pile-unit").textContent = ngettext("card", "cards", count);
  if (byId("pile").open) show(moves);
}

export function listenForPileHistory(moves) {
  byId("pile-history").addEventListener("click", () => {
    show(moves);
    byId("pile").showModal();
  });
}

/** Pushes do not carry who threw what: it is asked for when somebody looks. */
async function show(moves) {
  fill();
  const { version } = latest;
  if (askedFor === version) return;
  askedFor = version;
  try {
    thrown = (await moves.openPile()).cards.reverse();
  } catch {
    askedFor = null; // The cards are there without the names; the next look asks again.
  }
  fill();
}

function fill() {
  const cards = (latest.deal?.open_pile ?? []).map((code, at) => item(code, thrown[at]));
  byId("pile-cards").replaceChildren(...cards.reverse());
  const text = ngettext("%(count)s card, the newest first.", "%(count)s cards, the newest first.", cards.length);
  byId("pile-words").textContent = say(text, { count: cards.length });
}

/** The line under a card stands there before the name is known, so that nothing jumps. */
function item(code, thrown) {
  const name = thrown?.card === code ? nameOf(thrown.by) : "\u00a0";
  return el("li", {}, cardFace(code, latest.deal?.wild_rank ?? ""), el("span", { class: "by", title: name }, name));
}

function nameOf(handle) {
  if (handle === null) return gettext("turned up");
  return latest.seats.find((seat) => seat.handle === handle)?.is_me ? gettext("You") : handle;
}
