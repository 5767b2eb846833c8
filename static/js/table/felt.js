// The felt: the seats around the table and the piles on it.

import { cardBack, cardFace, emptySlot, tossOrder } from "./cards.js";
import { byId, el, fill, say } from "../elements.js";

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
  byId("my-seat").className = below ? classOf(view, below) : "seat";
}

const TONES = 6; // The maximum number of seats at a table.

/** Return a seat's colour: chosen by the name, or the next one that no earlier seat has. */
function toneOf(view, seat) {
  const taken = new Set();
  for (const { handle } of view.seats) {
    let tone = [...handle].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % TONES;
    while (taken.has(tone) && taken.size < TONES) tone = (tone + 1) % TONES;
    if (handle === seat.handle) return tone;
    taken.add(tone);
  }
  return 0;
}

function classOf(view, seat) {
  const kinds = ["seat", `tone-${toneOf(view, seat)}`];
  if (seat.to_act) kinds.push("to-act");
  if (GONE.has(seat.status)) kinds.push("is-gone");
  return kinds.join(" ");
}

function disc(seat) {
  const parts = [el("b", { "aria-hidden": "true" }, seat.handle[0].toUpperCase())];
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

const missesOf = (seat) => say(gettext("%(count)s missed"), { count: seat.misses });

/** Return one card back for each card of the seat. */
function fan(seat) {
  const backs = GONE.has(seat.status) ? 0 : seat.cards;
  return el("span", { class: "fan", "aria-hidden": "true" }, ...Array.from({ length: backs }, () => cardBack()));
}

function seatItem(view, seat, where) {
  const state = stateNames()[seat.status] ?? (seat.misses ? missesOf(seat) : null);
  const item = el(
    "li",
    { class: `${classOf(view, seat)} ${where}`, "data-handle": seat.handle },
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

// The middle of the table: stock, wild card, open pile and finish slot; and the list of the open pile.

const stackOf = (id) => byId(id).querySelector(".stack");

/** Draw the piles; `may` has the piles that can be pressed now: {stock, open, finish}. */
export function drawPiles(view, may) {
  const deal = view.deal;
  byId("centre").hidden = !deal;
  if (!deal) return;
  const top = deal.open_pile.at(-1);
  const below = deal.open_pile.at(-2);
  const wild = deal.wild_rank;

  fill(
    stackOf("stock"),
    ...(deal.stock > 1 ? [cardBack("under")] : []),
    deal.stock ? cardBack() : emptySlot(),
    el("span", { class: "count" }, String(deal.stock)),
  );
  byId("wild").querySelector(".stack").replaceChildren(deal.wild ? cardFace(deal.wild, wild) : emptySlot());
  const under = below && cardFace(below, wild);
  under?.classList.add("under");
  under?.setAttribute("aria-hidden", "true");
  fill(stackOf("open"), ...(under ? [under] : []), top ? cardFace(top, wild) : emptySlot());
  const finish = deal.showing?.finish;
  fill(stackOf("finish"), finish ? cardFace(finish, wild) : emptySlot());

  press("stock", may.stock, gettext("Draws the top card of the stock."));
  press("open", may.open, gettext("Takes this card."));
  press("finish", may.finish, gettext("Declares with the selected card."));
}

/** Enable or disable a pile. Its accessible name is its content, so the action is a description. */
function press(id, isOpen, description) {
  const pile = byId(id);
  pile.disabled = !isOpen;
  pile.classList.toggle("is-call", isOpen && id !== "finish");
  if (isOpen) pile.setAttribute("aria-description", description);
  else pile.removeAttribute("aria-description");
}

let latest = null;
let askedFor = null;
let thrown = []; // The last answer of the server: {card, by}, bottom first.

export function drawPileHistory(view, moves) {
  latest = view;
  const count = view.deal?.open_pile.length ?? 0;
  byId("pile-history").disabled = count === 0;
  byId("pile-count").textContent = String(count);
  byId("pile-unit").textContent = ngettext("card", "cards", count);
  if (byId("pile").open) show(moves);
}

export function listenForPileHistory(moves) {
  byId("pile-history").addEventListener("click", () => {
    show(moves);
    byId("pile").showModal();
  });
}

/** List the pile; pushes do not contain who discarded each card, so request it here. */
async function show(moves) {
  listCards();
  const { version } = latest;
  if (askedFor === version) return;
  askedFor = version;
  try {
    thrown = (await moves.openPile()).cards;
  } catch {
    askedFor = null; // The cards are listed without names; the next call requests them again.
  }
  listCards();
}

function listCards() {
  const cards = (latest.deal?.open_pile ?? []).map((code, at) => item(code, thrown[at]));
  byId("pile-cards").replaceChildren(...cards.reverse());
  const text = ngettext("%(count)s card, the newest first.", "%(count)s cards, the newest first.", cards.length);
  byId("pile-text").textContent = say(text, { count: cards.length });
}

/** Return a card with its player's name; the name's line is reserved so that the layout does not shift. */
function item(code, thrown) {
  const name = thrown?.card === code ? nameOf(thrown.by) : "\u00a0";
  return el("li", {}, cardFace(code, latest.deal?.wild_rank ?? ""), el("span", { class: "by", title: name }, name));
}

function nameOf(handle) {
  if (handle === null) return gettext("turned up");
  return latest.seats.find((seat) => seat.handle === handle)?.is_me ? gettext("You") : handle;
}
