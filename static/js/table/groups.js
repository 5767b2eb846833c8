// The kinds of groups, for the labels beside the cards. Only the server decides.

import { say } from "../elements.js";
import { compareCards, isPrintedJoker, isWild, pointsOf, rankNumber, rankOf, suitOf } from "./cards.js";

const ACE_HIGH = 14;
const LONG = 4; // The length of a "life of four".

// The defaults for tables whose house rules are unknown.
let rules = {
  max_jokers_per_sequence: null,
  max_jokers_per_set: null,
  max_set_size: null,
  min_naturals: 1,
  identical_triples: false,
  life_of_four: "none",
  loose_jokers: false,
  unmet: "all",
  unmet_points: "sum",
  least_loss: 0,
};

/** Use these house rules from now on; with `meldRules`, cards count until they are melded on the table. */
export function playBy(groupRules, meldRules = null) {
  rules = groupRules ?? { ...rules, isOpen: meldRules !== null };
}

/** Return the text of when a complete group stops counting. */
export const untilWhen = () =>
  rules.isOpen ? gettext("counts until it is on the table") : gettext("counts until there are two sequences, one of them pure");

const distinct = (values) => new Set(values).size === values.length;
const isSequence = (kind) => kind === "pure" || kind === "sequence";

/** Return whether the ranks, with the ace low or high, fit a run of `length` cards. */
function fitsRun(codes, length) {
  const low = codes.map(rankNumber);
  const high = low.map((rank) => (rank === 1 ? ACE_HIGH : rank));
  return [low, high].some(
    (ranks) => distinct(ranks) && Math.max(...ranks) - Math.min(...ranks) < length,
  );
}

const jokersFit = (jokers, naturals, most) =>
  jokers === 0 || (naturals >= rules.min_naturals && (most === null || jokers <= most));

/** Return the best kind of sequence of these cards: "pure", "sequence" or null (RB 2.1, 2.2, 2.5). */
function asSequence(codes, wildRank) {
  const [first] = codes;
  if (rules.identical_triples && codes.length === 3 && !isPrintedJoker(first) && codes.every((code) => code === first)) return "pure";
  const naturals = codes.filter((code) => !isWild(code, wildRank));
  const wilds = codes.filter((code) => isWild(code, wildRank) && !isPrintedJoker(code));
  const suits = new Set((naturals.length ? naturals : wilds).map(suitOf));
  if (new Set(naturals.map(suitOf)).size > 1 || !distinct(naturals.map(rankNumber))) return null;
  let best = null;
  for (const suit of suits) {
    for (let lowest = 1; lowest <= ACE_HIGH + 1 - codes.length; lowest += 1) {
      const ranks = new Set(codes.map((_, at) => (lowest + at) % 13 || 13));
      if (!naturals.every((code) => ranks.has(rankNumber(code)))) continue;
      const asItself = wilds.some((code) => suitOf(code) === suit && ranks.has(rankNumber(code)));
      const standing = naturals.length + Number(asItself);
      if (standing === codes.length) return "pure";
      if (jokersFit(codes.length - standing, standing, rules.max_jokers_per_sequence)) best = "sequence";
    }
  }
  return best;
}

function isSet(codes, wildRank) {
  const naturals = codes.filter((code) => !isWild(code, wildRank));
  const wilds = codes.filter((code) => isWild(code, wildRank) && !isPrintedJoker(code));
  if (new Set(naturals.map(rankOf)).size > 1 || !distinct(naturals.map(suitOf))) return false;
  if (rules.max_set_size !== null && codes.length > rules.max_set_size) return false;
  const standing = naturals.length || new Set(wilds.map(suitOf)).size;
  return jokersFit(codes.length - standing, standing, rules.max_jokers_per_set);
}

/** Return "pure", "sequence", "set", "jokers" or "none" (RB 2). */
export function kindOfGroup(codes, wildRank) {
  const kind = codes.length < 3 ? null : (asSequence(codes, wildRank) ?? (isSet(codes, wildRank) ? "set" : null));
  if (kind) return kind;
  return rules.loose_jokers && codes.length && codes.every((code) => isWild(code, wildRank)) ? "jokers" : "none";
}

/** Return whether a third card could complete a group of two. */
function canGrow(codes, naturals) {
  if (naturals.length < 2) return true;
  const [a, b] = codes;
  if (rankOf(a) === rankOf(b)) return suitOf(a) !== suitOf(b);
  return suitOf(a) === suitOf(b) && fitsRun(codes, 3);
}

/** Return whether only the house rules' limits on jokers prevent a group. */
function hasTooManyJokers(codes, naturals) {
  const limits = [rules.max_jokers_per_sequence, rules.max_jokers_per_set];
  const isLimited = rules.min_naturals > 1 || limits.some((limit) => limit !== null);
  const isRun = new Set(naturals.map(suitOf)).size === 1 && fitsRun(naturals, codes.length);
  const isRank = new Set(naturals.map(rankOf)).size === 1 && distinct(naturals.map(suitOf));
  return isLimited && naturals.length < codes.length && (isRun || isRank);
}

