// What a group of cards looks like to be: a hint beside the cards. The server alone decides.

import { compareCards, isPrintedJoker, isWild, pointsOf, rankNumber, rankOf, suitOf } from "./cards.js";
import { say } from "./elements.js";

const ACE_HIGH = 14;

const distinct = (values) => new Set(values).size === values.length;

/** Whether ranks, with the ace low or high, lie within `length` neighbours. */
function fitsRun(codes, length) {
  const low = codes.map(rankNumber);
  const high = low.map((rank) => (rank === 1 ? ACE_HIGH : rank));
  return [low, high].some(
    (ranks) => distinct(ranks) && Math.max(...ranks) - Math.min(...ranks) < length,
  );
}

function isPureSequence(codes) {
  return (
    codes.length >= 3 &&
    !codes.some(isPrintedJoker) &&
    distinct(codes.map(rankNumber)) &&
    new Set(codes.map(suitOf)).size === 1 &&
    fitsRun(codes, codes.length)
  );
}

/** "pure", "sequence", "set" or "none" (RB 2.1 to 2.4, 2.6). */
export function kindOfGroup(codes, wildRank) {
  if (codes.length < 3) return "none";
  if (isPureSequence(codes)) return "pure";
  if (codes.every(isPrintedJoker)) return "none"; // A group needs a natural card.
  const naturals = codes.filter((code) => !isWild(code, wildRank));
  const oneSuit = new Set(naturals.map(suitOf)).size <= 1;
  if (codes.length <= 13 && oneSuit && (!naturals.length || fitsRun(naturals, codes.length))) return "sequence";
  const oneRank = new Set(naturals.map(rankOf)).size === 1;
  return oneRank && distinct(naturals.map(suitOf)) ? "set" : "none";
}

/** Whether some third card would make a group of two. */
function canGrow(codes, naturals) {
  if (naturals.length < 2) return true;
  const [a, b] = codes;
  if (rankOf(a) === rankOf(b)) return suitOf(a) !== suitOf(b);
  return suitOf(a) === suitOf(b) && fitsRun(codes, 3);
}

/** Why cards are no group, in a word or two: for the label below them. */
export function whyNoGroup(codes, wildRank) {
  const naturals = codes.filter((code) => !isWild(code, wildRank));
  if (codes.length === 2 && canGrow(codes, naturals)) return gettext("needs one more");
  if (codes.length < 3) return gettext("Too few cards");
  if (!naturals.length) return gettext("Only jokers");
  const isOneRank = new Set(naturals.map(rankOf)).size === 1;
  const isOneSuit = new Set(naturals.map(suitOf)).size === 1;
  if (isOneRank) return isOneSuit ? gettext("The same card twice") : gettext("A suit twice");
  if (!isOneSuit) return gettext("Suits are mixed");
  return distinct(naturals) ? gettext("Gaps too wide") : gettext("The same card twice");
}

export function nameOfKind(kind) {
  return {
    pure: gettext("Pure sequence"),
    sequence: gettext("Sequence"),
    set: gettext("Set"),
    none: gettext("Not a group"),
  }[kind];
}

export function shortName(kind) {
  return { pure: gettext("Pure"), sequence: gettext("Sequence"), set: gettext("Set") }[kind];
}

/** What a show still lacks, in words, or "" when it could stand as far as a hint can tell (RB 3.1). */
export function whyNoShow(groups, loose, wildRank) {
  const kinds = groups.map((codes) => kindOfGroup(codes, wildRank));
  const sequences = kinds.filter((kind) => kind === "pure" || kind === "sequence");
  if (!kinds.includes("pure")) return gettext("There is no pure sequence.");
  if (sequences.length < 2) return gettext("There is no second sequence.");
  const bad = kinds.indexOf("none");
  if (bad >= 0) return say(gettext("One group does not hold: %(why)s."), { why: whyNoGroup(groups[bad], wildRank) });
  return loose.length ? gettext("Some cards lie outside the groups.") : "";
}

/** The points of the hand as it lies (RB 4.2): of each group, of the loose cards, of the whole. */
export function costs(groups, loose, wildRank) {
  const kinds = groups.map((codes) => kindOfGroup(codes, wildRank));
  const isSafe = kinds.includes("pure") && kinds.filter((kind) => kind === "pure" || kind === "sequence").length > 1;
  const sum = (codes) => codes.reduce((total, code) => total + pointsOf(code, wildRank), 0);
  const each = groups.map((codes, at) => (isSafe && kinds[at] !== "none" ? 0 : sum(codes)));
  const ofLoose = sum(loose);
  return { each, loose: ofLoose, total: each.reduce((total, cost) => total + cost, ofLoose), isSafe };
}

/** Suits side by side, jokers last: what the Sort button makes of loose cards. */
export function bySuit(codes) {
  const heaps = new Map();
  for (const code of [...codes].sort(compareCards)) {
    const heap = isPrintedJoker(code) ? "PJ" : suitOf(code);
    heaps.set(heap, [...(heaps.get(heap) ?? []), code]);
  }
  return [...heaps.values()];
}

/** "5H 6H 7H | KD KS" to lists of cards; what follows "/" is ungrouped. */
export function parseGroups(text) {
  const [groups, loose = ""] = text.split("/");
  const cards = (part) => part.trim().split(/\s+/).filter(Boolean);
  return { groups: groups.split("|").map(cards).filter((codes) => codes.length), loose: cards(loose) };
}

export const formatGroups = (groups) =>
  groups.filter((codes) => codes.length).map((codes) => codes.join(" ")).join(" | ");
