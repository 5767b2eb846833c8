// The verify page: takes a history file from disk, the text field or the deal's URL.

import { recall } from "./commitments.js";
import { BadFile, readFile } from "./deal_file.js";
import { byId, el, say } from "./elements.js";
import { checksOf } from "./fair_deal.js";

const form = byId("verify");

function show(kind, title, detail = "") {
  byId("checks").append(el("li", { class: kind }, el("span", {}, title), detail ? el("code", {}, detail) : ""));
}

/** Run the checks until one fails; the later ones are shown as not run. */
async function judge(text) {
  byId("checks").replaceChildren();
  byId("verdict").hidden = false;
  if (!crypto.subtle) {
    byId("verdict-title").textContent = gettext("Browsers compute hashes on HTTPS pages only. Open this page over HTTPS.");
    return;
  }
  byId("verdict-title").textContent = gettext("Checking…");
  try {
    const file = readFile(text);
    show("good", say(gettext("A history file of a deal of %(players)s players"), { players: file.players }));
    const remembered = file.table ? recall(file.table, file.deal) : null;
    const checks = checksOf(file, remembered);
    for (const [at, check] of checks.entries()) {
      try {
        await check.run();
      } catch (error) {
        if (!(error instanceof BadFile)) throw error;
        show("bad", check.title, error.message);
        checks.slice(at + 1).forEach((later) => show("open", later.title));
        byId("verdict-title").textContent = gettext("Verification failed: the file is not correct.");
        return;
      }
      show("good", check.title);
    }
    if (!remembered) show("open", gettext("Compare the commitment with the one you saw before the deal:"), file.commitment.value);
    byId("verdict-title").textContent = gettext("This deal is verified.");
    byId("verdict").scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    show("bad", gettext("This is not a history file"), error.message);
    byId("verdict-title").textContent = gettext("This file cannot be verified.");
  }
}

async function openDeal(url) {
  const answer = await fetch(url);
  if (!answer.ok) return;
  byId("text").value = await answer.text();
  await judge(byId("text").value);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  judge(byId("text").value);
});
byId("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  byId("file-name").textContent = file.name;
  byId("text").value = await file.text();
  await judge(byId("text").value);
});
if (form.dataset.file) openDeal(form.dataset.file);
