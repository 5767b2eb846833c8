// What was drawn and thrown between two views: cards fly accordingly, and the last two acts stand as a log.

import { cardBack, cardFace, shortCard } from "./cards.js";
import { byId, el, say } from "./elements.js";
import { fly } from "./motion.js";

let dealNo = null;
let last = []; // The last two acts: {seat, kind, card}.

/** The acts of whoever was to act before: a draw, a throw, or both; none where more has happened. */
export function actsBetween(before, after) {
  const seat = before.seats.find((each) => each.to_act);
  if (!seat || !after.deal || before.deal?.no !== after.deal.no || after.version > before.version + 2) return [];
  const [was, is] = [before.deal, after.deal];
  const grown = is.open_pile.length - was.open_pile.length;
  const thrown = { seat, kind: "throw", card: is.open_pile.at(-1) };
  const fromStock = { seat, kind: "stock", card: seat.is_me ? after.me?.drawn : null };
  const fromOpen = { seat, kind: "open", card: was.open_pile.at(-1) };
  if (was.drawn) return grown === 1 ? [thrown] : [];
  const draw = is.stock < was.stock ? fromStock : fromOpen;
  if (is.drawn && is.to_act === was.to_act) return [draw];
  if (is.to_act === was.to_act || grown !== (draw === fromStock ? 1 : 0)) return []; // A drop, or a show.
  return [draw, thrown];
}

const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect();
const discOf = (seat) => boxOf(seat.is_me ? "#my-seat .disc" : `#seats [data-handle="${CSS.escape(seat.handle)}"] .disc`);

/** Where the card that is about to leave the own hand lies; it is asked before the hand is laid anew. */
export function placeOfThrown(acts) {
  const mine = acts.find((act) => act.kind === "throw" && act.seat.is_me);
  if (!mine) return null;
  return boxOf(`#hand [data-key^="${mine.card}-"][aria-pressed="true"]`) ?? boxOf(`#hand [data-key^="${mine.card}-"]`);
}

/** Fly the cards of these acts over the table as it lies now. */
export function showActs(acts, thrownFrom, wildRank) {
  for (const { seat, kind, card } of acts) {
    if (kind === "throw") fly(cardFace(card, wildRank), thrownFrom ?? discOf(seat), boxOf("#open .stack"));
    else {
      const to = seat.is_me ? boxOf("#hand .is-drawn") : discOf(seat);
      fly(card ? cardFace(card, wildRank) : cardBack(), boxOf(`#${kind} .stack`), to);
    }
  }
}

const sentences = () => ({
  stock: gettext("%(name)s drew from the stock"),
  open: gettext("%(name)s took %(card)s"),
  throw: gettext("%(name)s threw %(card)s"),
});

/** The last two acts; of two by one player the second goes without the name. */
export function drawLog(view, acts) {
  if (view.deal?.no !== dealNo) last = [];
  dealNo = view.deal?.no ?? null;
  last = [...last, ...acts].slice(-2);
  const words = last.map(({ seat, kind, card }, at) => {
    const isSame = at > 0 && last[at - 1].seat.handle === seat.handle && kind === "throw";
    if (isSame) return say(gettext("threw %(card)s"), { card: shortCard(card) });
    const name = seat.is_me ? gettext("You") : seat.handle;
    return say(sentences()[kind], { name, card: card && shortCard(card) });
  });
  byId("log").replaceChildren(el("span", {}, words.join(" · ")));
}
