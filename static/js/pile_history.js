// What lies in the open pile, newest first, on request.

import { cardFace } from "./cards.js";
import { byId, el, say } from "./elements.js";

let latest = null;

export function drawPileHistory(view) {
  latest = view;
  const count = view.deal?.open_pile.length ?? 0;
  byId("pile-history").disabled = count === 0;
  byId("pile-count").textContent = String(count);
  if (byId("pile").open) fill();
}

export function listenForPileHistory() {
  byId("pile-history").addEventListener("click", () => {
    fill();
    byId("pile").showModal();
  });
}

function fill() {
  const cards = [...(latest.deal?.open_pile ?? [])].reverse();
  const wild = latest.deal?.wild_rank ?? "";
  byId("pile-cards").replaceChildren(...cards.map((code) => el("li", {}, cardFace(code, wild))));
  const text = ngettext("%(count)s card, the newest first.", "%(count)s cards, the newest first.", cards.length);
  byId("pile-words").textContent = say(text, { count: cards.length });
}
