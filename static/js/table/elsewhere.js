// The player's other running games, and the banner of a ready tournament table.

import { byId, el, say, variantName } from "../elements.js";
import { play } from "./sound.js";

const TICK_MS = 1000;
const OFTEN_MS = 4000; // With other games running.
const SELDOM_MS = 30000;
const BANNER_MS = 5000;

const { running, table } = byId("games").dataset;
const kept = byId("running-games");
let games = kept ? JSON.parse(kept.textContent) : [];
let offset = 0; // Milliseconds by which the server's clock is ahead.

const others = () => games.filter((game) => game.id !== table);
const awaiting = () => others().filter((game) => game.your_turn);

function adopt(next) {
  const before = new Set(awaiting().map((game) => game.id));
  games = next;
  if (games[0]) offset = Date.parse(games[0].server_now) - Date.now();
  if (awaiting().some((game) => !before.has(game.id))) {
    play("turn");
    byId("live").textContent = say(gettext("%(name)s: your turn."), { name: awaiting()[0].name });
  }
  draw();
}

function textOf(game) {
  if (!game.your_turn) return variantName(game.variant);
  const left = Math.ceil((Date.parse(game.deadline) - Date.now() - offset) / 1000);
  return left > 0 ? say(gettext("Your turn · %(seconds)s s"), { seconds: left }) : gettext("Your turn");
}

function draw() {
  const rows = others();
  const button = byId("games-button");
  button.hidden = rows.length === 0;
  if (!rows.length) return;
  const count = awaiting().length;
  button.classList.toggle("is-call", count > 0);
  byId("games-count").textContent = String(rows.length);
  byId("games-text").textContent = count
    ? say(ngettext("Your turn in %(count)s other game", "Your turn in %(count)s other games", count), { count })
    : gettext("My other games");
  if (!byId("games").matches(":popover-open")) return;
  const focused = document.activeElement?.dataset?.game;
  byId("games-list").replaceChildren(...rows.map(row));
  if (focused) byId("games-list").querySelector(`[data-game="${focused}"]`)?.focus();
}

function row(game) {
  const text = el("span", { class: game.your_turn ? "tag live" : "soft" }, textOf(game));
  return el("li", {}, el("a", { href: `../${game.id}/`, "data-game": game.id }, el("b", {}, game.name), text));
}

async function look() {
  try {
    const answer = await fetch(running, { headers: { Accept: "application/json" } });
    if (answer.ok) adopt((await answer.json()).results);
  } catch {
    // Offline: the next poll tries again.
  }
}

function lookAgain() {
  const pause = others().length ? OFTEN_MS : SELDOM_MS;
  setTimeout(async () => {
    if (document.visibilityState === "visible") await look();
    lookAgain();
  }, pause);
}

// The banner of a tournament ("Your table is ready", "I am here"), without htmx.
const banner = () => document.getElementById("ready");

async function renewBanner() {
  try {
    const answer = await fetch(banner().getAttribute("hx-get"), { headers: { "HX-Current-URL": location.href } });
    // The next table of a tournament whose tables play one deal each.
    const next = answer.headers.get("HX-Redirect");
    if (next) location.assign(next);
    // Keep a button that is being pressed; the next poll replaces it.
    if (answer.ok && !banner().matches(":active")) {
      const part = document.createElement("template");
      part.innerHTML = await answer.text();
      banner().replaceWith(part.content);
      drawStanding();
    }
  } catch {
    // Offline: the next poll tries again.
  }
}

/** Show the points and rank of a tournament whose tables play one deal, in place of the deal's number. */
function drawStanding() {
  const own = document.getElementById("own-standing");
  byId("standing").hidden = byId("standing-line").hidden = !own;
  byId("subtitle").hidden = Boolean(own);
  if (!own) return;
  byId("standing").textContent = own.textContent;
  byId("standing-line").textContent = say(gettext("In the tournament: %(standing)s"), { standing: own.textContent });
}

/** Keep the banner and the list of games fresh; a page without a signed-in player has neither. */
export function listenElsewhere() {
  if (banner()) {
    renewBanner();
    setInterval(renewBanner, BANNER_MS);
  }
  if (!kept) return;
  adopt(games);
  byId("games").addEventListener("toggle", draw);
  setInterval(draw, TICK_MS);
  lookAgain();
}
