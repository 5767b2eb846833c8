// Joining a table: the seed for the shuffle.

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
