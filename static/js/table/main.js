// The card table: receives views from the server, draws them and sends moves.

import { byId, say, variantName } from "../elements.js";
import "../look.js";
import { Clock, drawButtons as drawActions, drawTime, drawVerdict, finishCard, turnText } from "./actions.js";
import { actsBetween, clearToasts, drawAway, drawLog, listenForReturn, placesOfOwn, showActs, speak, toast, toastFailure, whatHappened } from "./announce.js";
import { startDrag } from "./drag.js";
import { formatGroups, playBy } from "./groups.js";
import { Hand } from "./hand.js";
import { HandView } from "./hand_view.js";
import { drawPileHistory, drawPiles, listenForPileHistory, openPiles } from "./piles.js";
import { drawSeats } from "./seats.js";
import { Moves, TableSocket } from "./sockets.js";
import { play as sound, soundOf, wakeOnTouch } from "./sound.js";

const SAVE_MS = 600;
const SLOW_MS = 400;
const RETRY_MS = 5000;

const root = byId("table");
const { title } = document;
const moves = new Moves(root.dataset.api);
let view = JSON.parse(byId("first-view").textContent);
let hand = new Hand();
let dealNo = null;
let wildRank = "";
let isBusy = false;
let isSlow = false; // Whether the pending request has taken longer than SLOW_MS.
let saving = null;
let around = null; // The module around.js, once it is loaded.

const handView = new HandView(byId("hand"), hand, {
  onChange: (moved) => {
    drawButtons();
    if (moved) saveSoon();
  },
  onKey: pressByKey,
  onThrow: thrown,
});
const clock = new Clock((time) => {
  drawTime(view, time);
  around?.drawPromptTime(view, time);
});

const can = (action) => !isBusy && Boolean(view.me?.legal.some((legal) => legal.split(" ")[0] === action));

const KEYS = { 1: "stock", 2: "open", d: "discard", e: "declare", g: "group", m: "lay", s: "sort", u: "ungroup" };

/** Press the button or pile of a shortcut key; return whether the key has one. */
function pressByKey(key) {
  byId(KEYS[key])?.click();
  return key in KEYS;
}

function adopt(next) {
  if (next.version < view.version) return; // An older answer that arrives after a newer push.
  const before = view;
  view = next;
  const acts = actsBetween(before, view);
  const ownPlaces = placesOfOwn(acts);
  adoptHand();
  if (before.version !== view.version) {
    speak(whatHappened(before, view));
    sound(soundOf(before, view));
    around?.withdrawQuestion(view);
    if (before.phase !== view.phase) clearToasts();
  }
  draw();
  around?.receivePhrasesOf(view);
  showActs(acts, { view, ownPlaces, wildRank });
  clock.adopt(view);
}

function adoptHand() {
  if (view.deal?.wild_rank) wildRank = view.deal.wild_rank;
  if (view.deal && view.deal.no !== dealNo) {
    dealNo = view.deal.no;
    hand = handView.hand = new Hand();
  }
  if (!view.me) return;
  hand.wildRank = wildRank;
  const saved = view.me.groups.map((group) => group.split(" "));
  hand.adopt(view.me.hand, { saved, drawn: view.me.drawn });
}

function draw() {
  handView.wildRank = wildRank;
  const prize = (view.point_value ?? view.prize).text;
  const isMost = view.prize_is_most && !view.point_value;
  byId("prize").textContent = isMost ? say(gettext("up to %(prize)s"), { prize }) : prize;
  byId("subtitle").textContent = view.deal
    ? say(gettext("%(variant)s · deal %(no)s"), { variant: variantName(view.variant), no: view.deal.no })
    : variantName(view.variant);
  drawSeats(view);
  drawPiles(view);
  openPiles({ stock: can("ds"), open: can("do"), finish: can("show") && hand.onlySelected() !== null });
  drawPileHistory(view, moves);
  byId("say").textContent = isSlow ? gettext("Sending…") : turnText(view);
  const isMine = Boolean(view.me?.legal.length || view.window?.mine?.can_answer);
  byId("turn").classList.toggle("is-mine", isMine);
  document.title = isMine ? `● ${title}` : title;
  const isStage = !view.me?.hand.length;
  const status = view.seats.find((seat) => seat.is_me)?.status;
  const isOut = status === "dropped" || status === "wrong_show";
  byId("hand").hidden = isStage;
  byId("hand").classList.toggle("is-out", isOut);
  byId("hand").classList.toggle("is-my-draw", can("ds") || can("do"));
  byId("actions").hidden = isStage || isOut;
  if (!isStage) handView.draw();
  drawButtons();
  drawVerdict(view, isStage ? "" : status);
  drawAway(view);
  drawLog(view);
  around?.drawAround({ view, wildRank, isBusy, isStage, isOut, moves });
}

/** Draw the buttons, then notify a game's own module by the event `drawn`. */
function drawButtons() {
  drawActions({ view, hand, wildRank, can });
  root.dispatchEvent(new CustomEvent("drawn", { detail: { view, hand, can, play } }));
}

async function send(request) {
  if (isBusy) return;
  isBusy = true;
  draw();
  const waiting = setTimeout(() => {
    isSlow = true;
    draw();
  }, navigator.onLine ? SLOW_MS : 0);
  const answered = () => {
    clearTimeout(waiting);
    isBusy = isSlow = false;
  };
  try {
    const next = await request();
    answered();
    adopt(next);
  } catch (error) {
    answered();
    toastFailure(error);
    if (error.view) adopt(error.view);
    draw();
  }
  handView.keepFocus();
}

const play = (move) => send(() => moves.play(move, view.version));

function discard(key) {
  const code = hand.cards.get(key);
  if (can("x")) play(`x ${code}`);
}

