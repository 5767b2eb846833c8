// Says what happened: quietly to screen readers, as a toast when the player must know.

import { actsBetween } from "./acts.js";
import { spokenCard } from "./cards.js";
import { byId, el, say } from "./elements.js";
import { spokenQuestion } from "./prompt.js";

const TOAST_MS = 6000;

/** One at a time, over the table's name. */
export function toast(text, kind = "error") {
  const note = el("p", { class: `note ${kind}` }, text);
  byId("toasts").replaceChildren(note);
  setTimeout(() => note.remove(), TOAST_MS);
}

export const clearToasts = () => byId("toasts").replaceChildren();

export function speak(text) {
  if (text) byId("live").textContent = text;
}

const nameOf = (view, seat) => (seat.is_me ? gettext("You") : seat.handle);

/** What changed between two views, in one or two sentences. */
export function whatHappened(before, after) {
  const said = [];
  if (before.deal?.no !== after.deal?.no && after.deal) {
    const words = after.deal.wild ? gettext("Deal %(no)s. Wild card: %(wild)s.") : gettext("Deal %(no)s.");
    said.push(say(words, { no: after.deal.no, wild: after.deal.wild && spokenCard(after.deal.wild) }));
  }
  for (const seat of after.seats) said.push(...changesOfSeat(before, after, seat));
  if (before.deal && before.deal.no === after.deal?.no) said.push(...movesOfCards(before, after));
  if (after.window && before.window?.id !== after.window.id) said.push(spokenQuestion(after.window));
  const mine = after.seats.find((seat) => seat.is_me);
  if (mine?.to_act && !before.seats.find((seat) => seat.is_me)?.to_act) said.push(gettext("Your turn."));
  return said.join(" ");
}

/** What was drawn and thrown, or at least what lies open now, where more than two acts have passed. */
function movesOfCards(before, after) {
  const { deal } = after;
  const acts = actsBetween(before, after);
  const laid = newOnMelds(before.deal, deal).map((code) => spokenCard(code)).join(", ");
  if (acts.length) return acts.map((act) => spokenAct(act, deal.wild_rank, laid)).filter(Boolean);
  if (deal.open_pile.length <= before.deal.open_pile.length) return [];
  return [say(gettext("On the open pile: %(card)s."), { card: spokenCard(deal.open_pile.at(-1), deal.wild_rank) })];
}

/** Cards that have come onto the melds of the table. */
function newOnMelds(before, after) {
  const lay = new Set(before.melds.flatMap((meld) => meld.cards));
  return after.melds.flatMap((meld) => meld.cards).filter((code) => !lay.has(code));
}

function spokenAct({ seat, kind, card }, wildRank, cards) {
  const words = { name: seat.handle, card: card && spokenCard(card, wildRank) };
  if (kind === "throw") return say(seat.is_me ? gettext("You discarded %(card)s.") : gettext("%(name)s discarded %(card)s."), words);
  if (cards && (kind === "meld" || kind === "lay")) {
    return say(seat.is_me ? gettext("You laid down %(cards)s.") : gettext("%(name)s laid down %(cards)s."), { ...words, cards });
  }
  if (kind !== "stock" && kind !== "open") return "";
  if (seat.is_me) return card ? say(gettext("You drew %(card)s."), words) : "";
  return say(card ? gettext("%(name)s took %(card)s.") : gettext("%(name)s drew from the stock."), words);
}

function changesOfSeat(before, after, seat) {
  const old = before.seats.find((other) => other.handle === seat.handle);
  if (!old) return [say(gettext("%(name)s sat down."), { name: nameOf(after, seat) })];
  if (old.status === seat.status) return [];
  const sentence = {
    dropped: gettext("%(name)s dropped."),
    wrong_show: gettext("%(name)s declared wrongly."),
    out: gettext("%(name)s is out."),
    left: gettext("%(name)s left."),
  }[seat.status];
  return sentence ? [say(sentence, { name: nameOf(after, seat) })] : [];
}

let seen = 0;

/** Tell of the clock's moves; a move of one's own, or the button, takes the news away. */
export function drawAway(view) {
  const played = view.me?.clock_played ? (view.seats.find((seat) => seat.is_me)?.misses ?? 0) : 0;
  if (played === 0) seen = 0;
  byId("away").hidden = played <= seen;
  if (played <= seen) return;
  const words = [
    say(ngettext("The clock played %(count)s turn for you.", "The clock played %(count)s turns for you.", played), { count: played }),
  ];
  const left = view.me.misses_left;
  if (left > 0) {
    words.push(say(ngettext("After %(left)s more your cards are dropped.", "After %(left)s more in a row your cards are dropped.", left), { left }));
  } else {
    words.push(gettext("Your cards were dropped."));
  }
  byId("away-words").textContent = words.join(" ");
}

/** The button takes the notice away, and so does any act at the table. */
export function listenForReturn(currentView) {
  const back = () => {
    seen = currentView().seats.find((seat) => seat.is_me)?.misses ?? 0;
    byId("away").hidden = true;
  };
  byId("table").addEventListener("pointerdown", (event) => byId("away").contains(event.target) || back());
  byId("table").addEventListener("keydown", (event) => byId("away").contains(event.target) || back());
  byId("back-again").addEventListener("click", () => {
    back();
    byId("hand").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  });
}
