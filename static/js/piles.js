// The middle of the table: stock, wild card, open pile and the finish slot.

import { cardBack, cardFace, emptySlot } from "./cards.js";
import { byId, el } from "./elements.js";

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
  byId("wild").querySelector(".stack").replaceChildren(cardFace(deal.wild, wild));
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
