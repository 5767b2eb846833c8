// Straight rummy at the card table: the melds on the felt, and melding and laying off by tap, drag and key.

import { byId, el } from "../elements.js";
import { cardFace, pointsOf } from "./cards.js";

const LARGEST_REM = 3.2;
const SMALLEST_REM = 0.7;
const STEP = 0.92;

const table = byId("table");
const area = byId("melds");
const lay = byId("lay");
let now = null; // The last drawn {view, hand, can, play}.
let drawnAs = "";

const codesOf = (keys) => keys.map((key) => now.hand.cards.get(key));
const sameCards = (a, b) => a.length === b.length && [...a].sort().join() === [...b].sort().join();
const legal = (action) => (now.view.me?.legal ?? []).filter((text) => text.split(" ")[0] === action);

/** Return the move that melds these cards, or null. */
function meldOf(codes) {
  return legal("meld").find((text) => sameCards(text.split(" ").slice(1), codes)) ?? null;
}

/** Return the moves that lay this card off, on the meld `number` only if it is given. */
function layOffsOf(codes, number = null) {
  if (codes.length !== 1) return [];
  return legal("lay").filter((text) => {
    const [, card, meld] = text.split(" ");
    return card === codes[0] && (number === null || meld === String(number));
  });
}

/** Return the button's move: the selected cards, else the first group that is a meld. */
function moveOfButton() {
  const { hand } = now;
  if (hand.selected.size) {
    const codes = codesOf([...hand.selected]);
    return meldOf(codes) ?? layOffsOf(codes)[0] ?? null;
  }
  return hand.groups.map((keys) => meldOf(codesOf(keys))).find(Boolean) ?? null;
}

function ownerOf(meld) {
  const seat = now.view.seats.find((each) => each.position === meld.owner);
  return seat?.is_me ? gettext("You") : (seat?.handle ?? "");
}

function drawMelds() {
  const melds = now.view.deal?.melds ?? [];
  const selected = codesOf([...now.hand.selected]);
  const shown = JSON.stringify([melds, melds.map(ownerOf)]);
  area.hidden = !now.view.deal;
  if (shown !== drawnAs) {
    drawnAs = shown;
    area.replaceChildren(...melds.map(meldButton));
    fit();
  }
  for (const button of area.querySelectorAll("[data-meld]")) {
    const fits = now.can("lay") && layOffsOf(selected, button.dataset.meld).length > 0;
    button.classList.toggle("is-call", fits);
    button.setAttribute("aria-disabled", String(!fits));
  }
}

function meldButton(meld) {
  const cards = el("span", { class: "cards" }, ...meld.cards.map((code) => cardFace(code, "")));
  const button = el("button", { type: "button", class: "meld-open", "data-meld": String(meld.number) }, cards, el("span", { class: "owner", title: ownerOf(meld) }, ownerOf(meld)));
  button.addEventListener("click", () => layOff(codesOf([...now.hand.selected]), meld.number));
  return el("li", {}, button);
}

/** Make the cards as large as possible without scrolling or hiding a meld. */
function fit() {
  for (let size = LARGEST_REM; size > SMALLEST_REM; size *= STEP) {
    area.style.setProperty("--meld-w", `${size}rem`);
    if (area.scrollHeight <= area.clientHeight && area.scrollWidth <= area.clientWidth) return;
  }
}

function layOff(codes, number) {
  const [move] = now.can("lay") ? layOffsOf(codes, number) : [];
  if (move) now.play(move);
}

function drawButtons() {
  const { view, hand, can } = now;
  const isTurn = can("x"); // Melding is possible after the draw.
  const selected = codesOf([...hand.selected]);
  const isLayOff = selected.length === 1 && layOffsOf(selected).length > 0;
  byId("send").hidden = true; // There is no window for groups in this game.
  lay.hidden = !byId("drop").hidden;
  lay.textContent = isLayOff ? gettext("Lay off") : gettext("Meld");
  lay.disabled = !isTurn || moveOfButton() === null;
  if (isTurn && selected.length === 1 && !view.me.legal.includes(`x ${selected[0]}`)) {
    byId("discard").disabled = true;
    byId("discard").title = gettext("You have just taken this card from the open pile: you cannot discard it in the same turn.");
  } else {
    byId("discard").title = "";
  }
  const turns = can("turn");
  if (turns) {
    byId("stock").disabled = false;
    byId("stock").classList.add("is-call");
    byId("stock").setAttribute("aria-description", gettext("Turns the open pile over as a new stock."));
  }
  if (isTurn) byId("say").textContent = gettext("Meld, lay off or discard");
  else if (turns) byId("say").textContent = gettext("Take the open card, or turn the pile over");
}

/** Draw the points of the hand: every card counts, grouped or not. */
function drawCost() {
  const { ace_points: ace } = now.view.meld_rules;
  const cost = (code) => (code[0] === "A" ? ace : pointsOf(code, ""));
  const total = [...now.hand.cards.values()].reduce((sum, code) => sum + cost(code), 0);
  byId("laid-points").textContent = String(total);
  byId("laid").title = gettext("Points of the cards in your hand.");
}

table.addEventListener("drawn", ({ detail }) => {
  now = detail;
  drawMelds();
  drawButtons();
  drawCost();
});

/** Cards dropped on a meld are laid off; dropped beside the melds they make a new one. */
table.addEventListener("dropped", ({ detail: { keys, meld } }) => {
  const codes = codesOf(keys);
  const move = (meld ? layOffsOf(codes, meld)[0] : null) ?? meldOf(codes);
  if (move && now.can(move.split(" ")[0])) now.play(move);
});

lay.addEventListener("click", () => {
  const move = moveOfButton();
  if (move && now.can("x")) now.play(move);
});
byId("stock").addEventListener("click", () => now.can("turn") && now.play("turn"));
new ResizeObserver(fit).observe(area);
