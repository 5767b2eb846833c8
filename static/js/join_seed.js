// Adds a text for the shuffle to the form that takes a seat: the player's own text or, for the last seat,
// where the cards are dealt at once, one generated from random bytes.

import { toHex } from "./elements.js";

const SEED_BYTES = 16;

document.addEventListener("submit", ({ target: form }) => {
  const isJoin = form.matches("[data-last-seat], [action$='/join/']");
  if (!isJoin || form.elements.client_seed) return;
  const typed = document.getElementById("own-seed")?.value ?? "";
  const made = "lastSeat" in form.dataset ? toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES))) : "";
  if (!typed && !made) return;
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "client_seed" });
  field.value = typed || made;
  form.append(field);
});
