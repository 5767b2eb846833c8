// The reality check: money won and lost since sign-in, and the time left of the player's own limit.
// It is hidden while the player has a decision to make.

import { byId, say } from "../elements.js";

const MINUTE_MS = 60000;
const WARNED_BEFORE = 10; // Minutes before the own time limit is reached.
const AGAIN_MS = 30000; // After a failed request.
// Browsers fire longer timeouts at once.
const LONGEST_MS = 24 * 60 * MINUTE_MS;

let due = null; // The text to show.
let isAsked = false; // Whether the player has a decision to make.

const draw = () => {
  byId("reality").hidden = due === null || isAsked;
  if (!byId("reality").hidden && byId("reality-text").textContent !== due) byId("reality-text").textContent = due;
};

const minutesSince = (check) => Math.floor((Date.parse(check.server_now) - Date.parse(check.signed_in_at)) / MINUTE_MS);

function moneyText(check) {
  const minutes = minutesSince(check);
  const begun = say(ngettext("You signed in %(minutes)s minute ago.", "You signed in %(minutes)s minutes ago.", minutes), { minutes });
  const sums = check.money.map((sum) =>
    say(gettext("Put into games: %(paid)s. Returned: %(back)s. Still in games: %(held)s. Won or lost: %(net)s."), {
      paid: sum.paid.text,
      back: sum.back.text,
      held: sum.in_games.text,
      net: sum.net.text,
    }),
  );
  return [begun, ...(sums.length ? sums : [gettext("You have not paid for any game since then.")])].join(" ");
}

function timeText(check) {
  const figures = { played: check.played_minutes, limit: check.limit_minutes };
  return say(gettext("You have played for %(played)s of the %(limit)s minutes of your own limit in 24 hours."), figures);
}

/** Return the milliseconds until the next reminder of each kind, or null. */
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

async function remind(texts) {
  try {
    const check = await look();
    const said = texts.map((of) => of(check));
    if (said.length) due = said.join(" ");
    draw();
    schedule(check);
  } catch {
    setTimeout(remind, AGAIN_MS, texts); // Offline: try again later.
  }
}

function schedule(check) {
  const next = waits(check);
  const soonest = Math.min(next.money ?? LONGEST_MS, next.time ?? LONGEST_MS);
  if (soonest === LONGEST_MS) return;
  const texts = [next.money === soonest && moneyText, next.time === soonest && timeText].filter(Boolean);
  setTimeout(remind, soonest, texts);
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
  if (first.limit_minutes !== null && first.limit_minutes - first.played_minutes <= WARNED_BEFORE) due = timeText(first);
  draw();
  schedule(first);
}

begin(); // Not awaited.
