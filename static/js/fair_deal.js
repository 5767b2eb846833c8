// Verifies a deal step by step: the seed matches the commitment, the cards follow from the seeds, and
// every card that was played had been dealt or drawn.

import { BadFile } from "./verdict.js";
import { say } from "./elements.js";
import { fromHex, headsOf, sha256, Stream } from "./fair_stream.js";
import { Play } from "./fair_play.js";
import { StraightPlay } from "./straight/fair_play.js";

const CARDS_DEALT = 13;
const RANKS = "A23456789TJQK";
const SUITS = "CDHS";
const SHORTEST_DEAL = 2;

/** Return one pack in unshuffled order: clubs, diamonds, hearts, spades, ace low. */
const pack = () => [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));

function deckOf({ players, decks, threeDecksFrom, jokersPerDeck }) {
  const one = [...pack(), ...Array(jokersPerDeck).fill("PJ")];
  return Array(players >= threeDecksFrom ? 3 : decks).fill(one).flat();
}

function same(found, wanted, name) {
  if (!found) throw new BadFile(say(gettext("The line “%(name)s” is missing."), { name }));
  if (found.value !== wanted) {
    const values = { found: `${name}: ${found.value}`, wanted: `${name}: ${wanted}` };
    throw new BadFile(say(gettext("“%(found)s” should read “%(wanted)s”"), values), found.number);
  }
}

/** Return the checks of a file in order: {title, run}; `run` throws `BadFile` where the file is wrong. */
export function checksOf(file, seen = null) {
  const state = {};
  const checks = [
    { title: file.isBound ? gettext("The seed and the rules match the commitment") : gettext("The seed matches the commitment"), run: () => commitment(file) },
    { title: gettext("The commitment continues the chain of earlier deals"), run: () => chain(file) },
    { title: gettext("The toss follows from the seeds"), run: () => toss(file, state) },
    { title: file.family === "straight" ? gettext("Hands and stock follow from the seeds") : gettext("Hands, wild card and stock follow from the seeds"), run: () => dealt(file, state) },
    { title: gettext("Every card that was played had been dealt or drawn"), run: () => played(file, state) },
  ];
  if (file.isBound) checks.push({ title: gettext("The moves and the result are those that the last head binds"), run: () => bound(file, state) });
  if (seen) checks.push({ title: gettext("This browser saw the same commitment and moves during play"), run: () => compare(file, state, seen) });
  return checks;
}

/** Check that the files of each table form one chain, under the same rules; throws `BadFile`. */
export function follow(files) {
  const ends = new Map(files.map((file) => [`${file.chain.value} ${file.lastHead?.value ?? ""}`, file]));
  const followed = new Set();
  const tables = new Set();
  for (const file of files) {
    const { name, table, chainBefore } = file;
    const refuse = (message) => {
      throw new BadFile(say(message, { name }), chainBefore.number);
    };
    const link = `${chainBefore.value} ${file.headBefore?.value ?? ""}`;
    const before = ends.get(link);
    if (!before) {
      if (table && tables.has(table)) refuse(gettext("%(name)s: the deal before this one is missing"));
      tables.add(table);
      continue;
    }
    if (followed.has(link)) refuse(gettext("%(name)s: another file continues the same deal"));
    if (before.rulesText !== file.rulesText) refuse(gettext("%(name)s: the rules differ from those of the deal before"));
    followed.add(link);
  }
}

async function commitment(file) {
  if (file.isBound) same(file.rulesHash, await sha256(file.rulesText), "rules sha256");
  same(file.commitment, await sha256(fromHex(file.serverSeed + (file.rulesHash?.value ?? ""))), "commitment");
}

async function chain(file) {
  const before = [file.chainBefore, ...(file.isBound ? [file.headBefore, ...file.redrawn] : [])].map(({ value, number }) => {
    if (value !== "none" && !/^[0-9a-f]{64}$/.test(value)) throw new BadFile(gettext("this is not a hash"), number);
    return value === "none" ? "" : value;
  });
  same(file.chain, await sha256(before.join("") + file.commitment.value), "chain");
}

