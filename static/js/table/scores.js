// Scores: running totals, the last deal with all hands, and the final places.

import { cardFace } from "./cards.js";
import { byId, el, say } from "../elements.js";
import { parseGroups } from "./groups.js";

const DEALS_SHOWN = 4; // The game's score sheet has them all.

const howNames = () => ({
  won: gettext("won the deal"),
  lost: gettext("lost"),
  first_drop: gettext("first drop"),
  middle_drop: gettext("middle drop"),
  wrong_show: gettext("wrong show"),
});

/** Return the table of a points game: the last deal's amount and the stack of each seat. */
function stackTable(view) {
  const last = new Map(view.last_deal?.rows.map((row) => [row.handle, row.won]));
  const head = [gettext("Player"), gettext("Last deal"), gettext("Stack")].map((title, at) =>
    el("th", { scope: "col", class: at ? "number" : null }, title),
  );
  const rows = view.seats.map((seat) =>
    el(
      "tr",
      { class: [seat.is_me && "me", seat.status === "left" && "gone"].filter(Boolean).join(" ") || null },
      el("th", { scope: "row", title: seat.handle }, seat.is_me ? gettext("You") : seat.handle),
      el("td", { class: "number" }, last.get(seat.handle)?.text ?? "–"),
      el("td", { class: "number" }, seat.stack.text),
    ),
  );
  return el("table", { class: "figures scores" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

export function scoreTable(view) {
  if (view.point_value) return stackTable(view);
  const deals = view.scores.slice(-DEALS_SHOWN);
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, gettext("Player")),
    ...deals.map((deal) => el("th", { scope: "col", class: "number" }, say(gettext("D%(no)s"), { no: deal.no }))),
    el("th", { scope: "col", class: "number" }, view.deals ? gettext("Chips") : gettext("Total")),
    view.seats.some((seat) => seat.drops_left !== null) ? el("th", { scope: "col", class: "number" }, gettext("Drops")) : null,
  );
  const rows = [...view.seats]
    .sort((a, b) => (a.number ?? 99) - (b.number ?? 99))
    .map((seat) => scoreRow(view, seat, deals));
  return el("table", { class: "figures scores" }, el("thead", {}, head), el("tbody", {}, ...rows));
}

function scoreRow(view, seat, deals) {
  const gone = seat.status === "out" || seat.status === "left";
  const number = (value, rejoinedAt) => el("td", { class: "number" }, String(value ?? "–"), rejoinMark(rejoinedAt));
  return el(
    "tr",
    { class: [seat.is_me && "me", gone && "gone"].filter(Boolean).join(" ") || null },
    el("th", { scope: "row", title: seat.handle }, seat.is_me ? gettext("You") : seat.handle),
    ...deals.map((deal) => number(deal.points[seat.number], deal.rejoined[seat.number])),
    number(seat.chips ?? seat.total),
    seat.drops_left === null ? null : number(gone ? gettext("out") : seat.drops_left),
  );
}

/** Return the note that the seat rejoined after this deal at another total (RB 7.3). */
function rejoinMark(total) {
  if (total === undefined) return null;
  return el("small", { class: "rejoined" }, say(gettext("rejoined at %(total)s"), { total }));
}

/** Return "5H 6H 7H | KD KS KC / 9C QD" as small cards; the cards after the stroke counted. */
export function arrangement(text, wildRank) {
  const { groups, loose } = parseGroups(text);
  const meld = (codes, kind) => el("span", { class: kind }, ...codes.map((code) => cardFace(code, wildRank)));
  const melds = groups.map((codes) => meld(codes, "meld"));
  if (loose.length) melds.push(meld(loose, "meld deadwood"));
  return el("div", { class: "meld-row" }, ...melds);
}

export function lastDeal(view, wildRank) {
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

export function podium(view) {
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
  const isOver = view.phase === "finished" || view.phase === "cancelled";
  if (byId("leave-form")) byId("leave-form").hidden = isOver;
}
