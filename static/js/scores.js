// Figures beside the table: running totals, the last deal with everybody's cards, the end.

import { cardFace } from "./cards.js";
import { el, say } from "./elements.js";
import { parseGroups } from "./groups.js";

const DEALS_SHOWN = 4; // The game's score sheet has them all.

const howNames = () => ({
  won: gettext("won the deal"),
  lost: gettext("lost"),
  first_drop: gettext("first drop"),
  middle_drop: gettext("middle drop"),
  wrong_show: gettext("wrong show"),
});

export function scoreTable(view) {
  const deals = view.scores.slice(-DEALS_SHOWN);
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, gettext("Player")),
    ...deals.map((deal) => el("th", { scope: "col", class: "number" }, say(gettext("D%(no)s"), { no: deal.no }))),
    el("th", { scope: "col", class: "number" }, gettext("Total")),
    el("th", { scope: "col", class: "number" }, gettext("Drops")),
  );
  const rows = [...view.seats]
    .sort((a, b) => (a.number ?? 99) - (b.number ?? 99))
    .map((seat) => scoreRow(seat, deals));
  return el("table", { class: "figures scores" }, el("thead", {}, head), el("tbody", {}, ...rows));
}

function scoreRow(seat, deals) {
  const gone = seat.status === "out" || seat.status === "left";
  const number = (value) => el("td", { class: "number" }, String(value ?? "–"));
  return el(
    "tr",
    { class: [seat.is_me && "me", gone && "gone"].filter(Boolean).join(" ") || null },
    el("th", { scope: "row" }, seat.is_me ? gettext("You") : seat.handle),
    ...deals.map((deal) => number(deal.points[seat.number])),
    number(seat.total),
    number(gone ? gettext("out") : seat.drops_left),
  );
}

/** "5H 6H 7H | KD KS KC / 9C QD" as small cards; what follows the stroke counted. */
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
    el("span", { class: "number" }, say(gettext("%(points)s, total %(total)s"), { points: row.points, total: row.total })),
    row.arrangement ? arrangement(row.arrangement, wildRank) : null,
  );
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
        el("span", {}, row.handle === mine ? gettext("You") : row.handle, ` · ${say(gettext("%(points)s points"), { points: row.total })}`),
        el("b", { class: "number" }, row.prize.minor ? row.prize.text : "–"),
      ),
    ),
  );
}
