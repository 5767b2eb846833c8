// What stands in the hand's place while there is no hand: waiting, the last deal, the result.

import { byId, el, say } from "./elements.js";
import { celebrate } from "./motion.js";
import { arrangement, lastDeal, podium } from "./scores.js";

const again = byId("again-form"); // Stands among the links of a finished game.
let celebrated = false;

/** Phases that fill the screen with figures; in the others the felt stays in sight. */
const RESULTS = new Set(["between", "rejoin", "split", "finished", "cancelled"]);

const titles = () => ({
  waiting: gettext("Waiting for players"),
  toss: gettext("The toss decides who leads"),
  settling: gettext("The deal is being scored"),
  rejoin: gettext("Rejoin window"),
  split: gettext("Split offer"),
  between: gettext("The next deal starts soon"),
  finished: gettext("The game is over"),
  cancelled: gettext("The game was cancelled"),
});

/** A valid show lies open until everybody has answered. */
export function drawShow(view) {
  const showing = view.deal?.showing;
  const seat = showing && view.seats.find((each) => each.position === showing.by);
  byId("shown").hidden = !seat || seat.is_me;
  if (!seat || seat.is_me) return;
  const title = el("p", {}, el("b", {}, say(gettext("%(name)s declared:"), { name: seat.handle })));
  byId("shown").replaceChildren(title, arrangement(showing.groups.join(" | "), view.deal.wild_rank));
}

/** Fill the stage for this phase; returns false when the hand should be shown instead. */
export function drawStage(view, wildRank) {
  const stage = byId("stage");
  const hasHand = Boolean(view.me?.hand.length);
  stage.hidden = hasHand;
  byId("table").classList.toggle("is-result", !hasHand && RESULTS.has(view.phase));
  if (hasHand) return false;
  const parts = [el("h2", {}, titles()[view.phase] ?? gettext("You are watching"))];
  parts.push(...(bodies[view.phase]?.(view, wildRank) ?? between(view, wildRank)));
  stage.replaceChildren(el("div", { class: "panel" }, ...parts));
  return true;
}

function waiting(view) {
  const text = say(gettext("%(taken)s of %(max)s seats are taken. The game starts by itself."), {
    taken: view.seats.length,
    max: view.seats_max,
  });
  return [el("p", {}, view.point_value ? gettext("The next deal starts when two have stacks that bear it.") : text)];
}

function between(view, wildRank) {
  if (!view.last_deal) return [];
  return [el("h3", {}, say(gettext("Deal %(no)s"), { no: view.last_deal.no })), lastDeal(view, wildRank)];
}

function finished(view) {
  const mine = view.seats.find((seat) => seat.is_me);
  const result = view.results?.find((row) => row.handle === mine?.handle);
  const parts = [];
  if (result?.prize.minor) {
    parts.push(el("p", { class: "win" }, say(gettext("You won %(prize)s. It is in your wallet."), { prize: result.prize.text })));
    if (!celebrated) celebrate();
    celebrated = true;
  }
  if (view.results) parts.push(podium(view));
  const { lobby, sheet } = byId("table").dataset;
  const links = [el("a", { class: "button", href: lobby }, gettext("Back to the lobby"))];
  if (again && mine) links.unshift(offerAgain(view));
  if (mine) links.push(el("a", { class: "button", href: sheet }, gettext("Score sheet")));
  parts.push(el("p", { class: "form-actions" }, ...links));
  return parts;
}

/** A seat at another table of this kind, at the same price. */
function offerAgain(view) {
  const entry = (view.entry.minor / 100).toFixed(2);
  again.elements.entry_min.value = again.elements.entry_max.value = entry;
  again.hidden = false;
  return again;
}

const none = () => [];
const bodies = { waiting, finished, toss: none, playing: none };
