// Results in place of the cards, the end of a game, and the scores.

import { byId, el, figures, fill, number, say } from "../elements.js";
import { cardFace } from "./cards.js";
import { celebrate } from "./drag.js";
import { parseGroups } from "./groups.js";
import { lastDealLink, openHandsText } from "./spectators.js";

/** Phases whose results fill the screen; in the others the felt stays visible. */
const RESULTS = new Set(["between", "rejoin", "split", "finished", "cancelled"]);

const titles = () => ({
  waiting: gettext("Waiting for players"),
  toss: gettext("The toss decides the first player"),
  settling: gettext("The deal is being scored"),
  rejoin: gettext("Rejoin window"),
  split: gettext("Split offer"),
  between: gettext("The next deal starts soon"),
  finished: gettext("The game is over"),
  cancelled: gettext("The game was cancelled"),
});

/** Return the reason for my wrong show; with two players it ends the deal, so the scores show it too. */
function wrongShow(view) {
  const wrong = view.me?.wrong_show;
  return wrong && el("p", { class: "warn" }, el("b", {}, say(ngettext("Wrong show: %(points)s point.", "Wrong show: %(points)s points.", wrong.points), { points: wrong.points })), ` ${wrong.text}.`);
}

/** Draw another player's valid show until all players have answered. */
export function drawShow(view) {
  const showing = view.deal?.showing;
  const seat = showing && view.seats.find((each) => each.position === showing.by);
  byId("shown").hidden = !seat || seat.is_me;
  if (!seat || seat.is_me) return;
  const title = el("p", {}, el("b", {}, say(gettext("%(name)s declared:"), { name: seat.handle })));
  byId("shown").replaceChildren(title, arrangement(showing.groups.join(" | "), view.deal.wild_rank));
}

/** Draw the stage of this phase, shown in place of the hand. */
export function drawStage(view, isStage, wildRank) {
  const stage = byId("stage");
  stage.hidden = !isStage;
  const wrong = wrongShow(view);
  byId("table").classList.toggle("is-result", isStage && RESULTS.has(view.phase));
  if (!isStage) return;
  const parts = [el("h2", {}, titles()[view.phase] ?? gettext("You are watching"))];
  parts.push(...(bodies[view.phase]?.(view, wildRank) ?? between(view, wildRank)));
  if (!view.me) parts.push(lastDealLink(view) ?? el("p", { class: "soft" }, openHandsText(view)));
  if (wrong && RESULTS.has(view.phase)) parts.splice(1, 0, wrong);
  fill(stage, el("div", { class: "panel" }, ...parts));
}