async function bound(file, state) {
  const { heads, last } = await headsOf(file);
  state.heads = heads;
  same(file.firstHead, heads[0], "first head");
  same(file.lastHead, last, "last head");
}

/** Compare the file with the values that this browser kept; those of a later draw end in its number. */
function compare(file, { heads = [] }, seen) {
  const redrawn = file.redrawn ?? [];
  for (const [named, value] of Object.entries(seen)) {
    const [name, draw = 0] = named.split("-");
    const isLast = Number(draw) === redrawn.length;
    if (name === "commitment") {
      if ([...redrawn.map((line) => line.value), file.commitment.value][draw] !== value) same(file.commitment, value, name);
    } else if (name === "chain") {
      if (isLast) same(file.chain, value, name);
    } else if (name === "seed") {
      if (isLast && !file.clientSeeds.includes(value)) throw new BadFile(gettext("The seed that this browser added is missing."), file.toss.number);
    } else if (heads[name] !== value) {
      const line = (name > 0 ? file.moves[name - 1] : file.firstHead) ?? file.lastHead;
      throw new BadFile(gettext("this browser saw another move here"), line?.number);
    }
  }
}

async function toss(file, state) {
  if (file.players < SHORTEST_DEAL) throw new BadFile(gettext("A deal has at least two players."));
  state.stream = await Stream.open(fromHex(file.serverSeed), file.clientSeeds);
  if (file.toss.value === "none") return;
  const cards = (await state.stream.shuffled(pack())).slice(0, file.players);
  same(file.toss, cards.join(" "), "toss");
}

async function dealt(file, state) {
  const isStraight = file.family === "straight";
  const deck = await state.stream.shuffled(isStraight ? pack() : deckOf(file));
  const each = isStraight ? file.cardsOf[Math.ceil(file.players / 2) - 1] : CARDS_DEALT;
  const count = each * file.players;
  state.hands = Array.from({ length: file.players }, (_, place) => deck.slice(0, count).filter((_card, at) => at % file.players === place));
  state.hands.forEach((hand, place) => same(file.cards.get(`p${place + 1}`), hand.join(" "), `p${place + 1}`));
  state.pile = [deck[count]];
  state.stock = deck.slice(count + (isStraight ? 1 : 2));
  same(file.cards.get("up"), deck[count], "up");
  if (!isStraight) same(file.cards.get("wild"), deck[count + 1], "wild");
  same(file.cards.get("stock"), state.stock.join(" "), "stock");
  const known = new Set([...state.hands.map((_, place) => `p${place + 1}`), "up", ...(isStraight ? [] : ["wild"]), "stock"]);
  const foreign = [...file.cards].find(([name]) => !known.has(name));
  if (foreign) throw new BadFile(gettext("this line is not allowed here"), foreign[1].number);
}

async function played(file, state) {
  const play = new (file.family === "straight" ? StraightPlay : Play)({ ...state, file });
  for (const line of file.moves) await play.move(line);
  const recorded = file.result.get("ending");
  if (play.ending && !play.waiting) same(recorded, play.ending, "ending");
  else if (recorded) throw new BadFile(gettext("the moves do not end the deal"), recorded.number);
  play.seats.forEach(({ hand }, place) => laidOut(file.result.get(`p${place + 1}`), hand));
}

/** Check that a result's cards are those its seat held at the end; points are not counted here. */
function laidOut(result, hand) {
  const [, how, ...laid] = result?.value.split(" ") ?? [];
  if (!["won", "lost", "left"].includes(how)) return;
  const cards = laid.filter((word) => word !== "|" && word !== "/");
  if ([...cards].sort().join() !== [...hand].sort().join()) {
    throw new BadFile(gettext("these are not the cards that this seat held at the end"), result.number);
  }
}
