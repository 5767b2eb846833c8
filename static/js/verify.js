// The verify page: takes history files from disk, or one from the text field or the deal's URL.

import { readFile } from "./deal_file.js";
import { byId, say } from "./elements.js";
import { checksOf, follow } from "./fair_deal.js";
import { recall, seenAsText } from "./seen.js";
import { faultOf, judgeFiles, show } from "./verdict.js";

const seenOf = (file) => (file.table ? recall(file.table, file.deal) : null);

/** Run the checks of one file until one fails; the later ones are shown as not run. */
async function judgeOne(text) {
  const file = readFile(text);
  show("good", say(gettext("A history file of a deal of %(players)s players"), { players: file.players }));
  const seen = seenOf(file);
  let fault = null;
  for (const { title, run } of checksOf(file, seen)) {
    if (fault !== null) {
      show("open", title);
      continue;
    }
    fault = await faultOf(run);
    show(fault === null ? "good" : "bad", title, fault ?? "");
  }
  if (fault !== null) return gettext("Verification failed: the file is not correct.");
  if (!file.isBound) show("open", gettext("This file is of an older format: nothing binds its moves and rules."));
  if (!seen) show("open", gettext("Compare the commitment with the one you saw before the deal:"), file.commitment.value);
  return gettext("This deal is verified.");
}

/** Verify the files of a table, and that each deal continues the one before it. */
async function judgeAll(sources) {
  const files = [];
  for (const { name, text } of sources) {
    const fault = await faultOf(async () => {
      const file = { ...readFile(text), name };
      for (const check of checksOf(file, seenOf(file))) await check.run();
      files.push(file);
      show("good", name, seenOf(file) ? gettext("compared with what this browser saw") : "");
    });
    if (fault !== null) show("bad", name, fault);
  }
  if (files.length < sources.length) return gettext("Verification failed: a file is not correct.");
  const fault = await faultOf(() => follow(files));
  show(fault === null ? "good" : "bad", gettext("Each deal continues the one before it"), fault ?? "");
  return fault === null ? gettext("These deals are verified.") : gettext("Verification failed: the deals do not form a chain.");
}

const judge = judgeFiles(
  (sources) => (sources.length > 1 ? judgeAll(sources) : judgeOne(sources[0].text)),
  (message) => {
    show("bad", gettext("This is not a history file"), message);
    return gettext("This file cannot be verified.");
  },
);

async function openDeal(url) {
  const answer = await fetch(url);
  if (!answer.ok) return;
  byId("text").value = await answer.text();
  await judge([{ text: byId("text").value }]);
}

byId("seen").addEventListener("click", (event) => {
  event.target.href = URL.createObjectURL(new Blob([seenAsText()], { type: "text/plain" }));
});
const { file } = byId("verify").dataset;
if (file) openDeal(file);
