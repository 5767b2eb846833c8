// Asks before something that cannot be taken back.

import { byId } from "./elements.js";

let stands = () => true;

/** Resolves to true when the player confirms; `holds(view)` tells whether the question still stands. */
export function ask({ title, body, yes, danger = false, holds = () => true }) {
  const dialog = byId("ask");
  stands = holds;
  byId("ask-title").textContent = title;
  byId("ask-body").replaceChildren(...body);
  const confirm = byId("ask-yes");
  confirm.textContent = yes;
  confirm.className = `button ${danger ? "danger" : "primary"}`;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Close an open question if the state it asked about is gone. */
export function withdrawQuestion(view) {
  const dialog = byId("ask");
  if (dialog.open && !stands(view)) dialog.close("no");
}
