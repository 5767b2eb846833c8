// Draws one step of a finished deal: every hand open, the piles, and the move's animation.

import { byId, el, say } from "../elements.js";
import { cardBack, cardFace } from "../table/cards.js";
import { fly } from "../table/drag.js";
import { parseGroups } from "../table/groups.js";
import { drawPileHistory, drawPiles } from "../table/piles.js";
import { disc, missesOf } from "../table/seats.js";

const standings = () => ({
  won: gettext("won"),
  first_drop: gettext("dropped"),
  middle_drop: gettext("dropped"),
  wrong_show: gettext("wrong show"),
  left: gettext("left"),
});

/** Return the seats in turn order after the viewer's, whose seat is the last; else that of the first position. */
function inOrder(seats) {
  const own = Math.max(0, seats.findIndex((seat) => seat.is_me));
  return [...seats.slice(own + 1), ...seats.slice(0, own + 1)];
}

/** Draw the deal after `ply` moves; `better` is the card that the coach would have discarded. */
export function drawStep(deal, ply, better) {
  const { steps, seats } = deal;
  const step = steps[ply];
  const results = ply === steps.length - 1 ? deal.results : null;
  const items = inOrder(seats).map((seat, at) =>
    seatItem(deal, seat, {
      hand: step.hands[seat.position - 1],
      result: results?.[seat.position - 1],
      isMover: deal.moves[ply - 1]?.position === seat.position,
      where: at === seats.length - 1 ? "own" : `at-${at + 1}-of-${seats.length - 1}`,
      better: seat.is_me ? better : "",
    }),
  );
  byId("hands").className = `open-hands of-${seats.length - 1}`;
  byId("hands").replaceChildren(...items);
  drawPilesOf(deal, ply);
}

/** Draw the piles, and their list with the players who discarded the cards. */
function drawPilesOf(deal, ply) {
  const { stock, open_pile } = deal.steps[ply];
  const showing = lastShow(deal, ply);
  const view = { version: ply, seats: deal.seats, deal: { stock, open_pile, wild: deal.wild, wild_rank: deal.wild_rank, showing } };
  drawPiles(view);
  byId("wild").hidden = !deal.wild;
  byId("finish").hidden = !deal.moves.some((move) => move.action === "show");
  drawPileHistory(view, { get: async () => ({ cards: discards(deal, ply) }) });
}

/** Return the finish card of the show that this step has led to, if it is not a wrong one. */
function lastShow({ moves, steps }, ply) {
  const move = moves.slice(0, ply).findLast((each) => each.action === "show");
  const isWrong = move && steps[ply].hands[move.position - 1].standing === "wrong_show";
  return move && !isWrong ? { finish: move.card } : null;
}

/** Return the cards of the open pile with the players who discarded them, bottom first. */
function discards({ steps, moves }, ply) {
  let pile = [];
  for (let at = 0; at <= ply; at += 1) {
    const cards = steps[at].open_pile;
    const by = (index) => (at && index === cards.length - 1 ? moves[at - 1].handle : null);
    pile = cards.map((card, index) => (pile[index]?.card === card ? pile[index] : { card, by: by(index) }));
  }
  return pile;
}

function seatItem(deal, seat, { hand, result, isMover, where, better }) {
  const state = result ? resultText(result) : (standings()[hand.standing] ?? (hand.misses ? missesOf(hand) : ""));
  const kinds = ["seat", where, hand.to_act && "to-act", isMover && "is-mover", hand.standing === "won" && "is-winner"];
  return el(
    "li",
    { class: kinds.filter(Boolean).join(" "), "data-position": String(seat.position) },
    el(
      "p",
      { class: "who" },
      disc(seat),
      el("b", { class: "name", title: seat.handle }, seat.is_me ? gettext("You") : seat.handle),
      seat.is_bot && el("span", { class: "bot" }, gettext("bot")),
      state && el("span", { class: "state" }, state),
    ),
    cardsOf(result?.arrangement || hand.laid || hand.hand, { deal, drawn: hand.drawn, better, isCounted: Boolean(result ?? deal.wild) }),
  );
}

function resultText({ points, how }) {
  const text = standings()[how];
  const cost = say(ngettext("%(points)s pt", "%(points)s pts", points), { points });
  return text ? `${text} · ${cost}` : cost;
}

/** Return a hand as overlapping cards, its groups apart; cards after the stroke may be counted as points. */
function cardsOf(text, { deal, drawn, better, isCounted }) {
  const { groups, loose } = parseGroups(text);
  const highlights = { drawn, better };
  const melds = groups.map((codes) => meldOf(codes, "meld", deal, highlights));
  if (loose.length) melds.push(meldOf(loose, isCounted ? "meld deadwood" : "meld", deal, highlights));
  const row = el("div", { class: "hand-row" }, ...melds);
  row.style.setProperty("--n", String(Math.max(2, [...groups, loose].flat().length)));
  row.style.setProperty("--g", String(melds.length - 1));
  return row;
}

function meldOf(codes, kind, deal, highlights) {
  const cards = codes.map((code) => {
    const card = cardFace(code, deal.wild_rank);
    card.dataset.code = code;
    card.classList.toggle("is-drawn", take(highlights, "drawn", code));
    card.classList.toggle("is-better", take(highlights, "better", code));
    return card;
  });
  return el("span", { class: kind }, ...cards);
}

/** Return whether this card has the highlight, which only one of two equal cards gets. */
function take(highlights, name, code) {
  if (highlights[name] !== code) return false;
  highlights[name] = "";
  return true;
}

// Animations: the card of a move flies between its player's hand and a pile.

const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect();
const handOf = ({ position }) => `[data-position="${position}"]`;

/** Return the place of a move's card in its player's hand, before the step is drawn. */
export function placesBefore(move) {
  const card = move.card && `${handOf(move)} [data-code="${move.card}"]`;
  return card && (boxOf(`${card}.is-drawn`) ?? boxOf(card));
}

/** Animate the move that led to this step; `place` is where its card was. */
export function showMove(deal, ply, place) {
  const move = deal.moves[ply - 1];
  const pile = { ds: "#stock", do: "#open", x: "#open", miss: "#open", show: "#finish" }[move.action];
  if (!pile || !move.card) return;
  const face = move.action === "ds" ? cardBack() : cardFace(move.card, deal.wild_rank);
  const isDraw = move.action === "ds" || move.action === "do";
  if (isDraw) fly(face, boxOf(`${pile} .stack`), boxOf(`${handOf(move)} .is-drawn`));
  else fly(face, place, boxOf(`${pile} .stack`));
}
