// The seats around the table.

import { byId, el, say } from "../elements.js";
import { cardBack, cardFace, tossOrder } from "./cards.js";

const stateNames = () => ({
  dropped: gettext("dropped"),
  wrong_show: gettext("wrong show"),
  melded: gettext("groups sent"),
  out: gettext("out"),
  left: gettext("left"),
  sitting_out: gettext("sits out"),
  not_dealt_in: gettext("not in this deal"),
});

const GONE = new Set(["dropped", "wrong_show", "out", "left", "sitting_out", "not_dealt_in"]);

/** Return the other seats in turn order, starting with the player after me. */
export function othersInOrder(view) {
  const seats = [...view.seats].sort((a, b) => (a.number ?? 99) - (b.number ?? 99));
  const mine = seats.findIndex((seat) => seat.is_me);
  return mine < 0 ? seats : [...seats.slice(mine + 1), ...seats.slice(0, mine)];
}

export function drawSeats(view) {
  const others = othersInOrder(view);
  const shown = others.slice(0, 5);
  const free = view.phase === "waiting" || view.point_value ? view.seats_max - view.seats.length : 0;
  const count = Math.min(5, shown.length + free);
  const items = shown.map((seat, at) => seatItem(view, seat, `at-${at + 1}-of-${count}`));
  for (let at = shown.length; at < count; at += 1) {
    const where = `at-${at + 1}-of-${count}`;
    items.push(
      el("li", { class: `seat is-empty ${where}` }, el("span", { class: "disc" }), el("span", { class: "sub" }, gettext("free"))),
    );
  }
  byId("seats").replaceChildren(...items);
  // A spectator of a full table sees the sixth player in place of their own seat.
  const below = view.seats.find((seat) => seat.is_me) ?? others[5];
  byId("my-seat").replaceChildren(...(below ? seatBelow(view, below) : []));
  byId("my-seat").dataset.handle = below?.handle ?? "";
  byId("my-seat").className = below ? classOf(below) : "seat";
}

function classOf(seat) {
  const kinds = ["seat"];
  if (seat.to_act) kinds.push("to-act");
  if (GONE.has(seat.status)) kinds.push("is-gone");
  return kinds.join(" ");
}

// The address and the text of each avatar, by its name.
const avatars = JSON.parse(byId("avatars").textContent);

export function disc(seat) {
  const [src, alt] = avatars[seat.avatar];
  const parts = [el("img", { src, alt })];
  if (seat.dealer) parts.push(el("span", { class: "dealer", title: gettext("Dealer") }, gettext("D")));
  return el("span", { class: "disc" }, ...parts);
}

/** Return the figure that counts at this table as text: stack, chips or points. */
function standingOf(seat) {
  if (seat.stack) return seat.stack.text.split(" ")[0]; // The table bar shows the currency.
  if (seat.chips !== null) return say(ngettext("%(chips)s chip", "%(chips)s chips", seat.chips), { chips: seat.chips });
  return say(ngettext("%(points)s pt", "%(points)s pts", seat.total), { points: seat.total });
}

function pointsLine(view, seat) {
  const points = standingOf(seat);
  if (seat.drops_left === null) return points;
  const drops = say(ngettext("%(count)s drop", "%(count)s drops", seat.drops_left), { count: seat.drops_left });
  return `${points} · ${drops}`;
}

/** Return the toss card that gave this seat its number: the highest card leads (RB 5.1). */
function tossCard(view, seat) {
  if (view.phase !== "toss" || !seat.number) return "";
  const card = [...view.deal.toss].sort(tossOrder)[seat.number - 1];
  return card ? el("span", { class: "toss" }, cardFace(card, "")) : "";
}

export const missesOf = (seat) => say(gettext("%(count)s missed"), { count: seat.misses });

/** Return one card back for each card of the seat. */
function fan(seat) {
  const backs = GONE.has(seat.status) ? 0 : seat.cards;
  return el("span", { class: "fan", "aria-hidden": "true" }, ...Array.from({ length: backs }, () => cardBack()));
}

function seatItem(view, seat, where) {
  const state = stateNames()[seat.status] ?? (seat.misses ? missesOf(seat) : null);
  const item = el(
    "li",
    { class: `${classOf(seat)} ${where}`, "data-handle": seat.handle },
    disc(seat),
    tossCard(view, seat) || fan(seat),
    el("span", { class: "name", title: seat.handle }, seat.handle),
    view.phase !== "waiting" || seat.stack ? el("span", { class: "sub" }, standingOf(seat)) : "",
    state ? el("span", { class: "state" }, state) : "",
    seat.is_bot ? el("span", { class: "bot" }, gettext("bot")) : "",
  );
  if (seat.to_act) item.setAttribute("aria-current", "true");
  return item;
}

function seatBelow(view, seat) {
  const missed = seat.misses ? ` · ${missesOf(seat)}` : "";
  const line = view.phase === "waiting" ? "" : pointsLine(view, seat) + missed;
  const state = stateNames()[seat.status];
  return [
    disc(seat),
    tossCard(view, seat),
    el(
      "span",
      { class: "lines" },
      el("span", { class: "name", title: seat.handle }, seat.is_me ? gettext("You") : seat.handle),
      el("br"),
      el("span", { class: "sub" }, state ?? line),
    ),
  ];
}
