// The turn bar and its clock, and the buttons of the turn.

import { byId, el, say } from "./elements.js";
import { costs, whyNoShow } from "./groups.js";
import { play } from "./look.js";

const URGENT_SECONDS = 10;
let warnedFor = null;

/** The text of what happens now. */
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

/** Show the countdown as text and as a ring around the seat on turn; `time` is null when none runs. */
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
  byId("live").textContent = say(ngettext("%(count)s second left.", "%(count)s seconds left.", time.seconds), { count: time.seconds });
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

// The buttons of the hand: each has a place of its own, and rests for a moment when it means another thing.

const REST_MS = 300; // So long a second tap, meant for what stood here before, finds nothing.

const meanings = new Map();

// By pointer, key or a reader's click: nothing presses a place that rests.
byId("actions").addEventListener("click", (event) => event.target.closest(".is-resting") && event.stopPropagation(), true);

/** Let a place rest when its meaning changes; the first one it gets is not a change. */
function rest(places, name, meaning) {
  const before = meanings.get(name);
  meanings.set(name, meaning);
  if (before === undefined || before === meaning) return;
  for (const place of places) {
    place.classList.add("is-resting");
    clearTimeout(place.resting);
    place.resting = setTimeout(() => place.classList.remove("is-resting"), REST_MS);
  }
}

/** The card that would finish: the selected one, or the only one outside complete groups. */
export function finishCard(hand) {
  return hand.onlySelected() ?? (hand.selected.size === 0 && hand.loose.length === 1 ? hand.loose[0] : null);
}

/** Whether the groups could stand with this finish card. */
function couldStand(hand, finish, wildRank) {
  if (finish === null) return false;
  return !whyNoShow(hand.groupsAsCodes({ without: finish }), hand.looseCodes({ without: finish }), wildRank);
}

export function drawButtons({ view, hand, wildRank, can }) {
  const only = hand.onlySelected();
  const isGroup = hand.isGroupSelected();
  const middle = ["drop", "show", "meld"].find(can) ?? "";
  byId("group").hidden = isGroup;
  byId("group").disabled = hand.selected.size < 2;
  byId("ungroup").hidden = !isGroup;
  byId("drop").hidden = middle !== "drop";
  byId("drop").textContent = say(gettext("Drop (%(points)s)"), { points: view.me?.drop_points });
  byId("discard").hidden = !can("x");
  byId("discard").disabled = only === null;
  byId("declare").hidden = middle !== "show";
  byId("declare").disabled = !couldStand(hand, finishCard(hand), wildRank);
  byId("finish").disabled = only === null || !can("show");
  byId("send").hidden = middle !== "meld";
  rest([byId("group"), byId("ungroup")], "group", isGroup);
  rest([byId("drop"), byId("declare"), byId("send")], "middle", middle);
  rest([byId("discard")], "last", can("x"));
  drawCost(view, hand, wildRank);
}

/** What the hand costs as it lies; the card about to be thrown does not count. */
function drawCost(view, hand, wildRank) {
  byId("laid").hidden = !hand.cards.size || !view.me?.hand.length;
  const without = hand.cards.size > 13 ? hand.onlySelected() : null;
  const { total, isSafe } = costs(hand.groupsAsCodes({ without }), hand.looseCodes({ without }), wildRank, {
    cap: view.cap,
    mayShow: without !== null,
    paysHalf: view.me?.pays_half,
  });
  byId("laid-points").textContent = String(total);
  byId("laid").title = isSafe ? "" : gettext("Every card counts until there are two sequences, one of them pure.");
}

/** In place of the buttons: why this deal goes on without the player, and what it cost. */
export function drawVerdict(view, status) {
  const verdict = byId("verdict");
  const wrong = view.me?.wrong_show;
  verdict.hidden = status !== "dropped" && !(wrong && status === "wrong_show");
  if (verdict.hidden) return;
  if (status === "dropped") {
    verdict.replaceChildren(gettext("You dropped. The next deal starts when this one is over."));
    return;
  }
  const price = say(ngettext("Wrong show: %(points)s point.", "Wrong show: %(points)s points.", wrong.points), { points: wrong.points });
  verdict.replaceChildren(el("b", {}, price), " ", el("span", {}, `${wrong.text}.`));
}
