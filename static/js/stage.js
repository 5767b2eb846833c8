// What stands in the hand's place while there is no hand: waiting, the last deal, the result.

import { byId, el, say } from "./elements.js";
import { winOf } from "./finale.js";
import { arrangement, lastDeal, podium } from "./scores.js";

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

/** In a duel a wrong show ends the deal at once: its reason is shown with the scores, too. */
function wrongShow(view) {
  const wrong = view.me?.wrong_show;
  return wrong && el("p", { class: "warn" }, el("b", {}, say(gettext("Wrong show: %(points)s points."), wrong)), ` ${wrong.text}.`);
}

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
  const wrong = wrongShow(view);
  byId("table").classList.toggle("is-result", !hasHand && RESULTS.has(view.phase));
  if (hasHand) return false;
  const parts = [el("h2", {}, titles()[view.phase] ?? gettext("You are watching"))];
  parts.push(...(bodies[view.phase]?.(view, wildRank) ?? between(view, wildRank)));
  if (wrong && RESULTS.has(view.phase)) parts.splice(1, 0, wrong);
  stage.replaceChildren(el("div", { class: "panel" }, ...parts));
  return true;
}

function waiting(view) {
  const text = say(gettext("%(taken)s of %(max)s seats are taken. The game starts by itself."), {
    taken: view.seats.length,
    max: view.seats_max,
  });
  const words = el("p", {}, view.point_value ? gettext("The next deal starts when two have stacks that bear it.") : text);
  if (!view.me?.invite_code) return [words];
  const href = byId("invite-link").href;
  return [words, el("p", {}, el("a", { class: "button call", href }, gettext("Invite players")))];
}

function between(view, wildRank) {
  if (!view.last_deal) return [];
  return [el("h3", {}, say(gettext("Deal %(no)s"), { no: view.last_deal.no })), lastDeal(view, wildRank)];
}

function finished(view) {
  const won = winOf(view);
  const parts = [];
  if (won) parts.push(el("p", { class: "win" }, say(gettext("You won %(prize)s. It is in your wallet."), { prize: won.text })));
  if (view.results) parts.push(podium(view));
  return parts;
}

const none = () => [];
const bodies = { waiting, finished, toss: none, playing: none };

/** Below the results: who waits no longer for the next deal, and the button to say so. */
export function drawReady(view, isBusy) {
  const seats = view.phase === "between" && view.me ? view.seats.filter((seat) => seat.status === "playing") : [];
  const mine = seats.find((seat) => seat.is_me);
  byId("ready-bar").hidden = !mine || !(view.me.may_be_ready || mine.is_ready);
  if (byId("ready-bar").hidden) return;
  byId("be-ready").hidden = !view.me.may_be_ready;
  byId("be-ready").disabled = isBusy;
  const awaited = seats.filter((seat) => !seat.is_ready && !seat.is_me).map((seat) => seat.handle);
  const names = { names: awaited.join(", ") };
  byId("ready-text").textContent = awaited.length ? say(gettext("Waiting for %(names)s"), names) : "";
}
