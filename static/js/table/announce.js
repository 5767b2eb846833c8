// Table events: card animations, the log of the last two moves, live-region texts and toasts.

import { byId, el, say } from "../elements.js";
import { cardBack, cardFace, shortCard, spokenCard } from "./cards.js";
import { fly } from "./drag.js";
import { Refused } from "./sockets.js";

const TOAST_MS = 6000;
const LONG = 45; // Longer toasts are set in smaller type.

/** Show a toast over the table's name; it replaces the previous one. */
export function toast(text, kind = "error") {
  const note = el("p", { class: `note ${kind}${text.length > LONG ? " is-long" : ""}` }, text);
  byId("toasts").replaceChildren(note);
  setTimeout(() => note.remove(), TOAST_MS);
}

/** Show why a request failed. */
export const toastFailure = (error) => toast(error instanceof Refused ? error.message : gettext("The server cannot be reached. Please try again."));

export const clearToasts = () => byId("toasts").replaceChildren();

export function speak(text) {
  if (text) byId("live").textContent = text;
}

const nameOf = (view, seat) => (seat.is_me ? gettext("You") : seat.handle);

/** Return the changes between two views as one or two sentences. */
export function whatHappened(before, after) {
  const said = [];
  if (before.deal?.no !== after.deal?.no && after.deal) {
    const sentence = after.deal.wild ? gettext("Deal %(no)s. Wild card: %(wild)s.") : gettext("Deal %(no)s.");
    said.push(say(sentence, { no: after.deal.no, wild: after.deal.wild && spokenCard(after.deal.wild) }));
  }
  for (const seat of after.seats) said.push(...changesOfSeat(before, after, seat));
  if (before.deal && before.deal.no === after.deal?.no) said.push(...movesOfCards(before, after));
  if (after.window && before.window?.id !== after.window.id) said.push(spokenQuestion(after.window));
  const mine = after.seats.find((seat) => seat.is_me);
  if (mine?.to_act && !before.seats.find((seat) => seat.is_me)?.to_act) said.push(gettext("Your turn."));
  return said.join(" ");
}

/** Return sentences for the moves, or for the new open card if more than two moves have passed. */
function movesOfCards(before, after) {
  const { deal } = after;
  const acts = actsBetween(before, after);
  const laid = newOnMelds(before.deal, deal).map((code) => spokenCard(code)).join(", ");
  if (acts.length) return acts.map((act) => spokenAct(act, deal.wild_rank, laid)).filter(Boolean);
  if (deal.open_pile.length <= before.deal.open_pile.length) return [];
  return [say(gettext("On the open pile: %(card)s."), { card: spokenCard(deal.open_pile.at(-1), deal.wild_rank) })];
}

/** Return the cards added to the melds on the table. */
function newOnMelds(before, after) {
  const lay = new Set(before.melds.flatMap((meld) => meld.cards));
  return after.melds.flatMap((meld) => meld.cards).filter((code) => !lay.has(code));
}

function spokenAct({ seat, kind, card }, wildRank, cards) {
  const values = { name: seat.handle, card: card && spokenCard(card, wildRank) };
  if (kind === "throw") return say(seat.is_me ? gettext("You discarded %(card)s.") : gettext("%(name)s discarded %(card)s."), values);
  if (cards && (kind === "meld" || kind === "lay")) {
    return say(seat.is_me ? gettext("You laid down %(cards)s.") : gettext("%(name)s laid down %(cards)s."), { ...values, cards });
  }
  if (kind !== "stock" && kind !== "open") return "";
  if (seat.is_me) return card ? say(gettext("You drew %(card)s."), values) : "";
  return say(card ? gettext("%(name)s took %(card)s.") : gettext("%(name)s drew from the stock."), values);
}

function changesOfSeat(before, after, seat) {
  const old = before.seats.find((other) => other.handle === seat.handle);
  if (!old) return [say(gettext("%(name)s sat down."), { name: nameOf(after, seat) })];
  if (old.status === seat.status) return [];
  const sentence = {
    dropped: gettext("%(name)s dropped."),
    wrong_show: gettext("%(name)s made a wrong show."),
    out: gettext("%(name)s is out."),
    left: gettext("%(name)s left."),
  }[seat.status];
  return sentence ? [say(sentence, { name: nameOf(after, seat) })] : [];
}

/** Return the sentence that announces a new question to the viewer. */
function spokenQuestion(window) {
  if (window.kind === "split") {
    const asked = { name: window.proposed_by, share: window.mine?.amount.text };
    return window.mine
      ? say(gettext("%(name)s proposes a split. Your share would be %(share)s."), asked)
      : say(gettext("%(name)s proposes a split."), asked);
  }
  if (!window.mine) return gettext("Players who are out may rejoin.");
  const offer = { fee: window.mine.amount.text, total: window.rows[0].total };
  const sentence = ngettext("You may rejoin for %(fee)s, at %(total)s point.", "You may rejoin for %(fee)s, at %(total)s points.", offer.total);
  return say(sentence, offer);
}

let seen = 0;