/** Return why cards are no group, in one or two words for the label below them. */
export function whyNoGroup(codes, wildRank) {
  const naturals = codes.filter((code) => !isWild(code, wildRank));
  if (codes.length === 2 && canGrow(codes, naturals)) return gettext("1 more card");
  if (codes.length < 3) return gettext("Too few cards");
  if (!naturals.length) return gettext("Only jokers");
  if (hasTooManyJokers(codes, naturals)) return gettext("Too many jokers");
  const isOneRank = new Set(naturals.map(rankOf)).size === 1;
  const isOneSuit = new Set(naturals.map(suitOf)).size === 1;
  if (isOneRank) return isOneSuit ? gettext("Duplicate card") : gettext("Duplicate suit");
  if (!isOneSuit) return gettext("Mixed suits");
  return distinct(naturals) ? gettext("Not a sequence") : gettext("Duplicate card");
}

export function nameOfKind(kind) {
  return {
    pure: gettext("Pure sequence"),
    sequence: gettext("Sequence"),
    set: gettext("Set"),
    jokers: gettext("Jokers"),
    none: gettext("Not a group"),
  }[kind];
}

export function shortName(kind) {
  return { pure: gettext("Pure"), sequence: gettext("Sequence"), set: gettext("Set"), jokers: gettext("Jokers") }[kind];
}

/** Return the requirement on sequences that a show of these groups misses, or "" (RB 3.1, 3.2). */
function gateOf(groups, kinds) {
  if (rules.isOpen) return gettext("These cards are not on the table.");
  const sequences = groups.filter((_, at) => isSequence(kinds[at]));
  if (!kinds.includes("pure")) return gettext("There is no pure sequence.");
  if (sequences.length < 2) return gettext("There is no second sequence.");
  const long = kinds.filter((kind, at) => isSequence(kind) && groups[at].length >= LONG);
  const pure = kinds.filter((kind) => kind === "pure").length;
  const isMet = rules.life_of_four === "any" ? long.length > 0 : long.includes("sequence") || (long.length > 0 && pure > 1);
  return rules.life_of_four === "none" || isMet ? "" : gettext("There is no sequence of four cards.");
}

/** Return what a show still lacks, or "" if it looks valid (RB 3.1). */
export function whyNoShow(groups, loose, wildRank) {
  const kinds = groups.map((codes) => kindOfGroup(codes, wildRank));
  const gate = gateOf(groups, kinds);
  if (gate) return gate;
  const bad = kinds.indexOf("none");
  if (bad >= 0) return say(gettext("One group is not valid: %(why)s."), { why: whyNoGroup(groups[bad], wildRank) });
  const isOutside = loose.some((code) => !(rules.loose_jokers && isWild(code, wildRank)));
  return isOutside ? gettext("Some cards are not in a group.") : "";
}

/** Return the points of the hand as arranged (RB 4): each group, the loose cards, and the total after minimum loss, cap and halving. */
export function costs(groups, loose, wildRank, { cap = Infinity, mayShow = false, paysHalf = false } = {}) {
  const kinds = groups.map((codes) => kindOfGroup(codes, wildRank));
  const isSafe = !gateOf(groups, kinds);
  const sum = (codes) => codes.reduce((total, code) => total + pointsOf(code, wildRank), 0);
  const isFree = (kind) => (isSafe ? kind !== "none" : kind === "pure" && rules.unmet === "pure_exempt");
  const each = groups.map((codes, at) => (isFree(kinds[at]) ? 0 : sum(codes)));
  const ofLoose = sum(loose);
  const total = each.reduce((all, cost) => all + cost, ofLoose);
  const isFlat = !isSafe && rules.unmet_points === "flat" && cap < Infinity;
  const least = mayShow && !total ? 0 : rules.least_loss; // A hand that can be shown does not lose.
  const price = isFlat ? cap : Math.min(total, cap);
  return { each, loose: ofLoose, total: Math.max(least, paysHalf ? Math.floor(price / 2) : price), isSafe };
}

/** Return the cards grouped by suit, jokers last, for the Sort button. */
export function bySuit(codes) {
  const heaps = new Map();
  for (const code of [...codes].sort(compareCards)) {
    const heap = isPrintedJoker(code) ? "PJ" : suitOf(code);
    heaps.set(heap, [...(heaps.get(heap) ?? []), code]);
  }
  return [...heaps.values()];
}

/** Parse "5H 6H 7H | KD KS" into lists of cards; cards after "/" are ungrouped. */
export function parseGroups(text) {
  const [groups, loose = ""] = text.split("/");
  const cards = (part) => part.trim().split(/\s+/).filter(Boolean);
  return { groups: groups.split("|").map(cards).filter((codes) => codes.length), loose: cards(loose) };
}

export const formatGroups = (groups) =>
  groups.filter((codes) => codes.length).map((codes) => codes.join(" ")).join(" | ");
