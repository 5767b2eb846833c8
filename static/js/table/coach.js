// Four tips in the first deal of a first game: draw, group, throw, declare. Each disappears once done.

import { byId } from "../elements.js";

const KEY = "rummy-coached";

const texts = () => ({
  draw: gettext("Your turn: tap the stock for a new card, or take the open one."),
  group: gettext("Tap cards that belong together, then Group. You need a pure sequence: three of one suit in a row."),
  throw: gettext("Now discard one card: tap it, then Discard. A double tap does both."),
  declare: gettext("Group thirteen cards: two sequences at least, one of them pure. Then tap the fourteenth and Declare."),
});
const TARGETS = { draw: "#stock, #open", group: "#group", throw: "#discard", declare: "#finish" };

let done = new Set(sessionStorage.getItem(KEY)?.split(" "));
let shown = null;

function finish(tip) {
  done.add(tip);
  sessionStorage.setItem(KEY, [...done].join(" "));
}

/** Return the tip for the next action if it has not been done before, or null. */
function tipFor(view, hand) {
  const legal = view.me?.legal ?? [];
  if (view.deal?.no !== 1 || view.phase !== "playing") return null;
  if (legal.includes("ds")) return done.has("draw") ? (done.has("throw") && !done.has("declare") ? "declare" : null) : "draw";
  if (!legal.some((move) => move.startsWith("x "))) return null;
  finish("draw");
  if (!done.has("group") && hand.selected.size < 1) return "group";
  return done.has("throw") ? null : "throw";
}

function drawCoach({ view, hand }) {
  if (shown === "throw" && view.me && !view.me.legal.some((move) => move.startsWith("x "))) finish("throw");
  if (shown === "group" && hand.groups.length && hand.selected.size > 1) finish("group");
  const tip = tipFor(view, hand);
  for (const each of document.querySelectorAll(".is-coached")) each.classList.remove("is-coached");
  byId("coach").hidden = !tip;
  shown = tip;
  if (!tip) return;
  if (byId("coach-text").textContent !== texts()[tip]) byId("coach-text").textContent = texts()[tip];
  for (const target of document.querySelectorAll(TARGETS[tip])) target.classList.add("is-coached");
}

let latest = null; // The last `drawn` event.

byId("table").addEventListener("drawn", ({ detail }) => {
  latest = detail;
  drawCoach(detail);
});
byId("coach-next").addEventListener("click", () => {
  if (shown) finish(shown);
  if (latest) drawCoach(latest);
});