function waiting(view) {
  const text = say(gettext("%(taken)s of %(max)s seats are taken. The game starts by itself."), {
    taken: view.seats.length,
    max: view.seats_max,
  });
  const line = el("p", {}, view.point_value ? gettext("The next deal starts when two players have large enough stacks.") : text);
  if (!view.me?.invite_code) return [line];
  const href = byId("invite-link").href;
  return [line, el("p", {}, el("a", { class: "button call", href }, gettext("Invite players")))];
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

/** Below the results: the players not ready for the next deal, and the Ready button. */
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

// The end of a game: the prize, and the next steps: play again, rematch, tournament.

const REFRESH_MS = 3000;
const SHOWN_HOURS = 48;

let hasCelebrated = false;
let hasAsked = false;

const isOver = (view) => view.phase === "finished" || view.phase === "cancelled";
const mineOf = (view) => view.seats.find((seat) => seat.is_me);

/** Return the viewer's prize in a finished game, or null. */
export function winOf(view) {
  const result = view.results?.find((row) => row.handle === mineOf(view)?.handle);
  return result?.prize.minor ? result.prize : null;
}

export function drawFinale(view, isBusy) {
  const finale = byId("finale");
  finale.hidden = !isOver(view);
  if (finale.hidden) return;
  if (winOf(view) && !hasCelebrated) celebrate();
  hasCelebrated = true;
  drawAgain(view);
  drawRematch(view, isBusy);
  if (view.me && !hasAsked) offerTournament();
}

/** Fill the form that takes a seat at another table of this kind at the same price. */
function drawAgain(view) {
  const form = byId("again-form");
  if (!form) return;
  import("../join.js"); // Adds a text of this browser to the shuffle.
  const entry = (view.entry.minor / 100).toFixed(2);
  form.elements.entry_min.value = form.elements.entry_max.value = entry;
}

function drawRematch(view, isBusy) {
  const button = byId("rematch");
  button.hidden = !view.rematch;
  button.disabled = isBusy;
  if (!view.rematch) return;
  const { joined } = view.rematch;
  button.textContent = joined.length
    ? say(gettext("Rematch: %(names)s waiting"), { names: joined.join(", ") })
    : say(gettext("Rematch for %(entry)s"), { entry: view.entry.text });
}

/** Show the tournament that starts next; requested once. */
async function offerTournament() {
  hasAsked = true;
  const { tournaments, tournamentsApi } = byId("finale").dataset;
  const answer = await fetch(tournamentsApi, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) return;
  const until = Date.now() + SHOWN_HOURS * 3600_000;
  const starts = (row) => Date.parse(row.starts_at);
  const coming = (await answer.json()).results.filter((row) => starts(row) > Date.now() && starts(row) < until);
  const [next] = coming.sort((a, b) => starts(a) - starts(b));
  if (!next) return;
  const shape = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: byId("finale").dataset.zone };
  const at = new Date(next.starts_at).toLocaleTimeString(document.documentElement.lang, shape);
  const link = byId("next-tournament");
  link.href = `${tournaments}${next.id}/`;
  link.textContent = say(gettext("Next tournament: %(name)s, %(time)s"), { name: next.name, time: at });
  link.hidden = false;
}

/** Poll while others can join the rematch; the finished table itself does not change. */
export function listenForFinale(currentView, { onRematch, onLook }) {
  byId("rematch").addEventListener("click", onRematch);
  setInterval(() => {
    if (currentView().rematch && document.visibilityState === "visible") onLook();
  }, REFRESH_MS);
}

// Scores: running totals, the last deal with all hands, and the final places.

const DEALS_SHOWN = 4; // The game's score sheet has them all.

const howNames = () => ({
  won: gettext("won the deal"),
  lost: gettext("lost"),
  first_drop: gettext("first drop"),
  middle_drop: gettext("middle drop"),
  wrong_show: gettext("wrong show"),
});

function rowOf(seat, isGone, cells) {
  const kind = [seat.is_me && "me", isGone && "gone"].filter(Boolean).join(" ") || null;
  return el("tr", { class: kind }, el("th", { scope: "row", title: seat.handle }, seat.is_me ? gettext("You") : seat.handle), ...cells);
}

/** Return the table of a points game: the last deal's amount and the stack of each seat. */
function stackTable(view) {
  const last = new Map(view.last_deal?.rows.map((row) => [row.handle, row.won]));
  const rows = view.seats.map((seat) => rowOf(seat, seat.status === "left", [number(last.get(seat.handle)?.text ?? "–"), number(seat.stack.text)]));
  return figures("scores", [gettext("Player"), [gettext("Last deal")], [gettext("Stack")]], rows);
}

function scoreTable(view) {
  if (view.point_value) return stackTable(view);
  const deals = view.scores.slice(-DEALS_SHOWN);
  const titles = [gettext("Player"), ...deals.map((deal) => [say(gettext("D%(no)s"), { no: deal.no })]), [view.deals ? gettext("Chips") : gettext("Total")]];
  if (view.seats.some((seat) => seat.drops_left !== null)) titles.push([gettext("Drops")]);
  const seats = [...view.seats].sort((a, b) => (a.number ?? 99) - (b.number ?? 99));
  return figures("scores", titles, seats.map((seat) => scoreRow(seat, deals)));
}

