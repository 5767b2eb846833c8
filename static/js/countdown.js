// The time until a start, or an end (data-ends). Elements with data-starts also have the server's time of rendering; from
// there the page's monotonic clock counts, so that a wrong or changed device clock has no effect.

import { byId, say } from "./elements.js";

const TICK_MS = 250;
// Seconds left at which screen readers get an announcement.
const ANNOUNCED_AT = [600, 300, 60, 0];

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

export function textOf(seconds) {
  if (seconds <= 0) return gettext("any moment");
  const two = (number) => String(number).padStart(2, "0");
  const days = Math.floor(seconds / 86400);
  const minutes = Math.floor(seconds / 60);
  const clock = `${Math.floor(minutes / 60) % 24}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return days ? say(gettext("in %(days)s d %(clock)s"), { days, clock }) : say(gettext("in %(clock)s"), { clock });
}

function announcement(seconds, isEnd) {
  if (!ANNOUNCED_AT.some((limit) => shown > limit && seconds <= limit)) return null;
  if (seconds === 0) return isEnd ? gettext("It is over.") : gettext("It starts in a moment.");
  const minutes = Math.ceil(seconds / 60);
  if (isEnd) return say(ngettext("It ends in %(minutes)s minute.", "It ends in %(minutes)s minutes.", minutes), { minutes });
  return say(ngettext("It starts in %(minutes)s minute.", "It starts in %(minutes)s minutes.", minutes), { minutes });
}

function tick() {
  const timers = document.querySelectorAll("[data-starts]");
  for (const timer of timers) {
    const text = textOf(secondsLeft(timer));
    if (timer.textContent !== text) timer.textContent = text;
  }
  // Only a single timer is announced, not a list.
  const live = byId("countdown-live");
  if (!live || timers.length !== 1) return;
  const seconds = secondsLeft(timers[0]);
  const text = shown === null ? null : announcement(seconds, "ends" in timers[0].dataset);
  if (text) live.textContent = text;
  shown = seconds;
}

// Timers in htmx swaps start at once.
document.body.addEventListener("htmx:afterSwap", tick);
setInterval(tick, TICK_MS);
tick();
