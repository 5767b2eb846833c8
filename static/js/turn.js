// The line above the hand: whose turn it is, what to do and how long there is.

import { byId, say } from "./elements.js";

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

export function drawTime(view, time) {
  const line = byId("time");
  line.replaceChildren();
  for (const disc of document.querySelectorAll(".seat .disc")) disc.style.removeProperty("--left");
  if (!time) return;
  line.append(say(gettext("%(count)s s"), { count: time.seconds }));
  const mine = view.seats.find((seat) => seat.is_me);
  if (time.inExtra || mine?.to_act) line.append(note(time.inExtra, mine));
  const acting = document.querySelector(".seat.to-act");
  acting?.classList.toggle("in-extra", time.inExtra);
  acting?.querySelector(".disc").style.setProperty("--left", String(time.share));
  warn(view, time, mine);
}

function note(inExtra, mine) {
  const small = document.createElement("small");
  const extra = Math.ceil((mine?.extra_ms_left ?? 0) / 1000);
  small.textContent = inExtra ? gettext("extra time") : say(gettext("+%(count)s s extra"), { count: extra });
  return small;
}

/** Once per turn, say aloud that time runs out. */
function warn(view, time, mine) {
  if (!mine?.to_act || time.seconds > URGENT_SECONDS || warnedFor === view.version) return;
  warnedFor = view.version;
  byId("live").textContent = say(gettext("%(count)s seconds left."), { count: time.seconds });
}