function scoreRow(seat, deals) {
  const isGone = seat.status === "out" || seat.status === "left";
  const points = deals.map((deal) => number(String(deal.points[seat.number] ?? "–"), rejoinMark(deal.rejoined[seat.number])));
  const drops = seat.drops_left === null ? null : number(isGone ? gettext("out") : String(seat.drops_left));
  return rowOf(seat, isGone, [...points, number(String(seat.chips ?? seat.total)), drops]);
}

/** Return the note that the seat rejoined after this deal at another total (RB 7.3). */
function rejoinMark(total) {
  if (total === undefined) return null;
  return el("small", { class: "rejoined" }, say(gettext("rejoined at %(total)s"), { total }));
}

/** Return "5H 6H 7H | KD KS KC / 9C QD" as small cards; the cards after the stroke counted. */
function arrangement(text, wildRank) {
  const { groups, loose } = parseGroups(text);
  const meld = (codes, kind) => el("span", { class: kind }, ...codes.map((code) => cardFace(code, wildRank)));
  const melds = groups.map((codes) => meld(codes, "meld"));
  if (loose.length) melds.push(meld(loose, "meld deadwood"));
  return el("div", { class: "meld-row" }, ...melds);
}

function lastDeal(view, wildRank) {
  const rows = [...view.last_deal.rows].sort((a, b) => a.points - b.points);
  const mine = view.seats.find((seat) => seat.is_me)?.handle;
  return el("ol", { class: "deal-rows" }, ...rows.map((row) => lastDealRow(row, mine, wildRank)));
}

function lastDealRow(row, mine, wildRank) {
  const how = howNames()[row.how] ?? row.how;
  return el(
    "li",
    {},
    el("span", { class: row.how === "won" ? "won" : null }, row.handle === mine ? gettext("You") : row.handle, ` · ${how}`),
    el("span", { class: "number" }, cameTo(row)),
    row.arrangement ? arrangement(row.arrangement, wildRank) : null,
  );
}

function totalOf(row) {
  if (row.chips !== null) return say(ngettext("%(chips)s chip", "%(chips)s chips", row.chips), { chips: row.chips });
  return say(ngettext("%(points)s point", "%(points)s points", row.total), { points: row.total });
}

function cameTo(row) {
  if (row.won) return say(gettext("%(points)s: %(won)s"), { points: row.points, won: row.won.text });
  if (row.chips !== null) return say(ngettext("%(points)s, %(chips)s chip", "%(points)s, %(chips)s chips", row.chips), { points: row.points, chips: row.chips });
  return say(gettext("%(points)s, total %(total)s"), { points: row.points, total: row.total });
}

function podium(view) {
  const rows = [...view.results].sort((a, b) => a.place - b.place);
  const mine = view.seats.find((seat) => seat.is_me)?.handle;
  return el(
    "ol",
    { class: "podium" },
    ...rows.map((row) =>
      el(
        "li",
        { class: row.place === 1 ? "first" : null },
        el("span", { class: "place" }, String(row.place)),
        el("span", {}, row.handle === mine ? gettext("You") : row.handle, ` · ${totalOf(row)}`),
        el("b", { class: "number" }, row.prize.minor ? row.prize.text : "–"),
      ),
    ),
  );
}

/** Draw the menu's scores; the last deal is hidden there while the stage shows it. */
export function drawFigures(view, wildRank, isStage) {
  byId("scores").replaceChildren(scoreTable(view));
  byId("last-box").hidden = !view.last_deal || (isStage && view.phase !== "finished");
  if (view.last_deal) byId("last").replaceChildren(lastDeal(view, view.last_deal.wild_rank ?? wildRank));
  if (byId("leave-form")) byId("leave-form").hidden = isOver(view);
}
