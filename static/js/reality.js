// The reality check: what was won and lost since sign-in, and how much of one's own time is left. It waits until
// no decision is the player's, and makes room for one.

import { byId, say } from "./elements.js";

const MINUTE_MS = 60000;
const WARNED_BEFORE = 10; // Minutes before one's own time is over.
const AGAIN_MS = 30000; // After a failed look.
// Browsers fire at once what lies further ahead than they can count.
const LONGEST_MS = 24 * 60 * MINUTE_MS;

let due = null; // The words that wait to be shown.
let isAsked = false; // Whether a decision is the player's.

const draw = () => {
  byId("reality").hidden = due === null || isAsked;
  if (!byId("reality").hidden && byId("reality-words").textContent !== due) byId("reality-words").textContent = due;
};

const minutesSince = (check) => Math.floor((Date.parse(check.server_now) - Date.parse(check.signed_in_at)) / MINUTE_MS);

function moneyWords(check) {
  const minutes = minutesSince(check);
  const begun = say(ngettext("You signed in %(minutes)s minute ago.", "You signed in %(minutes)s minutes ago.", minutes), { minutes });
  const sums = check.money.map((sum) =>
    say(gettext("Put into games: %(paid)s. Came back: %(back)s. Still in games: %(held)s. Won or lost: %(net)s."), {
      paid: sum.paid.text,
      back: sum.back.text,
      held: sum.in_games.text,
      net: sum.net.text,
    }),
  );
  return [begun, ...(sums.length ? sums : [gettext("You have paid into no game since.")])].join(" ");
}

function timeWords(check) {
  const figures = { played: check.played_minutes, limit: check.limit_minutes };
  return say(gettext("You have been at tables for %(played)s of the %(limit)s minutes you allow yourself in 24 hours."), figures);
}

/** Milliseconds until the next reminder of each kind; null where none comes. */
function waits(check) {
  const interval = check.interval_minutes * MINUTE_MS;
  const since = Date.parse(check.server_now) - Date.parse(check.signed_in_at);
  const left = check.limit_minutes === null ? null : check.limit_minutes - check.played_minutes;
  return {
    money: interval ? interval - (since % interval) : null,
    time: left === null || left <= 0 ? null : (left > WARNED_BEFORE ? left - WARNED_BEFORE : left) * MINUTE_MS,
  };
}

async function look() {
  const answer = await fetch(byId("reality").dataset.api, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

async function remind(words) {
  try {
    const check = await look();
    const said = words.map((of) => of(check));
    if (said.length) due = said.join(" ");
    draw();
    schedule(check);
  } catch {
    setTimeout(remind, AGAIN_MS, words); // Offline: the reminder comes later, not never.
  }
}

function schedule(check) {
  const next = waits(check);
  const soonest = Math.min(next.money ?? LONGEST_MS, next.time ?? LONGEST_MS);
  if (soonest === LONGEST_MS) return;
  const words = [next.money === soonest && moneyWords, next.time === soonest && timeWords].filter(Boolean);
  setTimeout(remind, soonest, words);
}

byId("table").addEventListener("drawn", ({ detail: { view } }) => {
  isAsked = Boolean(view.me?.legal.length) || Boolean(view.window?.mine?.can_answer);
  draw();
});
byId("reality-seen").addEventListener("click", () => {
  due = null;
  draw();
});

async function begin() {
  const first = await look().catch(() => null);
  if (first === null) {
    setTimeout(remind, AGAIN_MS, []);
    return;
  }
  if (first.limit_minutes !== null && first.limit_minutes - first.played_minutes <= WARNED_BEFORE) due = timeWords(first);
  draw();
  schedule(first);
}

begin(); // Nothing waits for it.
