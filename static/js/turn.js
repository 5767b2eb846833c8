// The line above the hand: whose turn it is, what to do and how long there is, on the server's time.

import { byId, say } from "./elements.js";
import { play } from "./sound.js";

const URGENT_SECONDS = 10;
let warnedFor = null;

/** What happens now, in words. */
export function turnText(view) {
  const legal = view.me?.legal ?? [];
  if (legal.includes("ds") || legal.includes("do")) return gettext("Draw a card");
  if (legal.some((action) => action.startsWith("x "))) return gettext("Discard or declare");
  if (legal.includes("meld")) return gettext("Send your groups");
  const acting = view.seats.find((seat) => seat.to_act);
  if (view.phase === "playing" && acting) return say(gettext("%(name)s is playing"), { name: acting.handle });
  return (
    {
      waiting: gettext("Waiting for players"),
      toss: gettext("Toss"),
      showing: gettext("Everybody sends their groups"),
      settling: gettext("Scoring"),
      between: gettext("Next deal soon"),
      rejoin: gettext("Rejoin window"),
      split: gettext("Split offer"),
      finished: gettext("Game over"),
      cancelled: gettext("Cancelled"),
    }[view.phase] ?? ""
  );
}

/** Show the countdown in words and as a ring around who is on turn; `time` is null when none runs. */
export function drawTime(view, time) {
  const mine = view.seats.find((seat) => seat.is_me);
  write(byId("seconds"), time ? say(gettext("%(count)s s"), { count: time.seconds }) : "");
  write(byId("extra"), time ? extraNote(time, mine) : "");
  drawMeter(view, time);
  for (const seat of document.querySelectorAll(".seat.to-act")) {
    seat.classList.toggle("in-extra", Boolean(time?.inExtra));
    seat.querySelector(".disc").style.setProperty("--left", String(time?.share ?? 0));
  }
  if (time) warn(view, time, mine);
}

/** A bar for the turn's own time and one for the bank of extra time behind it. */
function drawMeter(view, time) {
  const acting = view.seats.find((seat) => seat.to_act);
  byId("meter").hidden = !time;
  if (!time) return;
  const bank = Math.max(...view.seats.map((seat) => seat.extra_ms_left), 1);
  const extra = (acting?.extra_ms_left ?? 0) / bank;
  byId("meter").style.setProperty("--own", String(time.inExtra ? 0 : time.share));
  byId("meter").style.setProperty("--extra", String(time.inExtra ? extra * time.share : extra));
  byId("meter").classList.toggle("in-extra", time.inExtra);
}

/** Touch the page only when the words change: the clock ticks five times a second. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function extraNote(time, mine) {
  if (time.inExtra) return gettext("extra time");
  if (!mine?.to_act || mine.extra_ms_left <= 0) return "";
  return say(gettext("+%(count)s s extra"), { count: Math.ceil(mine.extra_ms_left / 1000) });
}

/** Once per turn, say aloud that time runs out. */
function warn(view, time, mine) {
  if (!mine?.to_act || time.seconds > URGENT_SECONDS || warnedFor === view.version) return;
  warnedFor = view.version;
  byId("live").textContent = say(gettext("%(count)s seconds left."), { count: time.seconds });
  play("late");
}

const TICK_MS = 200;

export class Clock {
  /** `onTick({seconds, share, inExtra})` several times a second; `onTick(null)` when nothing runs. */
  constructor(onTick) {
    this.onTick = onTick;
    this.offset = 0;
    this.full = 1;
    setInterval(() => this.tick(), TICK_MS);
  }

  adopt(view) {
    this.offset = Date.parse(view.server_now) - Date.now();
    const deadline = view.deadline && Date.parse(view.deadline);
    if (deadline !== this.deadline) this.full = Math.max(deadline - this.now(), 1000);
    this.deadline = deadline;
    this.extra = view.extra_deadline && Date.parse(view.extra_deadline);
    this.tick();
  }

  now() {
    return Date.now() + this.offset;
  }

  tick() {
    if (!this.deadline) {
      this.onTick(null);
      return;
    }
    const left = this.deadline - this.now();
    const inExtra = left <= 0 && Boolean(this.extra) && this.extra > this.deadline;
    const shown = inExtra ? this.extra - this.now() : left;
    const full = inExtra ? this.extra - this.deadline : this.full;
    this.onTick({
      seconds: Math.max(0, Math.ceil(shown / 1000)),
      share: Math.min(1, Math.max(0, shown / full)),
      inExtra,
    });
  }
}
