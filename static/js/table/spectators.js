// What spectators see of the hands, the consent of a player, and a spectator's way to the last deal's replay.

import { byId, el, say } from "../elements.js";

/** Return what is shown to spectators, as one sentence or two. */
export function openHandsText({ open_hands: { shown, needs_consent, agreed, players } }) {
  const figures = { agreed, players };
  if (!needs_consent) return gettext("Spectators see the hands of each deal after it has ended.");
  if (shown) return gettext("All players agreed: spectators see the hands of each deal after it has ended, from the next deal on.");
  return say(gettext("Spectators see the open pile, melds and points, but no hands: %(agreed)s of %(players)s players agreed to show them."), figures);
}

/** Return a link to the replay of the last deal with all hands, for spectators who may see it. */
export function lastDealLink(view) {
  const isShown = !view.open_hands.needs_consent || view.last_deal?.rows.some((row) => row.arrangement);
  if (view.me || !view.last_deal || !isShown) return null;
  const text = say(gettext("Replay deal %(no)s with all hands"), { no: view.last_deal.no });
  return el("p", {}, el("a", { class: "button", id: "watch-replay", href: `/tables/${view.id}/deals/${view.last_deal.no}/` }, text));
}

export function drawSpectators(view) {
  byId("watch-text").textContent = openHandsText(view);
  const button = byId("show-hands");
  if (!button) return;
  button.textContent = view.open_hands.mine ? gettext("Withdraw my consent") : gettext("Agree to show hands");
}
