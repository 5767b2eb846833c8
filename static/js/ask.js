// Asks before something that cannot be taken back.

import { byId } from "./elements.js";

/** Resolves to true when the player confirms; a question that lasts is not the present turn's. */
export function ask({ title, body, yes, danger = false, lasts = false }) {
  const dialog = byId("ask");
  dialog.dataset.lasts = lasts ? "yes" : "no";
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

/** Close an open question: the state it asked about is gone. */
export function withdrawQuestion() {
  const dialog = byId("ask");
  if (dialog.open && dialog.dataset.lasts !== "yes") dialog.close("no");
}
