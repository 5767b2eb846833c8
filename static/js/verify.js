// The verify page: takes a history file from disk, from the text field or from its deal's address.

import { recall } from "./commitments.js";
import { BadFile, readFile } from "./deal_file.js";
import { byId, el, say } from "./elements.js";
import { checksOf } from "./fair_deal.js";

const form = byId("verify");

function show(kind, title, detail = "") {
  byId("checks").append(el("li", { class: kind }, el("span", {}, title), detail ? el("code", {}, detail) : ""));
}

/** Run every check until one fails; what comes after it was not looked at. */
async function judge(text) {
  byId("checks").replaceChildren();
  byId("verdict").hidden = false;
  if (!crypto.subtle) {
    byId("verdict-title").textContent = gettext("Browsers calculate hashes on pages over HTTPS alone: please open this one there.");
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
        byId("verdict-title").textContent = gettext("This file does not tell the truth.");
        return;
      }
      show("good", check.title);
    }
    if (!remembered) show("open", gettext("Compare the commitment with the one you saw before the deal:"), file.commitment.value);
    byId("verdict-title").textContent = gettext("This deal checks out.");
    byId("verdict").scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    show("bad", gettext("This is no history file"), error.message);
    byId("verdict-title").textContent = gettext("This cannot be checked.");
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
