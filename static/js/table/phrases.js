// Phrases and emotes from a fixed list, shown over the seat for some seconds unless muted.

import { byId, el, say } from "../elements.js";
import { speak, toast, toastFailure } from "./announce.js";

const SHOWN_MS = 6000;

const shown = new Map(); // The phrase shown for each player, by handle.
const receivedAt = new Map(); // Server times by handle: views repeat phrases that a socket has sent.
let wasAsked = false;

const isMuted = () => document.documentElement.dataset.phrases === "muted";
const seatOf = (handle) => [...document.querySelectorAll("[data-handle]")].find((seat) => seat.dataset.handle === handle);

/** Show a phrase over the disc only: card backs and piles stay visible. */
function show(handle, text) {
  const seat = seatOf(handle);
  seat?.querySelector(".said")?.remove();
  if (text) seat?.append(el("span", { class: text.length < 3 ? "said is-emote" : "said", "aria-hidden": "true" }, text));
}

/**
 * Draw the button for players at tables with other people (bots do not answer) and the shown phrases. An open
 * list closes when the player's turn begins, but not if it was opened during the turn.
 */
export function drawPhrases(view) {
  byId("phrases-button").hidden = !view.me || !view.seats.some((seat) => !seat.is_me && !seat.is_bot);
  const isAsked = Boolean(view.me?.legal.length || view.window?.mine?.can_answer);
  if (isAsked && !wasAsked && byId("phrases").matches(":popover-open")) byId("phrases").hidePopover();
  wasAsked = isAsked;
  for (const [handle, text] of shown) show(handle, text);
}

/** Receive the phrases in a view, for clients without a socket. */
export function receivePhrasesOf(view) {
  for (const { handle, said } of view.seats) if (said) receivePhrase({ handle, ...said }, view);
}

export function receivePhrase({ handle, text, spoken, at }, view) {
  const saidAt = Date.parse(at);
  if (saidAt <= (receivedAt.get(handle) ?? 0)) return;
  receivedAt.set(handle, saidAt);
  const isMine = view.seats.some((seat) => seat.is_me && seat.handle === handle);
  if (isMuted() && !isMine) return;
  shown.set(handle, text);
  show(handle, text);
  const isInSight = seatOf(handle)?.checkVisibility();
  if (!isInSight) toast(`${handle}: ${text}`, "said"); // The results cover the felt.
  else if (!isMine) speak(say(gettext("%(name)s says: %(words)s"), { name: handle, words: spoken }));
  setTimeout(() => {
    if (shown.get(handle) !== text) return;
    shown.delete(handle);
    show(handle, "");
  }, SHOWN_MS);
}

/** Connect the mute button with the setting in "Look and sound", which the browser stores. */
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
      await moves.post("phrases/", { phrase });
    } catch (error) {
      toastFailure(error);
    }
  });
}
