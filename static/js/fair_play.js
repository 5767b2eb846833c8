// Replays the cards of a deal: drawn cards come from the shuffled stock, discards must have been held,
// and an empty stock is reshuffled with the same stream.

import { BadFile } from "./verdict.js";
import { say } from "./elements.js";

const LINE = /^p([1-9]) (ds|do|x|drop|show|meld|miss|leave)(?: ([^+]*?))?(?: \+\d{1,9})?$/;

function cardsIn(text) {
  return text.split(/(?:[ |]|\/)+/).filter(Boolean);
}

/** The seats, piles and turns of a deal; a family adds its moves. */
export class Replay {
  constructor({ hands, pile, stock, stream, file }) {
    this.seats = hands.map((hand) => ({ hand: [...hand], isActive: true, misses: 0 }));
    Object.assign(this, { pile, stock, stream, file, toAct: 1, ending: null });
  }

  /** Return the parts of a line of moves, and `refuse`, which throws `BadFile` for it. */
  read({ number, text }, shape) {
    const refuse = (message) => {
      throw new BadFile(say(message, { line: text }), number);
    };
    const [, place, action, rest = ""] = text.match(shape) ?? refuse(gettext("“%(line)s” is not a move"));
    const position = Number(place);
    const seat = this.seats[position - 1] ?? refuse(gettext("“%(line)s”: there is no such position"));
    return { seat, position, action, rest, refuse };
  }

  refuseOthers({ seat, position, action, refuse }) {
    if (!seat.isActive || (action !== "leave" && this.toAct !== position)) refuse(gettext("“%(line)s”: it is another player's turn"));
  }

  /** Take a card out of a hand. */
  take(hand, card, refuse) {
    const at = hand.lastIndexOf(card);
    if (at < 0) refuse(gettext("“%(line)s”: that card is not in the hand"));
    return hand.splice(at, 1)[0];
  }

  active() {
    return this.seats.flatMap((seat, at) => (seat.isActive ? [at + 1] : []));
  }

  passOn() {
    const active = this.active();
    this.toAct = active.find((position) => position > this.toAct) ?? active[0];
    this.endIfLast();
  }

  endIfLast() {
    if (this.active().length <= 1) this.ending = "last_standing";
  }

  /** Shuffle the open pile, except its top card, into a new stock. */
  async reshuffle() {
    this.stock = await this.stream.shuffled(this.pile.slice(0, -1));
    this.pile = this.pile.slice(-1);
  }
}

export class Play extends Replay {
  hasDrawn = null;
  waiting = null; // Positions that have not sent their groups after a show.
  reshuffles = 0;

  /** Play one line; throws `BadFile` if the cards do not allow it. */
  async move(line) {
    const played = this.read(line, LINE);
    const { seat, position, action, rest, refuse } = played;
    if (this.ending && !this.waiting) refuse(gettext("“%(line)s”: the deal is over"));
    if (this.waiting) {
      if (!this.waiting.delete(position) || !["meld", "miss", "leave"].includes(action)) refuse(gettext("“%(line)s”: this answer is not expected"));
      if (action === "meld") this.#held(seat.hand, cardsIn(rest), refuse);
      if (!this.waiting.size) this.waiting = null;
      return;
    }
    this.refuseOthers(played);
    await this.#turn(played);
  }

  async #turn({ seat, position, action, rest, refuse }) {
    const needsCard = action === "x" || action === "show";
    if (needsCard && this.hasDrawn === null) refuse(gettext("“%(line)s”: no card is drawn"));
    if (["ds", "do", "drop"].includes(action) && this.hasDrawn !== null) refuse(gettext("“%(line)s”: a card is drawn already"));
    if (action === "ds" || action === "do") {
      const card = action === "ds" ? this.stock.shift() : this.pile.pop();
      if (!card) refuse(gettext("“%(line)s”: there is no card to draw"));
      seat.hand.push(card);
      this.hasDrawn = card;
      return;
    }
    if (action === "x") {
      this.#throw(seat, rest, refuse);
      seat.misses = 0;
    } else if (action === "show") {
      if (this.#shows(seat, position, rest, refuse)) return;
    } else if (action === "miss") {
      if (this.hasDrawn !== null) this.#throw(seat, this.hasDrawn, refuse);
      seat.misses += 1;
      seat.isActive = seat.misses < this.file.missesAllowed;
    } else if (action === "drop" || action === "leave") {
      seat.isActive = false;
    } else {
      refuse(gettext("“%(line)s”: no player has shown"));
    }
    if (this.toAct === position) await this.#endTurn();
    else this.endIfLast();
  }

  #throw(seat, card, refuse) {
    this.pile.push(this.take(seat.hand, card, refuse));
  }

  #held(hand, cards, refuse) {
    const left = [...hand];
    for (const card of cards) this.take(left, card, refuse);
  }

  /** Return whether the show ends the play; the file's result has whether it was valid. */
  #shows(seat, position, rest, refuse) {
    const at = rest.lastIndexOf("x ");
    if (at < 0) refuse(gettext("“%(line)s”: a show must name its finish card"));
    const finish = rest.slice(at + 2).trim();
    this.#held(seat.hand, [finish, ...cardsIn(rest.slice(0, at))], refuse);
    const how = this.file.result.get(`p${position}`)?.value.split(" ")[1];
    if (how === "wrong_show") {
      seat.isActive = false;
      return false;
    }
    seat.hand.splice(seat.hand.lastIndexOf(finish), 1);
    this.ending = "show";
    this.waiting = new Set(this.active().filter((other) => other !== position));
    if (!this.waiting.size) this.waiting = null;
    return true;
  }

  async #endTurn() {
    this.hasDrawn = null;
    this.passOn();
    if (this.ending || this.stock.length) return;
    if (this.reshuffles >= this.file.maxReshuffles || this.pile.length < 2) {
      this.ending = "exhausted";
      return;
    }
    await this.reshuffle();
    this.reshuffles += 1;
  }
}
