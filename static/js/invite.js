// Copies the link of a private table, or shares it with the device's own dialog.

import { byId } from "./elements.js";

const { message, title, link } = byId("invite").dataset;

async function copy() {
  try {
    await navigator.clipboard.writeText(link);
    byId("copied").textContent = gettext("Copied.");
  } catch {
    // No permission to write: the player copies the selected text.
    byId("link").select();
    byId("copied").textContent = gettext("Copy the selected link.");
  }
}

async function share() {
  const content = { title, text: message };
  try {
    await navigator.share(content);
  } catch (error) {
    if (error.name !== "AbortError") await copy();
  }
}

if (navigator.clipboard) byId("copy").hidden = false;
byId("copy").addEventListener("click", copy);
if (navigator.share) byId("share").hidden = false;
byId("share").addEventListener("click", share);
