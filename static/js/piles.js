// The middle of the table: stock, wild card, open pile and the finish slot.

import { cardBack, cardFace, emptySlot, spokenCard } from "./cards.js";
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
  byId("wild").querySelector(".stack").replaceChildren(cardFace(deal.wild, wild));
  const under = below && cardFace(below, wild);
  under?.classList.add("under");
  stackOf("open").replaceChildren(...(under ? [under] : []), top ? cardFace(top, wild) : emptySlot());
  const finish = deal.showing?.finish;
  stackOf("finish").replaceChildren(finish ? cardFace(finish, wild) : emptySlot());

  press("stock", may.stock, say(gettext("Stock, %(count)s cards"), { count: deal.stock }), gettext("Draw from the stock"));
  const name = top ? spokenCard(top, wild) : gettext("empty");
  press("open", may.open, say(gettext("Open pile: %(card)s"), { card: name }), say(gettext("Take %(card)s from the open pile"), { card: name }));
  press("finish", may.finish, gettext("Finish slot"), gettext("Declare with the selected card"));
}

function press(id, isOpen, name, invitation) {
  const pile = byId(id);
  pile.disabled = !isOpen;
  pile.classList.toggle("is-call", isOpen && id !== "finish");
  pile.setAttribute("aria-label", isOpen ? invitation : name);
}
