// The page of balance proofs: checks a proof against the published root, as docs/solvency.md describes.

import { byId, say } from "./elements.js";
import { sha256 } from "./fair_stream.js";
import { BadFile, judgeFiles, show } from "./verdict.js";

// A whole text has one meaning only. Its first six lines are the hashed text of the leaf.
const PROOF =
  /^(?<leaf>rummy balance 1\n(?<day>\d{4}-\d\d-\d\d)\n(?<currency>[A-Z]{3})\n(?<holder>[0-9a-z:-]{1,80})\n[0-9a-f]{32}\n(?<balance>0|[1-9]\d{0,17})\n)root (?<root>[0-9a-f]{64}) (?<total>0|[1-9]\d{0,17})\n(?<path>(?:(?:left|right) [0-9a-f]{64} (?:0|[1-9]\d{0,17})\n){0,40})$/;

/** Return the root's hash and sum that follow from the proof. */
async function rootOf({ leaf, balance, path }) {
  let hash = await sha256(leaf);
  let sum = BigInt(balance);
  for (const [, side, beside] of path.matchAll(/(\w+) (.+)/g)) {
    const here = `${hash} ${sum}`;
    hash = await sha256(`rummy sum 1\n${side === "left" ? `${beside}\n${here}` : `${here}\n${beside}`}\n`);
    sum += BigInt(beside.split(" ")[1]);
  }
  return { hash, sum };
}

const amount = (minor, currency) => `${minor / 100n}.${String(minor % 100n).padStart(2, "0")} ${currency}`;

function require(isTrue, title, detail) {
  show(isTrue ? "good" : "bad", title, detail);
  if (!isTrue) throw new BadFile("");
}

/** Return the published row of the proof's day: of this page, or of that day's page if it can be loaded. */
async function publishedRow({ day, currency }) {
  const find = (page) => [...page.querySelectorAll("[data-root]")].find(({ dataset }) => dataset.day === day && dataset.currency === currency);
  const text = async () => (await fetch(`?day=${day}`)).text();
  // Without a connection the reader compares the root.
  return find(document) ?? text().then((page) => find(new DOMParser().parseFromString(page, "text/html")), () => undefined);
}

async function check(text) {
  const proof = PROOF.exec(`${text.trim().replaceAll("\r", "")}\n`)?.groups;
  if (!proof) throw new BadFile(gettext("This is not the text of a proof."));
  const { day, currency, holder, root } = proof;
  const mine = byId("verify").dataset.holder;
  const { hash, sum } = await rootOf(proof);
  show("good", say(gettext("A balance of %(amount)s at the end of %(day)s"), { amount: amount(BigInt(proof.balance), currency), day }));
  if (holder.includes(":")) show("open", gettext("It is the money of this game:"), holder);
  else if (mine) require(holder === mine, gettext("The account is yours"), holder);
  else show("open", gettext("Compare the account with yours:"), holder);
  require(hash === root && String(sum) === proof.total, gettext("The balance is part of the total"), amount(sum, currency));
  const published = await publishedRow(proof);
  if (!published) {
    show("open", gettext("Compare the root with the published one of that day:"), hash);
    return gettext("This proof fits its root, but that day’s root is not shown here. Compare it with the published one.");
  }
  require(published.dataset.root === hash && published.dataset.total === String(sum), gettext("Total and root are the published ones"), hash);
  return gettext("This proof is correct.");
}

judgeFiles(
  ([{ text }]) => check(text),
  (message) => {
    if (message) show("bad", message);
    return gettext("This proof is wrong. Keep it, and ask our staff about it.");
  },
);
