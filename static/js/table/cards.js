// Cards in text notation ("7H", "TD", "PJ"): their order, their names and their faces.

import { el, say } from "../elements.js";

const RANKS = "A23456789TJQK";
const SUITS = "SHCD"; // Black and red alternate, so that neighbours differ.

const suitNames = () => ({
  S: gettext("spades"),
  H: gettext("hearts"),
  C: gettext("clubs"),
  D: gettext("diamonds"),
});

const rankNames = () => ({
  A: gettext("ace"),
  T: "10",
  J: gettext("jack"),
  K: gettext("king"),
});

export const isPrintedJoker = (code) => code === "PJ";
export const rankOf = (code) => code[0];
export const suitOf = (code) => code[1];
/** Return 1 for the ace to 13 for the king. */
export const rankNumber = (code) => RANKS.indexOf(code[0]) + 1;
export const isWild = (code, wildRank) => isPrintedJoker(code) || code[0] === wildRank;

/** Return the points of a card outside a group (RB 1.3). */
export function pointsOf(code, wildRank) {
  if (isWild(code, wildRank)) return 0;
  return "ATJQK".includes(code[0]) ? 10 : rankNumber(code);
}

export function compareCards(a, b) {
  if (isPrintedJoker(a) || isPrintedJoker(b)) return isPrintedJoker(a) - isPrintedJoker(b);
  return SUITS.indexOf(a[1]) - SUITS.indexOf(b[1]) || rankNumber(a) - rankNumber(b);
}

/** Compare for the toss: highest first, ace high, ties by spades, hearts, diamonds, clubs. */
export function tossOrder(a, b) {
  const rank = (code) => (rankNumber(code) === 1 ? 14 : rankNumber(code));
  return rank(b) - rank(a) || "SHDC".indexOf(a[1]) - "SHDC".indexOf(b[1]);
}

/** Return "7 of hearts", for screen readers. */
export function spokenCard(code, wildRank = "") {
  if (isPrintedJoker(code)) return gettext("printed joker");
  const rank = rankNames()[code[0]] ?? code[0];
  const phrase = code[0] === "Q" ? gettext("queen of %(suit)s") : gettext("%(rank)s of %(suit)s");
  const name = say(phrase, { rank, suit: suitNames()[code[1]] });
  return isWild(code, wildRank) ? say(gettext("%(card)s, wild"), { card: name }) : name;
}

/** Return "5♣", for the log. */
export function shortCard(code) {
  if (isPrintedJoker(code)) return gettext("joker");
  return `${code[0] === "T" ? "10" : code[0]}${{ S: "♠", H: "♥", C: "♣", D: "♦" }[code[1]]}`;
}

function look(code, wildRank) {
  const kinds = ["card"];
  if (isPrintedJoker(code)) kinds.push("joker");
  else if ("HD".includes(code[1])) kinds.push("red");
  if (!isPrintedJoker(code) && isWild(code, wildRank)) kinds.push("wild");
  return kinds.join(" ");
}

function pips(code) {
  if (isPrintedJoker(code)) {
    return [
      el("span", { class: "index" }, el("i", { class: "pip pip-J" }), el("span", { class: "word" })),
      el("span", { class: "face-pip" }, el("i", { class: "pip pip-J" })),
    ];
  }
  const rank = code[0] === "T" ? "10" : code[0];
  const pip = () => el("i", { class: `pip pip-${code[1]}` });
  return [
    el("span", { class: "index" }, el("span", {}, rank), pip()),
    el("span", { class: "face-pip" }, pip()),
  ];
}

/** Return a card face as an image. */
export function cardFace(code, wildRank) {
  const face = el("span", { class: look(code, wildRank), role: "img", "aria-label": spokenCard(code, wildRank) });
  face.append(...pips(code));
  return face;
}

/** Return a card face as a button. */
export function cardButton(code, wildRank) {
  const button = el("button", { type: "button", class: look(code, wildRank), "aria-label": spokenCard(code, wildRank) });
  button.append(...pips(code));
  for (const part of button.children) part.setAttribute("aria-hidden", "true");
  return button;
}

export const cardBack = (kind = "") => el("span", { class: `card back ${kind}`.trim(), "aria-hidden": "true" });
export const emptySlot = () => el("span", { class: "card slot", "aria-hidden": "true" });
