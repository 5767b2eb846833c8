// The turn bar with its clock, and the buttons of the turn.

import { byId, el, say } from "../elements.js";
import { costs, whyNoShow } from "./groups.js";
import { play } from "./sound.js";

const URGENT_SECONDS = 10;
let warnedFor = null;

/** Return the text of the turn bar. */
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
      showing: gettext("Players are sending their groups"),
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

/** Draw a bar for the turn's time, and one behind it for the extra time. */
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

/** Change the page only when the text changes: the clock ticks five times a second. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function extraNote(time, mine) {
  if (time.inExtra) return gettext("extra time");
  if (!mine?.to_act || mine.extra_ms_left <= 0) return "";
  return say(gettext("+%(count)s s extra"), { count: Math.ceil(mine.extra_ms_left / 1000) });
}

/** Announce once per turn that the time runs out. */
function warn(view, time, mine) {
  if (!mine?.to_act || time.seconds > URGENT_SECONDS || warnedFor === view.version) return;
  warnedFor = view.version;
  byId("live").textContent = say(ngettext("%(count)s second left.", "%(count)s seconds left.", time.seconds), { count: time.seconds });
  play("late");
}

const TICK_MS = 200;

export class Clock {
  /** Call `onTick({seconds, share, inExtra})` several times a second, `onTick(null)` when no time runs. */
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

// The buttons of the hand: each has a fixed place, which ignores clicks for a moment when its action changes.

const REST_MS = 300; // So long a second tap, meant for the previous action, is ignored.

const meanings = new Map();

// Also ignores keys and clicks of screen readers.
byId("actions").addEventListener("click", (event) => event.target.closest(".is-resting") && event.stopPropagation(), true);

/** Disable places for a moment when their action changes; the first action is not a change. */
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

/** Return the finish card's key: the selected card, or the only loose one; else null. */
export function finishCard(hand) {
  const rest = hand.ungrouped();
  return hand.onlySelected() ?? (hand.selected.size === 0 && rest.length === 1 ? rest[0] : null);
}

/** Return whether the groups could be a valid show with this finish card. */
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
  byId("discard").hidden = middle === "meld" && !can("x"); // "Send my groups" covers its place.
  byId("discard").disabled = only === null || !can("x");
  byId("declare").hidden = middle !== "show" && (middle !== "" || Boolean(view.meld_rules));
  byId("declare").disabled = middle !== "show" || !couldStand(hand, finishCard(hand), wildRank);
  byId("finish").disabled = only === null || !can("show");
  byId("send").hidden = middle !== "meld";
  rest([byId("group"), byId("ungroup")], "group", isGroup);
  rest([byId("drop"), byId("declare"), byId("send")], "middle", middle);
  rest([byId("discard")], "last", can("x"));
  drawCost(view, hand, wildRank);
}

/** Draw the points of the hand as arranged, without the card selected for discard. */
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

/** Draw, in place of the buttons, why the player is out of this deal and the points it cost. */
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
