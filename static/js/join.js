// Joining a table: the text for the shuffle, and the link of a private table.

import { byId, toHex } from "./elements.js";

const SEED_BYTES = 16;

// Add a text for the shuffle to a form that takes a seat: the player's own or, for the last seat, where
// the cards are dealt at once, one generated from random bytes. A page restored by the browser still
// has the text of the last time.
document.addEventListener("submit", ({ target: form, submitter }) => {
  form.querySelector("[data-seed]")?.remove();
  const isLast = "lastSeat" in form.dataset || "lastSeat" in (submitter?.dataset ?? {});
  const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  if (!(isLast || action.endsWith("/join/")) || form.elements.client_seed) return;
  const typed = byId("own-seed")?.value ?? "";
  const made = isLast ? toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES))) : "";
  if (!typed && !made) return;
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "client_seed" });
  field.dataset.seed = "";
  field.value = typed || made;
  form.append(field);
});

async function copy(link) {
  try {
    await navigator.clipboard.writeText(link);
    byId("copied").textContent = gettext("Copied.");
  } catch {
    // No permission to write: the player copies the selected text.
    byId("link").select();
    byId("copied").textContent = gettext("Copy the selected link.");
  }
}

async function share({ message, title, link }) {
  try {
    await navigator.share({ title, text: message });
  } catch (error) {
    if (error.name !== "AbortError") await copy(link);
  }
}

// The buttons that copy the link of a private table, or share it with the device's own dialog.
const invite = byId("invite");
if (invite) {
  if (navigator.clipboard) byId("copy").hidden = false;
  byId("copy").addEventListener("click", () => copy(invite.dataset.link));
  if (navigator.share) byId("share").hidden = false;
  byId("share").addEventListener("click", () => share(invite.dataset));
}
