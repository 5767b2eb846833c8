// Phrases and emotes: said from a fixed list, shown over the seat for some seconds, muted by choice.

import { speak, toast } from "./announce.js";
import { byId, el, say } from "./elements.js";
import { Refused } from "./server.js";

const SHOWN_MS = 6000;

const shown = new Map(); // What each player said last, by their name.
const heard = new Map(); // When, as the server tells it: a view repeats what a socket has sent.
let wasAsked = false;

const isMuted = () => document.documentElement.dataset.phrases === "muted";
const seatOf = (handle) => [...document.querySelectorAll("[data-handle]")].find((seat) => seat.dataset.handle === handle);

/** Lies over the disc alone: the card backs and the piles stay in sight. */
function show(handle, text) {
  const seat = seatOf(handle);
  seat?.querySelector(".said")?.remove();
  if (text) seat?.append(el("span", { class: text.length < 3 ? "said is-emote" : "said", "aria-hidden": "true" }, text));
}

/**
 * The button is for tables with other people; bots do not answer. The list makes way for a turn
 * that comes while it is open, and stays when it was opened during the turn.
 */
export function drawPhrases(view) {
  byId("phrases-button").hidden = !view.seats.some((seat) => !seat.is_me && !seat.is_bot);
  const isAsked = Boolean(view.me?.legal.length || view.window?.mine?.can_answer);
  if (isAsked && !wasAsked && byId("phrases").matches(":popover-open")) byId("phrases").hidePopover();
  wasAsked = isAsked;
  for (const [handle, text] of shown) show(handle, text);
}

/** What views say for the clients whose sockets are cut. */
export function hearPhrasesOf(view) {
  for (const { handle, said } of view.seats) if (said) hearPhrase({ handle, ...said }, view);
}

export function hearPhrase({ handle, text, spoken, at }, view) {
  const saidAt = Date.parse(at);
  if (saidAt <= (heard.get(handle) ?? 0)) return;
  heard.set(handle, saidAt);
  const isMine = view.seats.some((seat) => seat.is_me && seat.handle === handle);
  if (isMuted() && !isMine) return;
  shown.set(handle, text);
  show(handle, text);
  const isInSight = seatOf(handle)?.checkVisibility();
  if (!isInSight) toast(`${handle}: ${text}`, "said"); // The results have taken the felt's place.
  else if (!isMine) speak(say(gettext("%(name)s says: %(words)s"), { name: handle, words: spoken }));
  setTimeout(() => {
    if (shown.get(handle) !== text) return;
    shown.delete(handle);
    show(handle, "");
  }, SHOWN_MS);
}

/** The choice is the one of "Look and sound", which the browser keeps. */
function listenForMute() {
  const choice = document.querySelector("#look-box [name='phrases']");
  const draw = () => byId("mute").setAttribute("aria-pressed", String(isMuted()));
  byId("mute").addEventListener("click", () => {
    choice.value = isMuted() ? "shown" : "muted";
    choice.dispatchEvent(new Event("change", { bubbles: true }));
  });
  choice.form.addEventListener("change", () => {
    draw();
    if (isMuted()) for (const handle of shown.keys()) show(handle, "");
    if (isMuted()) shown.clear();
  });
  draw();
}

export function listenForPhrases(moves) {
  listenForMute();
  byId("phrases").addEventListener("click", async ({ target }) => {
    const { phrase } = target.dataset;
    if (!phrase) return;
    byId("phrases").hidePopover();
    try {
      await moves.say(phrase);
    } catch (error) {
      toast(error instanceof Refused ? error.message : gettext("The server cannot be reached. Please try again."));
    }
  });
}
