// The last two acts of a deal, as the server tells them: cards fly accordingly, and they stand as a log.

import { cardBack, cardFace, shortCard } from "./cards.js";
import { byId, el, say } from "./elements.js";
import { fly } from "./motion.js";

const lastPly = (deal) => deal?.last_acts.at(-1)?.ply ?? 0;

/** Every act with its seat; who has left since is named by nobody. */
function actsOf(view) {
  const acts = view.deal?.last_acts ?? [];
  const seated = acts.map((act) => ({ ...act, seat: view.seats.find((seat) => seat.number === act.seat) }));
  return seated.filter((act) => act.seat);
}

/** What has been done since the view before; none where another deal lies between. */
export function actsBetween(before, after) {
  if (before.deal?.no !== after.deal?.no) return [];
  const acts = actsOf(after).filter((act) => act.ply > lastPly(before.deal));
  const [first] = acts;
  if (first?.kind === "open" && first.ply === lastPly(before.deal) + 1) first.card ??= before.deal.open_pile.at(-1);
  return acts;
}

const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect();
const discOf = (seat) => boxOf(seat.is_me ? "#my-seat .disc" : `#seats [data-handle="${CSS.escape(seat.handle)}"] .disc`);

/** Where the card that is about to leave the own hand lies; it is asked before the hand is laid anew. */
export function placeOfThrown(acts) {
  const mine = acts.find((act) => act.kind === "throw" && act.seat.is_me);
  if (!mine) return null;
  return boxOf(`#hand [data-key^="${mine.card}-"][aria-pressed="true"]`) ?? boxOf(`#hand [data-key^="${mine.card}-"]`);
}

/** The cards an act has laid on the table, each with its place there; none for other acts. */
function laidBy({ seat, kind, card }, { melds }) {
  const isOf = kind === "lay" ? (meld) => meld.cards.includes(card) : (meld) => meld.owner === seat.position;
  const meld = ["meld", "lay"].includes(kind) && melds.findLast(isOf);
  if (!meld) return [];
  const places = [...document.querySelectorAll(`#melds [data-meld="${meld.number}"] .card`)];
  const laid = meld.cards.map((code, at) => ({ code, place: places[at]?.getBoundingClientRect() }));
  return kind === "lay" ? laid.filter(({ code }) => code === card) : laid;
}

/** Fly the cards of these acts over the table as it lies now. */
export function showActs(acts, { view, thrownFrom, wildRank }) {
  for (const act of acts) {
    const { seat, kind, card } = act;
    for (const { code, place } of laidBy(act, view.deal)) {
      fly(cardFace(code, wildRank), (seat.is_me && boxOf("#hand [data-key]")) || discOf(seat), place);
    }
    const face = card ? cardFace(card, wildRank) : cardBack();
    if (kind === "throw") fly(face, (seat.is_me && thrownFrom) || discOf(seat), boxOf("#open .stack"));
    else if (kind === "stock" || kind === "open") {
      fly(face, boxOf(`#${kind} .stack`), seat.is_me ? boxOf("#hand .is-drawn") : discOf(seat));
    }
  }
}

const sentences = () => ({
  stock: gettext("%(name)s drew from the stock"),
  open: gettext("%(name)s took %(card)s"),
  throw: gettext("%(name)s threw %(card)s"),
  drop: gettext("%(name)s dropped"),
  show: gettext("%(name)s declared"),
  meld: gettext("%(name)s laid a meld"),
  lay: gettext("%(name)s laid off %(card)s"),
  turn: gettext("%(name)s turned the pile over"),
  miss: gettext("%(name)s missed the turn"),
  leave: gettext("%(name)s left"),
});

/** The last two acts; of two by one player the second goes without the name. */
export function drawLog(view) {
  const acts = actsOf(view);
  const words = acts.map(({ seat, kind, card }, at) => {
    const shown = card ? shortCard(card) : gettext("the open card");
    if (at > 0 && acts[0].seat === seat && kind === "throw") return say(gettext("threw %(card)s"), { card: shown });
    const name = seat.is_me ? gettext("You") : seat.handle;
    return sentences()[kind] ? say(sentences()[kind], { name, card: shown }) : "";
  });
  const text = words.filter(Boolean).join(" · ");
  byId("log").replaceChildren(el("span", { title: text }, text));
}
