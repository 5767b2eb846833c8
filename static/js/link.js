// The buttons that copy a link, or share it with the device's own dialog.

import { byId } from "./elements.js";

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

const invite = byId("invite");
if (invite) {
  if (navigator.clipboard) byId("copy").hidden = false;
  byId("copy").addEventListener("click", () => copy(invite.dataset.link));
  if (navigator.share) byId("share").hidden = false;
  byId("share").addEventListener("click", () => share(invite.dataset));
}
