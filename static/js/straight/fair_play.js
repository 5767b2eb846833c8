// Replays the cards of a deal of straight rummy, as ../fair_play.js does for thirteen cards.

import { Replay } from "../fair_play.js";

const LINE = /^p([1-9]) (ds|do|turn|x|meld|lay|miss|leave)(?: ([^+]*?))?(?: \+\d{1,9})?$/;
const BY_COST = "AKQJT98765432";

export class StraightPlay extends Replay {
  melds = [];
  turns = 0;
  refills = 0;

  constructor(deal) {
    super(deal);
    this.#newTurn();
  }

  #newTurn() {
    this.drawn = null;
    this.isTaken = false;
    this.laysNow = false;
  }

  /** Play one line; throws `BadFile` if the cards do not allow it. */
  async move(line) {
    const played = this.read(line, LINE);
    const { action, refuse } = played;
    if (this.ending) refuse(gettext("“%(line)s”: the deal is over"));
    this.refuseOthers(played);
    if (["ds", "do", "turn"].includes(action) && this.drawn) refuse(gettext("“%(line)s”: a card is drawn already"));
    if (["x", "meld", "lay"].includes(action) && !this.drawn) refuse(gettext("“%(line)s”: no card is drawn"));
    await this[`_${action}`](played);
  }

  _ds({ seat, refuse }) {
    this.#draw(seat, this.stock.shift() ?? refuse(gettext("“%(line)s”: there is no card to draw")));
  }

  _do({ seat, refuse }) {
    this.#draw(seat, this.pile.pop() ?? refuse(gettext("“%(line)s”: there is no card to draw")));
    this.isTaken = true;
  }

  #draw(seat, card) {
    seat.hand.push(card);
    this.drawn = card;
  }

  _turn({ refuse }) {
    const mayTurn = this.file.refill === "turn_over" && !this.stock.length && this.pile.length > 1;
    if (!mayTurn) refuse(gettext("“%(line)s”: there is no card to draw"));
    [this.pile, this.stock] = [this.pile.slice(0, 1), this.pile.slice(1)];
    this.refills += 1;
  }

  _meld({ seat, position, rest, refuse }) {
    const cards = rest.split(" ").filter(Boolean);
    this.melds.push([]);
    this.#lay(seat, position, cards, this.melds.length, refuse);
  }

  _lay({ seat, position, rest, refuse }) {
    const [card, number] = rest.split(" ");
    this.#lay(seat, position, [card], Number(number), refuse);
  }

  #lay(seat, position, cards, number, refuse) {
    const meld = this.melds[number - 1] ?? refuse(gettext("“%(line)s”: there is no such meld"));
    for (const card of cards) meld.push(this.take(seat.hand, card, refuse));
    if (!this.#isMeld(meld)) refuse(gettext("“%(line)s”: these cards are not a meld"));
    this.laysNow = true;
    if (!seat.hand.length) this.#goOut(seat);
  }

  /** Return whether the cards are a set, or a run in one suit by the house rules for aces. */
  #isMeld(cards) {
    const [ranks, suits] = [0, 1].map((at) => new Set(cards.map((card) => card[at])));
    if (cards.length < 3) return false;
    if (ranks.size === 1) return suits.size === cards.length;
    if (suits.size > 1 || ranks.size < cards.length) return false;
    const { aces, roundTheCorner } = this.file;
    const plain = "23456789TJQK";
    const line = roundTheCorner ? `A${plain}A${plain}` : `${aces === "high" ? "" : "A"}${plain}${aces === "low" ? "" : "A"}`;
    const starts = [...line].map((_, at) => line.slice(at, at + cards.length));
    return starts.some((run) => run.length === cards.length && [...ranks].every((rank) => run.includes(rank)));
  }

  async _x({ seat, rest, refuse }) {
    this.pile.push(this.take(seat.hand, rest.trim(), refuse));
    seat.misses = 0;
    await this.#afterThrow(seat);
  }

  async _miss({ seat, refuse }) {
    if (this.drawn) this.pile.push(this.take(seat.hand, this.#thrownByTheClock(seat), refuse));
    seat.misses += 1;
    if (seat.hand.length && seat.misses >= this.file.missesAllowed) seat.isActive = false;
    await this.#afterThrow(seat);
  }

  async _leave({ seat, position }) {
    seat.isActive = false;
    if (this.toAct === position) await this.#endTurn();
    else this.endIfLast();
  }

  async #afterThrow(seat) {
    if (seat.hand.length) await this.#endTurn();
    else this.#goOut(seat);
  }

  /** Return the card the clock discards: the drawn card, or the costliest other if it cannot be discarded. */
  #thrownByTheClock(seat) {
    const isBarred = this.isTaken && !this.file.mayDiscardTaken;
    if (seat.hand.includes(this.drawn) && !isBarred) return this.drawn;
    const cost = ([rank]) => (rank === "A" ? this.file.acePoints : "TJQK".includes(rank) ? 10 : Number(rank));
    const others = seat.hand.filter((card) => card !== this.drawn);
    const dearestFirst = (a, b) => cost(b) - cost(a) || BY_COST.indexOf(a[0]) - BY_COST.indexOf(b[0]) || a.charCodeAt(1) - b.charCodeAt(1);
    return others.sort(dearestFirst)[0] ?? this.drawn;
  }

  #goOut(seat) {
    this.ending = seat.hasLaid ? "out" : "out rummy";
  }

  async #endTurn() {
    if (this.laysNow) this.seats[this.toAct - 1].hasLaid = true;
    this.#newTurn();
    this.turns += 1;
    this.passOn();
    if (this.ending) return;
    if (this.turns >= this.file.maxTurns) this.ending = "too_long";
    if (this.ending || this.stock.length) return;
    if (this.refills >= this.file.maxRefills || this.pile.length < 2) this.ending = "exhausted";
    if (this.ending || this.file.refill === "turn_over") return;
    await this.reshuffle();
    this.refills += 1;
  }
}
