// The player's hand in its arrangement. Two packs are in play, so every card has a unique key.

import { compareCards } from "./cards.js";
import { bySuit, kindOfGroup, parseGroups } from "./groups.js";

export class Hand {
  constructor() {
    this.cards = new Map(); // key -> code
    this.groups = []; // lists of keys
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

  /** Arrange as saved, else by suit; after a reload the card drawn in this turn is set apart again. */
  arrangeFirst(saved, drawn) {
    const grouped = (saved ?? []).flat().filter((code) => code === drawn).length;
    const isApart = drawn && grouped < this.codes(this.loose).filter((code) => code === drawn).length;
    const apart = isApart ? this.loose.splice(this.loose.findLastIndex((key) => this.cards.get(key) === drawn), 1) : [];
    if (saved?.length) this.arrangeAs(saved);
    else this.arrangeAs(bySuit(this.codes(this.loose)));
    this.loose = [...this.inOrder(this.loose), ...apart];
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
    this.lift([key]);
  }

  /** Remove cards from their groups or the loose cards; drop groups that become empty. */
  lift(keys) {
    const gone = new Set(keys);
    this.groups = this.groups.map((group) => group.filter((key) => !gone.has(key))).filter((group) => group.length);
    this.loose = this.loose.filter((key) => !gone.has(key));
  }

  /** Arrange as saved; cards missing in the saved groups stay loose. */
  arrangeAs(saved) {
    for (const codes of saved) {
      const group = codes
        .map((code) => this.takeLoose(code))
        .filter((key) => key !== null);
      if (group.length) this.groups.push(group);
    }
  }

  /** Rearrange the whole hand from text; a finish card becomes the selected one. */
  layOut({ groups, finish }) {
    const { groups: laid } = parseGroups(groups);
    this.loose = this.inOrder(this.keysInOrder());
    this.groups = [];
    this.arrangeAs(laid);
    this.selected.clear();
    const last = finish && this.loose.find((key) => this.cards.get(key) === finish);
    if (last) this.selected.add(last);
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
  sort({ wildRank = "" }) {
    const good = this.groups.filter((group) => kindOfGroup(this.codes(group), wildRank) !== "none");
    const rest = this.keysInOrder().filter((key) => !good.flat().includes(key));
    this.groups = good;
    this.loose = rest;
    this.arrangeAs(bySuit(this.codes(rest)));
    this.drawn = null;
  }

  /** Put cards into group `to` before the card `before`; `to` may be "loose" or "new". */
  move(keys, to, before = null) {
    const target = typeof to === "number" ? this.groups[to] : null;
    const rest = target?.filter((key) => !keys.includes(key));
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

  /** Return groups as lists of codes, without the card of the key `without` (the finish card). */
  groupsAsCodes({ without = null } = {}) {
    return this.groups
      .map((group) => this.codes(group.filter((key) => key !== without)))
      .filter((codes) => codes.length);
  }

  looseCodes({ without = null } = {}) {
    return this.codes(this.loose.filter((key) => key !== without));
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
