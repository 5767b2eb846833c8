// The middle of the table: stock, wild card, open pile and the finish slot; and what lies in the open pile.

import { cardBack, cardFace, emptySlot } from "./cards.js";
import { byId, el, say } from "./elements.js";

const stackOf = (id) => byId(id).querySelector(".stack");

/** `may` tells which piles can be pressed now: {stock, open, finish}. */
export function drawPiles(view, may) {
  const deal = view.deal;
  byId("centre").hidden = !deal;
  if (!deal) return;
  const top = deal.open_pile.at(-1);
  const below = deal.open_pile.at(-2);
  const wild = deal.wild_rank;

  stackOf("stock").replaceChildren(
    ...(deal.stock > 1 ? [cardBack("under")] : []),
    deal.stock ? cardBack() : emptySlot(),
    el("span", { class: "count" }, String(deal.stock)),
  );
  byId("wild").querySelector(".stack").replaceChildren(deal.wild ? cardFace(deal.wild, wild) : emptySlot());
  const under = below && cardFace(below, wild);
  under?.classList.add("under");
  under?.setAttribute("aria-hidden", "true");
  stackOf("open").replaceChildren(...(under ? [under] : []), top ? cardFace(top, wild) : emptySlot());
  const finish = deal.showing?.finish;
  stackOf("finish").replaceChildren(finish ? cardFace(finish, wild) : emptySlot());

  press("stock", may.stock, gettext("Draws a card you do not know."));
  press("open", may.open, gettext("Takes this card."));
  press("finish", may.finish, gettext("Declares with the selected card."));
}

/** A pile's name is what it shows: its cards and its caption. */
function press(id, isOpen, description) {
  const pile = byId(id);
  pile.disabled = !isOpen;
  pile.classList.toggle("is-call", isOpen && id !== "finish");
  if (isOpen) pile.setAttribute("aria-description", description);
  else pile.removeAttribute("aria-description");
}

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