/** Draw the notice about moves the clock played; a move of the player or the button hides it. */
export function drawAway(view) {
  const played = view.me?.clock_played ? (view.seats.find((seat) => seat.is_me)?.misses ?? 0) : 0;
  if (played === 0) seen = 0;
  byId("away").hidden = played <= seen;
  if (played <= seen) return;
  const sentences = [
    say(ngettext("The clock played %(count)s turn for you.", "The clock played %(count)s turns for you.", played), { count: played }),
  ];
  const left = view.me.misses_left;
  if (left > 0) {
    sentences.push(say(ngettext("After %(left)s more missed turn your cards are dropped.", "After %(left)s more missed turns in a row your cards are dropped.", left), { left }));
  } else {
    sentences.push(gettext("Your cards were dropped."));
  }
  byId("away-text").textContent = sentences.join(" ");
}

/** Hide the notice on its button and on any action at the table. */
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

// The last two moves of a deal, as the server sends them, animated and logged.

const lastPly = (deal) => deal?.last_acts.at(-1)?.ply ?? 0;

/** Return the last acts with their seats, without those of players who have left. */
function actsOf(view) {
  const acts = view.deal?.last_acts ?? [];
  const seated = acts.map((act) => ({ ...act, seat: view.seats.find((seat) => seat.number === act.seat) }));
  return seated.filter((act) => act.seat);
}

/** Return the acts since the view before; none if the deal has changed. */
export function actsBetween(before, after) {
  if (before.deal?.no !== after.deal?.no) return [];
  const acts = actsOf(after).filter((act) => act.ply > lastPly(before.deal));
  const [first] = acts;
  if (first?.kind === "open" && first.ply === lastPly(before.deal) + 1) first.card ??= before.deal.open_pile.at(-1);
  return acts;
}

const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect();
const discOf = (seat) => boxOf(seat.is_me ? "#my-seat .disc" : `#seats [data-handle="${CSS.escape(seat.handle)}"] .disc`);

/** Return the positions of the own cards by code, before the hand is redrawn; a selected card wins over its twin. */
export function placesOfOwn(acts) {
  const places = new Map();
  if (!acts.some(({ seat }) => seat.is_me)) return places;
  for (const card of document.querySelectorAll("#hand [data-key]")) {
    const [code] = card.dataset.key.split("-");
    const isChosen = card.getAttribute("aria-pressed") === "true";
    if (isChosen || !places.has(code)) places.set(code, card.getBoundingClientRect());
  }
  return places;
}

/** Return the cards an act has melded or laid off, each with its position; none for other acts. */
function laidBy({ seat, kind, card }, { melds }) {
  const isOf = kind === "lay" ? (meld) => meld.cards.includes(card) : (meld) => meld.owner === seat.position;
  const meld = ["meld", "lay"].includes(kind) && melds.findLast(isOf);
  if (!meld) return [];
  const places = [...document.querySelectorAll(`#melds [data-meld="${meld.number}"] .card`)];
  const laid = meld.cards.map((code, at) => ({ code, place: places[at]?.getBoundingClientRect() }));
  return kind === "lay" ? laid.filter(({ code }) => code === card) : laid;
}

/** Animate the cards of these acts over the drawn table. */
export function showActs(acts, { view, ownPlaces, wildRank }) {
  for (const act of acts) {
    const { seat, kind, card } = act;
    for (const { code, place } of laidBy(act, view.deal)) {
      fly(cardFace(code, wildRank), (seat.is_me && ownPlaces.get(code)) || discOf(seat), place);
    }
    const face = card ? cardFace(card, wildRank) : cardBack();
    if (kind === "throw") fly(face, (seat.is_me && ownPlaces.get(card)) || discOf(seat), boxOf("#open .stack"));
    else if (kind === "stock" || kind === "open") {
      fly(face, boxOf(`#${kind} .stack`), seat.is_me ? boxOf("#hand .is-drawn") : discOf(seat));
    }
  }
}

const sentences = () => ({
  stock: gettext("%(name)s drew from the stock"),
  open: gettext("%(name)s took %(card)s"),
  throw: gettext("%(name)s discarded %(card)s"),
  drop: gettext("%(name)s dropped"),
  show: gettext("%(name)s declared"),
  meld: gettext("%(name)s laid a meld"),
  lay: gettext("%(name)s laid off %(card)s"),
  turn: gettext("%(name)s turned the pile over"),
  miss: gettext("%(name)s missed the turn"),
  leave: gettext("%(name)s left"),
});

/** Draw the last two acts; the second act of the same player omits the name. */
export function drawLog(view) {
  const acts = actsOf(view);
  const entries = acts.map(({ seat, kind, card }, at) => {
    const shown = card ? shortCard(card) : gettext("the open card");
    if (at > 0 && acts[0].seat === seat && kind === "throw") return say(gettext("discarded %(card)s"), { card: shown });
    const name = seat.is_me ? gettext("You") : seat.handle;
    return sentences()[kind] ? say(sentences()[kind], { name, card: shown }) : "";
  });
  const text = entries.filter(Boolean).join(" · ");
  byId("log").replaceChildren(el("span", { title: text }, text));
}
