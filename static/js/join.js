// Joining a table: the seed for the shuffle, and the link of a private table.

import { byId } from "./elements.js";
import { commitToSeed } from "./shares.js";

// Made beforehand, because a form that is being sent does not wait for a hash.
const committed = await commitToSeed();

// Commit to a seed with every form that takes a seat: taking the last one closes the seeds at once. A
// page restored by the browser still has the field of the last time.
document.addEventListener("submit", ({ target: form, submitter }) => {
  form.querySelector("[data-seed]")?.remove();
  const isLast = "lastSeat" in form.dataset;
  const action = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  if (!committed || !(isLast || action.endsWith("/join/"))) return;
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "client_seed" });
  field.dataset.seed = "";
  field.value = committed;
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
