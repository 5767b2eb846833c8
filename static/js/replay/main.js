// Plays a finished deal on the felt. The page contains every step, so stepping sends no request.

import { byId, el, say } from "../elements.js";
import { listenForPileHistory } from "../table/piles.js";
import { drawStep, placesBefore, showMove } from "./board.js";
import { drawChances, stepAt } from "./chances.js";

const PACE_MS = 1200;
const COPIED_MS = 3000;
const ADDRESS_MS = 300; // Browsers limit how often the address may change.

const root = byId("replay");
const deal = JSON.parse(byId("deal").textContent);
const last = deal.steps.length - 1;
let step = Number(root.dataset.step);
let playing = null;
let writing = null;
let written = -ADDRESS_MS;

const linkTo = (ply) => byId("moves").querySelector(`[data-step="${ply}"]`);
const addressOf = (ply) => `${root.dataset.address}${ply}/`;

/** Describe the step: the player and the move; for screen readers also the coach's rating, which the list shows. */
function describe() {
  const link = linkTo(step);
  const name = link.parentElement.querySelector(".who")?.textContent ?? "";
  const rating = link.nextElementSibling?.matches(".coach-said") ? link.nextElementSibling.textContent.trim() : "";
  byId("step-text").replaceChildren(`${name} ${link.querySelector(".text").textContent.trim()} `, el("span", { class: "visually-hidden" }, rating));
}

function draw() {
  drawStep(deal, step, linkTo(step).dataset.better ?? "");
  describe();
  byId("slider").value = String(step);
  byId("slider").setAttribute("aria-valuetext", [say(gettext("Step %(step)s of %(last)s"), { step, last }), ...drawChances(step)].join(", "));
  byId("where").textContent = `${step} / ${last}`;
  for (const id of ["first", "previous"]) byId(id).disabled = step === 0;
  for (const id of ["next", "last"]) byId(id).disabled = step === last;
  byId("moves").querySelector("[aria-current]")?.removeAttribute("aria-current");
  linkTo(step).setAttribute("aria-current", "step");
  linkTo(step).scrollIntoView({ block: step === last ? "start" : "nearest" }); // The scoring follows the last move.
  if (!byId("dispute")) return;
  byId("dispute").href = `${addressOf(step)}dispute/`;
  byId("report").search = new URLSearchParams({ deal: deal.deal_no, step });
}

function writeAddress() {
  history.replaceState(null, "", addressOf(step));
  written = performance.now();
}

function go(to) {
  const next = Math.min(last, Math.max(0, to));
  if (next === step) return;
  const places = next === step + 1 ? placesBefore(deal.moves[step]) : null;
  step = next;
  draw();
  if (places) showMove(deal, step, places);
  clearTimeout(writing);
  writing = setTimeout(writeAddress, Math.max(0, written + ADDRESS_MS - performance.now()));
}

const button = byId("play");
const labels = { true: button.dataset.pause, false: button.ariaLabel };

function showPlaying(isPlaying) {
  button.classList.toggle("is-playing", isPlaying);
  button.ariaLabel = labels[isPlaying];
}

function pause() {
  clearTimeout(playing);
  playing = null;
  showPlaying(false);
}

function playOn() {
  playing = setTimeout(() => {
    go(step + 1);
    if (step === last) pause();
    else playOn();
  }, PACE_MS / Number(byId("speed").value));
}

function togglePlay() {
  if (playing) return pause();
  if (step === last) go(0);
  showPlaying(true);
  playOn();
}

/** Step as the player asked, and stop playing. */
function stepTo(to) {
  pause();
  go(to);
}

/** Share the link to this step, or copy it; without a clipboard show it. */
async function share() {
  const url = new URL(addressOf(step), location).href;
  const { textContent } = byId("share");
  try {
    if (navigator.share) return await navigator.share({ title: document.title, url });
    await navigator.clipboard.writeText(url);
    byId("share").textContent = gettext("Link copied");
    setTimeout(() => (byId("share").textContent = textContent), COPIED_MS);
  } catch (error) {
    if (error.name !== "AbortError") byId("step-text").textContent = url;
  }
}

const KEYS = {
  ArrowLeft: () => stepTo(step - 1),
  ArrowRight: () => stepTo(step + 1),
  Home: () => stepTo(0),
  End: () => stepTo(last),
  " ": togglePlay,
};

document.addEventListener("keydown", (event) => {
  const key = KEYS[event.key];
  const isTaken = event.target.closest("select, dialog, [popover]") || (event.key === " " && event.target.closest("button, a, summary"));
  if (!key || isTaken || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  key();
});
byId("moves").addEventListener("click", (event) => {
  const link = event.target.closest("[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stepTo(Number(link.dataset.step));
});
byId("slider").addEventListener("input", () => stepTo(byId("slider").valueAsNumber));
root.addEventListener("click", (event) => {
  if (event.target.closest("#chances svg")) stepTo(stepAt(event, last));
});
root.addEventListener("htmx:afterSwap", draw);
byId("first").addEventListener("click", KEYS.Home);
byId("previous").addEventListener("click", KEYS.ArrowLeft);
byId("next").addEventListener("click", KEYS.ArrowRight);
byId("last").addEventListener("click", KEYS.End);
byId("share").addEventListener("click", share);
button.addEventListener("click", togglePlay);
listenForPileHistory();
draw();
root.classList.remove("is-blank");
