// The buttons of the hand: each has a place of its own, and rests for a moment when it means another thing.

import { byId, el, say } from "./elements.js";
import { costs, whyNoShow } from "./groups.js";

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
  const price = say(gettext("Wrong show: %(points)s points."), { points: wrong.points });
  verdict.replaceChildren(el("b", {}, price), " ", el("span", {}, `${wrong.text}.`));
}