async function declare(key) {
  const { askShow } = await loading;
  const move = await askShow({ hand, finishKey: key, wildRank, cap: view.cap });
  if (move && can("show")) play(move);
}

async function topUp() {
  const no = view.me.next_payment;
  const amount = await (await loading).askTopUp(view);
  if (amount) send(() => moves.post("top-up/", { amount_minor: amount, no }));
}

/** Pay the entry of the rematch and go to its table. */
function playAgain() {
  send(async () => {
    const seed = await (await loading).commitToSeed();
    const again = await moves.post("rematch/", seed ? { client_seed: seed } : {});
    location.assign(`../${again.id}/`);
    return view;
  });
}

function thrown(keys, pile, meld) {
  if (pile === "melds") return root.dispatchEvent(new CustomEvent("dropped", { detail: { keys, meld } }));
  if (keys.length !== 1) return;
  hand.selected.clear();
  hand.selected.add(keys[0]);
  if (pile === "open") discard(keys[0]);
  else if (can("show")) declare(keys[0]);
}

/** Draw a card by dragging it from a pile into the slot or a group. */
function dragFromPile(event, move) {
  if (!can(move)) return;
  const pile = event.currentTarget;
  startDrag(event, {
    cards: () => [pile.querySelector(".stack > .card:not(.under)")],
    button: pile,
    onStart: () => {},
    onDrop: async (spot) => {
      if (!spot?.group || !can(move)) return;
      await play(move);
      const isGroup = /^\d+$/.test(spot.group) && hand.drawn;
      if (isGroup) rearrange(() => hand.move([hand.drawn], Number(spot.group), spot.before));
    },
  });
}

function saveSoon() {
  if (!view.me || !view.deal) return;
  clearTimeout(saving);
  saving = setTimeout(() => {
    // The saved groups only restore the layout after a reload: a failure is ignored.
    moves.put("groups/", { groups: formatGroups(hand.groupsAsCodes()) }).catch(() => {});
  }, SAVE_MS);
}

/** Arrange the cards as the server suggests; only practice tables have the button. */
async function arrange() {
  try {
    const best = await moves.get("arrangement/");
    rearrange(() => hand.layOut(best));
    const cost = say(ngettext("Your hand is worth %(points)s point now.", "Your hand is worth %(points)s points now.", best.points), { points: best.points });
    const text = best.finish ? gettext("These groups can be declared with the selected card.") : cost;
    toast(`${text} ${best.advice}`.trim(), "success");
  } catch (error) {
    toastFailure(error);
  }
}

function rearrange(change) {
  change();
  handView.draw();
  drawButtons();
  saveSoon();
}

const onPress = (id, action) => byId(id)?.addEventListener("click", action);
onPress("stock", () => can("ds") && play("ds"));
onPress("open", () => can("do") && play("do"));
byId("stock").addEventListener("pointerdown", (event) => dragFromPile(event, "ds"));
byId("open").addEventListener("pointerdown", (event) => dragFromPile(event, "do"));
onPress("finish", () => declare(hand.onlySelected()));
onPress("sort", () => rearrange(() => hand.sort()));
onPress("arrange", arrange);
onPress("group", () => rearrange(() => hand.groupSelected()));
onPress("ungroup", () => rearrange(() => hand.ungroupSelected()));
onPress("discard", () => discard(hand.onlySelected()));
onPress("declare", () => declare(finishCard(hand)));
onPress("send", async () => {
  const { meldText } = await loading;
  if (can("meld")) send(() => moves.answer(meldText(hand, wildRank), view.window_id));
});
onPress("drop", async () => {
  const { askDrop } = await loading;
  const advice = byId("arrange") && moves.get("arrangement/");
  if ((await askDrop(view, advice)) && can("drop")) play("drop");
});
onPress("prompt-yes", () => send(() => moves.post(`windows/${view.window.id}/answer/`, { answer: "yes" })));
onPress("prompt-no", () => send(() => moves.post(`windows/${view.window.id}/answer/`, { answer: "no" })));
onPress("prompt-propose", () => send(() => moves.post("split/", { after_deal: view.me.split.after_deal })));
onPress("show-hands", () => send(() => moves.put("show-hands/", { agrees: !view.open_hands.mine })));
onPress("be-ready", () => send(() => moves.post("ready/")));
onPress("top-up", topUp);
onPress("sit-out", () => send(() => moves.post("sit-out/")));
onPress("come-back", () => send(() => moves.post("come-back/")));
byId("leave-form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { askLeave } = await loading;
  if (await askLeave(view)) event.target.submit();
});

listenForReturn(() => view);
listenForPileHistory(moves);
wakeOnTouch();
playBy(view.group_rules, view.meld_rules);
adoptHand();
draw();
root.classList.remove("is-blank");
clock.adopt(view);
const loading = import("./around.js");
loading.then(
  (module) => {
    around = module;
    around.listenAround(moves, () => view, { onRematch: playAgain, onLook: () => moves.get().then(adopt, () => {}) });
    draw();
    around.receivePhrasesOf(view);
  },
  () => setTimeout(() => location.reload(), RETRY_MS), // Browsers do not retry a failed import.
);
new TableSocket({
  socketUrl: root.dataset.socket,
  viewUrl: root.dataset.view,
  onView: adopt,
  onPhrase: (said) => loading.then((module) => module.receivePhrase(said, view), () => {}),
  onSessionOver: () => location.assign(root.dataset.signIn),
  onWire: (isLive) => {
    byId("banner").hidden = isLive;
    byId("wire").classList.toggle("is-cut", !isLive);
    byId("wire").setAttribute("aria-label", isLive ? gettext("Connected") : gettext("Disconnected"));
  },
});
