// Says what happened: quietly to screen readers, as a toast when the player must know.

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
    const wild = spokenCard(after.deal.wild);
    said.push(say(gettext("Deal %(no)s. Wild card: %(wild)s."), { no: after.deal.no, wild }));
  }
  for (const seat of after.seats) said.push(...changesOfSeat(before, after, seat));
  if (before.deal && before.deal.no === after.deal?.no) said.push(...movesOfCards(before, after));
  if (after.window && before.window?.id !== after.window.id) said.push(spokenQuestion(after.window));
  const mine = after.seats.find((seat) => seat.is_me);
  if (mine?.to_act && !before.seats.find((seat) => seat.is_me)?.to_act) said.push(gettext("Your turn."));
  return said.join(" ");
}

/** Where cards went; who moved them is known when one move alone lies between the views. */
function movesOfCards(before, after) {
  const { deal } = after;
  const card = (code) => ({ card: spokenCard(code, deal.wild_rank) });
  const grown = deal.open_pile.length - before.deal.open_pile.length;
  const acted = before.seats.find((seat) => seat.to_act);
  if (!acted || after.version !== before.version + 1) {
    return grown > 0 ? [say(gettext("On the open pile: %(card)s."), card(deal.open_pile.at(-1)))] : [];
  }
  if (grown > 0) return [discarded(acted, card(deal.open_pile.at(-1)))];
  const own = acted.is_me && after.me?.drawn;
  if (own && own !== before.me?.drawn) return [say(gettext("You drew %(card)s."), card(own))];
  const name = acted.handle;
  if (grown === -1) return [say(gettext("%(name)s took %(card)s."), { name, ...card(before.deal.open_pile.at(-1)) })];
  return deal.stock < before.deal.stock ? [say(gettext("%(name)s drew from the stock."), { name })] : [];
}

function discarded(seat, card) {
  if (seat.is_me) return say(gettext("You discarded %(card)s."), card);
  return say(gettext("%(name)s discarded %(card)s."), { name: seat.handle, ...card });
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
