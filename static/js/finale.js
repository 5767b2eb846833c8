// The end of a game: what was won, and what may come next: the same again, with the same people, a tournament.

import { byId, say } from "./elements.js";
import { celebrate } from "./motion.js";

const REFRESH_MS = 3000;
const SHOWN_HOURS = 48;

let hasCelebrated = false;
let hasAsked = false;

const isOver = (view) => view.phase === "finished" || view.phase === "cancelled";
const mineOf = (view) => view.seats.find((seat) => seat.is_me);

/** What the viewer has won in a finished game, or null. */
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

/** A seat at another table of this kind, at the same price. */
function drawAgain(view) {
  const form = byId("again-form");
  if (!form) return;
  import("./join_seed.js"); // Gives the coming deal a text of this browser.
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

/** The tournament that starts next, asked for once. */
async function offerTournament() {
  hasAsked = true;
  const { tournaments, tournamentsApi } = byId("finale").dataset;
  const answer = await fetch(tournamentsApi, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) return;
  const until = Date.now() + SHOWN_HOURS * 3600_000;
  const starts = (row) => Date.parse(row.starts_at);
  const coming = (await answer.json()).rows.filter((row) => starts(row) > Date.now() && starts(row) < until);
  const [next] = coming.sort((a, b) => starts(a) - starts(b));
  if (!next) return;
  const at = new Date(next.starts_at).toLocaleTimeString(document.documentElement.lang, { hour: "numeric", minute: "2-digit" });
  const link = byId("next-tournament");
  link.href = `${tournaments}${next.id}/`;
  link.textContent = say(gettext("Next tournament: %(name)s, %(time)s"), { name: next.name, time: at });
  link.hidden = false;
}

/** Look again while others may come to the rematch; the finished table itself changes no more. */
export function listenForFinale(currentView, { onRematch, onLook }) {
  byId("rematch").addEventListener("click", onRematch);
  setInterval(() => {
    if (currentView().rematch && document.visibilityState === "visible") onLook();
  }, REFRESH_MS);
}
