// The middle of the table: stock, wild card, open pile and finish slot; and the list of the cards in the open pile.

import { byId, el, fill, say } from "../elements.js";
import { cardBack, cardFace, emptySlot } from "./cards.js";

const stackOf = (id) => byId(id).querySelector(".stack");

/** Draw the piles of a view, or of a step of a replay. */
export function drawPiles(view) {
  const deal = view.deal;
  byId("centre").hidden = !deal;
  if (!deal) return;
  const top = deal.open_pile.at(-1);
  const below = deal.open_pile.at(-2);
  const wild = deal.wild_rank;

  fill(
    stackOf("stock"),
    ...(deal.stock > 1 ? [cardBack("under")] : []),
    deal.stock ? cardBack() : emptySlot(),
    el("span", { class: "count" }, String(deal.stock)),
  );
  byId("wild").querySelector(".stack").replaceChildren(deal.wild ? cardFace(deal.wild, wild) : emptySlot());
  const under = below && cardFace(below, wild);
  under?.classList.add("under");
  under?.setAttribute("aria-hidden", "true");
  fill(stackOf("open"), ...(under ? [under] : []), top ? cardFace(top, wild) : emptySlot());
  const finish = deal.showing?.finish;
  fill(stackOf("finish"), finish ? cardFace(finish, wild) : emptySlot());
}

/** Enable the piles that can be pressed now: {stock, open, finish}. */
export function openPiles(may) {
  press("stock", may.stock, gettext("Draws the top card of the stock."));
  press("open", may.open, gettext("Takes this card."));
  press("finish", may.finish, gettext("Declares with the selected card."));
}

/** Enable or disable a pile. Its accessible name is its content, so the action is a description. */
function press(id, isOpen, description) {
  const pile = byId(id);
  pile.disabled = !isOpen;
  pile.classList.toggle("is-call", isOpen && id !== "finish");
  if (isOpen) pile.setAttribute("aria-description", description);
  else pile.removeAttribute("aria-description");
}

let latest = null;
let askedFor = null;
let thrown = []; // The last answer of the server: {card, by}, bottom first.

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

/** List the pile; pushes do not contain who discarded each card, so request it here. */
async function show(moves) {
  listCards();
  const { version } = latest;
  if (askedFor === version) return;
  askedFor = version;
  try {
    thrown = (await moves.get("open-pile/")).cards;
  } catch {
    askedFor = null; // The cards are listed without names; the next call requests them again.
  }
  listCards();
}

function listCards() {
  const cards = (latest.deal?.open_pile ?? []).map((code, at) => item(code, thrown[at]));
  byId("pile-cards").replaceChildren(...cards.reverse());
  const text = ngettext("%(count)s card, the newest first.", "%(count)s cards, the newest first.", cards.length);
  byId("pile-text").textContent = say(text, { count: cards.length });
}

/** Return a card with its player's name; the name's line is reserved so that the layout does not shift. */
function item(code, thrown) {
  const name = thrown?.card === code ? nameOf(thrown.by) : "\u00a0";
  return el("li", {}, cardFace(code, latest.deal?.wild_rank ?? ""), el("span", { class: "by", title: name }, name));
}

function nameOf(handle) {
  if (handle === null) return gettext("turned up");
  return latest.seats.find((seat) => seat.handle === handle)?.is_me ? gettext("You") : handle;
}
