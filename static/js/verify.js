// The verify page: takes history files from disk, or one from the text field or the deal's URL.

import { BadFile, readFile } from "./deal_file.js";
import { byId, el, say } from "./elements.js";
import { checksOf, follow } from "./fair_deal.js";
import { recall, seenAsText } from "./seen.js";

const form = byId("verify");

function show(kind, title, detail = "") {
  byId("checks").append(el("li", { class: kind }, el("span", {}, title), detail ? el("code", {}, detail) : ""));
}

const seenOf = (file) => (file.table ? recall(file.table, file.deal) : null);

/** Show the verdict of a judgement that returns its sentence, or throws `BadFile`. */
async function judge(work) {
  byId("checks").replaceChildren();
  byId("verdict").hidden = false;
  if (!crypto.subtle) {
    byId("verdict-title").textContent = gettext("Browsers compute hashes on HTTPS pages only. Open this page over HTTPS.");
    return;
  }
  byId("verdict-title").textContent = gettext("Checking…");
  try {
    byId("verdict-title").textContent = await work();
    byId("verdict").scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    show("bad", gettext("This is not a history file"), error.message);
    byId("verdict-title").textContent = gettext("This file cannot be verified.");
  }
}

/** Run the checks of one file until one fails; the later ones are shown as not run. */
async function judgeOne(text) {
  const file = readFile(text);
  show("good", say(gettext("A history file of a deal of %(players)s players"), { players: file.players }));
  const seen = seenOf(file);
  const checks = checksOf(file, seen);
  for (const [at, check] of checks.entries()) {
    try {
      await check.run();
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      show("bad", check.title, error.message);
      checks.slice(at + 1).forEach((later) => show("open", later.title));
      return gettext("Verification failed: the file is not correct.");
    }
    show("good", check.title);
  }
  if (!file.isBound) show("open", gettext("This file is of an older format: nothing binds its moves and rules."));
  if (!seen) show("open", gettext("Compare the commitment with the one you saw before the deal:"), file.commitment.value);
  return gettext("This deal is verified.");
}

/** Verify the files of a table, and that each deal continues the one before it. */
async function judgeAll(sources) {
  const files = [];
  for (const { name, text } of sources) {
    try {
      const file = { ...readFile(text), name };
      for (const check of checksOf(file, seenOf(file))) await check.run();
      files.push(file);
      show("good", name, seenOf(file) ? gettext("compared with what this browser saw") : "");
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      show("bad", name, error.message);
    }
  }
  if (files.length < sources.length) return gettext("Verification failed: a file is not correct.");
  const title = gettext("Each deal continues the one before it");
  try {
    follow(files);
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    show("bad", title, error.message);
    return gettext("Verification failed: the deals do not form a chain.");
  }
  show("good", title);
  return gettext("These deals are verified.");
}

async function openDeal(url) {
  const answer = await fetch(url);
  if (!answer.ok) return;
  byId("text").value = await answer.text();
  await judge(() => judgeOne(byId("text").value));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  judge(() => judgeOne(byId("text").value));
});
byId("file").addEventListener("change", async (event) => {
  const files = [...event.target.files];
  if (!files.length) return;
  byId("file-name").textContent = files.map((file) => file.name).join(", ");
  const sources = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
  byId("text").value = sources.length > 1 ? "" : sources[0].text;
  await judge(() => (sources.length > 1 ? judgeAll(sources) : judgeOne(sources[0].text)));
});
byId("seen").addEventListener("click", (event) => {
  event.target.href = URL.createObjectURL(new Blob([seenAsText()], { type: "text/plain" }));
});
if (form.dataset.file) openDeal(form.dataset.file);
