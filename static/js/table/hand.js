// The player's hand in its arrangement. Two packs are in play, so every card has a unique key.

import { compareCards } from "./cards.js";
import { bySuit, kindOfGroup, parseGroups } from "./groups.js";

export class Hand {
  constructor() {
    this.cards = new Map(); // key -> code
    this.groups = []; // lists of keys
    this.sorted = new Set(); // keys that only sorting has put into a group
    this.wildRank = "";
    this.loose = []; // keys outside any group
    this.selected = new Set();
    this.drawn = null;
    this.made = 0;
  }

  /** Adopt the server's cards; arrangement and selection are kept where possible. */
  adopt(codes, { saved = null, drawn = null } = {}) {
    const missing = countCodes(codes);
    // A card that left was most likely the selected one of two twins.
    const keep = [...this.cards].sort(([a], [b]) => this.selected.has(a) - this.selected.has(b));
    for (const [key, code] of keep) {
      if (missing.get(code)) missing.set(code, missing.get(code) - 1);
      else this.forget(key);
    }
    const isNew = this.cards.size === 0;
    for (const [code, count] of missing) for (let i = 0; i < count; i += 1) this.take(code);
    if (isNew) this.arrangeFirst(saved, drawn);
    const isDrawn = (key) => this.cards.get(key) === drawn;
    this.drawn = drawn && (this.loose.findLast(isDrawn) ?? this.groups.flat().findLast(isDrawn));
  }

  /** Arrange as saved, the rest by suit; after a reload the card drawn in this turn is set apart again. */
  arrangeFirst(saved, drawn) {
    const grouped = (saved ?? []).flat().filter((code) => code === drawn).length;
    const isApart = drawn && grouped < this.codes(this.loose).filter((code) => code === drawn).length;
    const apart = isApart ? this.loose.splice(this.loose.findLastIndex((key) => this.cards.get(key) === drawn), 1) : [];
    this.arrangeAs(saved ?? []);
    this.sortLoose();
    this.loose = apart;
  }

  take(code) {
    this.made += 1;
    const key = `${code}-${this.made}`;
    this.cards.set(key, code);
    this.loose.push(key);
  }

  forget(key) {
    this.cards.delete(key);
    this.selected.delete(key);
    this.sorted.delete(key);
    this.lift([key]);
  }

  /** Remove cards from their groups or the loose cards; drop groups that become empty. */
  lift(keys) {
    const gone = new Set(keys);
    this.groups = this.groups.map((group) => group.filter((key) => !gone.has(key))).filter((group) => group.length);
    this.loose = this.loose.filter((key) => !gone.has(key));
  }

  /** Make groups of loose cards, and return their keys; cards missing in the groups stay loose. */
  arrangeAs(groups) {
    const made = groups.map((codes) => codes.map((code) => this.takeLoose(code)).filter((key) => key !== null)).filter((keys) => keys.length);
    for (const key of made.flat()) this.sorted.delete(key);
    this.groups.push(...made);
    return made.flat();
  }

  /** Arrange the loose cards by suit, in heaps that are no groups of the player. */
  sortLoose() {
    for (const key of this.arrangeAs(bySuit(this.codes(this.loose)))) this.sorted.add(key);
  }

  /** Return whether only sorting put these cards together, and are no valid group. */
  isHeap(keys) {
    return keys.every((key) => this.sorted.has(key)) && kindOfGroup(this.codes(keys), this.wildRank) === "none";
  }

  /** Rearrange the whole hand from text, its other cards by suit; a finish card becomes the selected one. */
  layOut({ groups, finish }) {
    const { groups: laid } = parseGroups(groups);
    this.loose = this.inOrder(this.keysInOrder());
    this.groups = [];
    this.arrangeAs(laid);
    this.selected.clear();
    const last = finish && this.loose.find((key) => this.cards.get(key) === finish);
    if (last) this.selected.add(last);
    else this.sortLoose();
    this.drawn = null;
  }

  takeLoose(code) {
    const at = this.loose.findIndex((key) => this.cards.get(key) === code);
    return at < 0 ? null : this.loose.splice(at, 1)[0];
  }

  toggle(key) {
    if (!this.selected.delete(key)) this.selected.add(key);
  }

  groupSelected() {
    const keys = this.keysInOrder().filter((key) => this.selected.has(key));
    if (!keys.length) return;
    this.lift(keys);
    this.own(keys);
    this.groups.push(this.inOrder(keys));
    this.selected.clear();
  }

  ungroupSelected() {
    const keys = this.groups.flat().filter((key) => this.selected.has(key));
    this.lift(keys);
    this.loose.push(...keys);
    this.selected.clear();
  }

  /** Keep valid groups and arrange the rest by suit. */
  sort() {
    const good = this.groups.filter((group) => kindOfGroup(this.codes(group), this.wildRank) !== "none");
    this.loose = this.keysInOrder().filter((key) => !good.flat().includes(key));
    this.groups = good;
    this.sortLoose();
    this.drawn = null;
  }

  /** Note that the player put these cards together. */
  own(keys) {
    for (const key of keys) this.sorted.delete(key);
  }

  /** Put cards into group `to` before the card `before`; `to` may be "loose" or "new". */
  move(keys, to, before = null) {
    const target = typeof to === "number" ? this.groups[to] : null;
    const rest = target?.filter((key) => !keys.includes(key));
    const isMoved = !target || keys.some((key) => !target.includes(key)); // Else the heap is only put in another order.
    if (isMoved) this.own([...keys, ...(rest ?? [])]);
    this.lift(keys);
    if (to === "loose") this.loose.push(...keys);
    else if (to === "new" || !rest?.length) this.groups.push([...keys]);
    else {
      const at = before === null ? rest.length : rest.indexOf(before);
      const group = rest.toSpliced(at < 0 ? rest.length : at, 0, ...keys);
      const index = this.groups.findIndex((other) => other[0] === rest[0] || other.includes(rest[0]));
      this.groups[index] = group;
    }
  }

  inOrder(keys) {
    return keys.toSorted((a, b) => compareCards(this.cards.get(a), this.cards.get(b)));
  }

  keysInOrder() {
    return [...this.groups.flat(), ...this.loose];
  }

  codes(keys) {
    return keys.map((key) => this.cards.get(key));
  }

  /** Return the groups as lists of codes, without heaps and the card of the key `without` (the finish card). */
  groupsAsCodes({ without = null } = {}) {
    const groups = this.groups.map((group) => group.filter((key) => key !== without)).filter((group) => group.length);
    return groups.filter((group) => !this.isHeap(group)).map((group) => this.codes(group));
  }

  /** Return the keys of the cards in no group: those in heaps, and the loose ones. */
  ungrouped({ without = null } = {}) {
    const groups = this.groups.map((group) => group.filter((key) => key !== without));
    return [...groups.filter((group) => this.isHeap(group)).flat(), ...this.loose.filter((key) => key !== without)];
  }

  looseCodes(options) {
    return this.codes(this.ungrouped(options));
  }

  /** Return whether exactly one whole group is selected. */
  isGroupSelected() {
    return this.groups.some(
      (group) => group.length === this.selected.size && group.every((key) => this.selected.has(key)),
    );
  }

  /** Return the key of the only selected card, or null. */
  onlySelected() {
    return this.selected.size === 1 ? [...this.selected][0] : null;
  }
}

function countCodes(codes) {
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}
