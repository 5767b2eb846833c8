// How long it is till a start. Elements with data-starts also say what time it was on the server
// when they were made; from there on the page's own steady clock counts, so that neither a wrong
// clock of this device nor one set anew shows in it.

import { byId, say } from "./elements.js";

const TICK_MS = 250;
// Said aloud as so many seconds are left; the figures themselves are not read out.
const SAID_AT = [600, 300, 60, 0];

const seen = new WeakMap();
let shown = null;

function secondsLeft(element) {
  let start = seen.get(element);
  if (start === undefined) {
    const left = Date.parse(element.dataset.starts) - Date.parse(element.dataset.now);
    start = performance.now() + left;
    seen.set(element, start);
  }
  return Math.max(0, Math.ceil((start - performance.now()) / 1000));
}

export function wordsOf(seconds) {
  if (seconds <= 0) return gettext("any moment");
  const two = (number) => String(number).padStart(2, "0");
  const days = Math.floor(seconds / 86400);
  const minutes = Math.floor(seconds / 60);
  const clock = `${Math.floor(minutes / 60) % 24}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return days ? say(gettext("in %(days)s d %(clock)s"), { days, clock }) : say(gettext("in %(clock)s"), { clock });
}

function aloud(seconds) {
  if (!SAID_AT.some((mark) => shown > mark && seconds <= mark)) return null;
  if (seconds === 0) return gettext("It starts any moment.");
  const minutes = Math.ceil(seconds / 60);
  return say(ngettext("It starts in %(minutes)s minute.", "It starts in %(minutes)s minutes.", minutes), { minutes });
}

function tick() {
  const timers = document.querySelectorAll("[data-starts]");
  for (const timer of timers) {
    const words = wordsOf(secondsLeft(timer));
    if (timer.textContent !== words) timer.textContent = words;
  }
  // Of a list nothing is said aloud: which of them would it be?
  const said = byId("countdown-said");
  if (!said || timers.length !== 1) return;
  const seconds = secondsLeft(timers[0]);
  const words = shown === null ? null : aloud(seconds);
  if (words) said.textContent = words;
  shown = seconds;
}

// What htmx puts in is counted from the moment it comes.
document.body.addEventListener("htmx:afterSwap", tick);
setInterval(tick, TICK_MS);
tick();
