// The page of balance proofs: checks a proof against the published root, as docs/solvency.md describes.

import { byId, el, say } from "./elements.js";
import { sha256 } from "./fair_stream.js";

const FIELDS = ["format", "day", "currency", "holder", "nonce", "balance_minor", "index", "path", "total_minor", "root"];
// No value of a leaf contains a line feed, so that a leaf has one meaning only.
const TEXTS = { day: /^\d{4}-\d\d-\d\d$/, currency: /^[A-Z]{3}$/, holder: /^[0-9a-z:-]{1,80}$/, nonce: /^[0-9a-f]{32}$/, root: /^[0-9a-f]{64}$/ };
const NUMBERS = ["balance_minor", "total_minor", "index"];
const LONGEST_PATH = 40;
const MOST = 2n ** 63n;

class BadProof extends Error {}

/** Parse a whole number of the proof; JSON's own numbers are exact only up to 2 ** 53. */
function whole(text, name) {
  if (!/^(0|[1-9]\d{0,18})$/.test(text) || BigInt(text) >= MOST) throw new BadProof(say(gettext("“%(name)s” is not a whole number of 0 or more."), { name }));
  return BigInt(text);
}

function readProof(text) {
  let proof;
  try {
    proof = JSON.parse(text.replace(/("(?:balance_minor|total_minor|index)"\s*:\s*)(-?\d+)/g, '$1"$2"'));
  } catch {
    throw new BadProof(gettext("This is not the text of a proof."));
  }
  // A field is written once, plainly: JSON itself would take the last of several.
  const isOnce = text.match(/"\w+"\s*:/g)?.length === FIELDS.length && !/\\|_minor"\s*:\s*"|"index"\s*:\s*"/.test(text);
  const isProof = isOnce && Object.keys(proof).sort().join() === [...FIELDS].sort().join() && proof.format === "rummy balance 1" && Array.isArray(proof.path);
  const isText = (name, form) => typeof proof[name] === "string" && form.test(proof[name]);
  if (!isProof || !Object.entries(TEXTS).every(([name, form]) => isText(name, form)) || NUMBERS.some((name) => typeof proof[name] !== "string")) throw new BadProof(gettext("This is not the text of a proof."));
  if (proof.path.length > LONGEST_PATH || whole(proof.index, "index") >= 2n ** BigInt(proof.path.length)) throw new BadProof(gettext("The place of the balance is outside the tree."));
  return proof;
}

/** Return the root's hash and sum that follow from the proof. */
async function rootOf(proof) {
  let sum = whole(proof.balance_minor, "balance_minor");
  let hash = await sha256(`${proof.format}\n${proof.day}\n${proof.currency}\n${proof.holder}\n${proof.nonce}\n${sum}\n`);
  let index = BigInt(proof.index);
  for (const step of proof.path) {
    const parts = typeof step === "string" && /^([0-9a-f]{64}):(\d+)$/.exec(step);
    if (!parts) throw new BadProof(gettext("A step of the path is not a hash and a sum."));
    const sibling = [parts[1], whole(parts[2], "path")];
    const [left, right] = index % 2n ? [sibling, [hash, sum]] : [[hash, sum], sibling];
    hash = await sha256(`rummy sum 1\n${left[0]}\n${left[1]}\n${right[0]}\n${right[1]}\n`);
    sum += sibling[1];
    index /= 2n;
  }
  return { hash, sum };
}

const amount = (minor, currency) => `${minor / 100n}.${String(minor % 100n).padStart(2, "0")} ${currency}`;

function show(kind, title, detail = "") {
  byId("checks").append(el("li", { class: kind }, el("span", {}, title), detail ? el("code", {}, detail) : ""));
}

function require(isTrue, title, detail = "") {
  show(isTrue ? "good" : "bad", title, detail);
  if (!isTrue) throw new BadProof("");
}

/** Return the published row of the proof's day: of this page, or of that day's page if it can be loaded. */
async function publishedRow({ day, currency }) {
  const find = (page) => [...page.querySelectorAll("[data-root]")].find(({ dataset }) => dataset.day === day && dataset.currency === currency);
  const text = async () => (await fetch(`?day=${day}`)).text();
  // Without a connection the reader compares the root.
  return find(document) ?? text().then((page) => find(new DOMParser().parseFromString(page, "text/html")), () => undefined);
}

/** Check a proof; return whether its root was compared with the published one. */
async function check(text) {
  const proof = readProof(text);
  const mine = byId("verify").dataset.holder;
  const { hash, sum } = await rootOf(proof);
  show("good", say(gettext("A balance of %(amount)s at the end of %(day)s"), { amount: amount(BigInt(proof.balance_minor), proof.currency), day: proof.day }));
  if (proof.holder.includes(":")) show("open", gettext("It is the money of this game:"), proof.holder);
  else if (mine) require(proof.holder === mine, gettext("The account is yours"), proof.holder);
  else show("open", gettext("Compare the account with yours:"), proof.holder);
  require(hash === proof.root && sum === whole(proof.total_minor, "total_minor"), gettext("The balance is part of the total"), amount(sum, proof.currency));
  const published = await publishedRow(proof);
  if (published) require(published.dataset.root === hash && published.dataset.total === String(sum), gettext("Total and root are the published ones"), hash);
  else show("open", gettext("Compare the root with the published one of that day:"), hash);
  return Boolean(published);
}

async function judge(text) {
  byId("checks").replaceChildren();
  byId("verdict").hidden = false;
  const title = byId("verdict-title");
  if (!crypto.subtle) {
    title.textContent = gettext("Browsers compute hashes on HTTPS pages only. Open this page over HTTPS.");
    return;
  }
  try {
    const isCompared = await check(text);
    title.textContent = isCompared ? gettext("This proof is correct.") : gettext("This proof fits its root, but that day’s root is not shown here. Compare it with the published one.");
  } catch (error) {
    if (!(error instanceof BadProof)) throw error;
    if (error.message) show("bad", error.message);
    title.textContent = gettext("This proof is wrong. Keep it, and ask our staff about it.");
  }
  byId("verdict").scrollIntoView({ block: "nearest" });
}

byId("verify").addEventListener("submit", (event) => {
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
