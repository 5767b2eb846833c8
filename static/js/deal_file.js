// Parses a history file into sections, each line with its number for error messages.

import { say } from "./elements.js";
import { BadFile } from "./verdict.js";

const FIRST_LINES = ["rummy deal 1", "rummy deal 2"]; // Format 1 binds neither rules nor moves.
const SECTIONS = ["rules", "shuffle", "cards", "moves", "result"];
const LONGEST_FILE = 200_000;
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/u;

function sectionsOf(text) {
  if (text.length > LONGEST_FILE) throw new BadFile(gettext("This is too long to be a history file."));
  const sections = new Map();
  let section = null;
  let format = 0;
  text.split(LINE_ENDS).forEach((raw, at) => {
    const line = raw.trim();
    const number = at + 1;
    if (!line || line.startsWith("#")) return;
    if (!format) {
      format = FIRST_LINES.indexOf(line) + 1;
      if (!format) throw new BadFile(say(gettext("a history file must start with “%(first)s”"), { first: FIRST_LINES[1] }), number);
    } else if (line.startsWith("[")) {
      const name = line.replace(/^\[|\]$/g, "");
      if (!SECTIONS.includes(name) || sections.has(name)) throw new BadFile(say(gettext("section %(name)s is not allowed here"), { name: line }), number);
      section = [];
      sections.set(name, section);
    } else if (!section) {
      throw new BadFile(gettext("this line is not in a section"), number);
    } else {
      section.push({ number, text: line });
    }
  });
  const missing = SECTIONS.find((name) => !sections.has(name));
  if (missing) throw new BadFile(say(gettext("The section [%(name)s] is missing."), { name: missing }));
  return { format, sections };
}

/** Parse "name: value" lines into a map of {number, value}; names repeat only if they are in `lists`. */
function fieldsOf(lines, lists = {}) {
  const fields = new Map();
  for (const { number, text } of lines) {
    const colon = text.indexOf(":");
    if (colon < 0) throw new BadFile(gettext("this is not “name: value”"), number);
    const name = text.slice(0, colon).trim();
    const value = text.slice(colon + 1).trim();
    if (name in lists) lists[name].push({ number, value });
    else if (fields.has(name)) throw new BadFile(say(gettext("%(name)s is given twice"), { name }), number);
    else fields.set(name, { number, value });
  }
  return fields;
}

function field(fields, name, section) {
  const found = fields.get(name);
  if (!found) throw new BadFile(say(gettext("In [%(section)s] the line “%(name)s” is missing."), { section, name }));
  return found;
}

function number(fields, name, section, { none = null, most = 10_000 } = {}) {
  const { value, number: line } = field(fields, name, section);
  if (value === "none" && none !== null) return none;
  if (!/^\d{1,6}$/.test(value) || Number(value) > most) throw new BadFile(say(gettext("%(name)s is not a number in the allowed range"), { name }), line);
  return Number(value);
}

function clientSeed({ number: line, value }) {
  let seed = null;
  try {
    seed = JSON.parse(value);
  } catch {
    // Reported below.
  }
  if (typeof seed !== "string") throw new BadFile(gettext("a client seed must be a text in quotes"), line);
  return seed;
}

/** The rules that decide the cards of a deal, by family. */
const RULES_OF = {
  thirteen: (rules, players) => ({
    decks: number(rules, "decks", "rules", { most: 3 }),
    threeDecksFrom: number(rules, "three_decks_from", "rules", { none: Infinity }),
    jokersPerDeck: number(rules, "printed_jokers_per_deck", "rules", { most: 4 }),
    maxReshuffles: number(rules, "max_reshuffles", "rules"),
    missesAllowed: (players === 2 && number(rules, "misses_allowed_for_two", "rules", { none: 0 })) || number(rules, "misses_allowed", "rules"),
  }),
  straight: (rules) => ({
    cardsOf: ["two", "four", "six"].map((word) => number(rules, `cards_for_${word}`, "rules", { most: 25 })),
    aces: field(rules, "aces", "rules").value,
    roundTheCorner: field(rules, "round_the_corner", "rules").value === "yes",
    acePoints: number(rules, "ace_points", "rules"),
    mayDiscardTaken: field(rules, "may_discard_taken", "rules").value === "yes",
    refill: field(rules, "refill", "rules").value,
    maxRefills: number(rules, "max_refills", "rules"),
    maxTurns: number(rules, "max_turns", "rules"),
    missesAllowed: number(rules, "misses_allowed", "rules"),
  }),
};

/** Parse a file into the inputs of a deal and its recorded results; throws `BadFile`. */
export function readFile(text) {
  const { format, sections } = sectionsOf(text);
  const isBound = format > 1;
  const rules = fieldsOf(sections.get("rules"));
  const family = field(rules, "family", "rules");
  const rulesOf = RULES_OF[family.value];
  if (!rulesOf) throw new BadFile(gettext("deals of this family cannot be verified here"), family.number);
  const seeds = [];
  const redrawn = [];
  const shuffle = fieldsOf(sections.get("shuffle"), { "client seed": seeds, ...(isBound && { redrawn }) });
  const serverSeed = field(shuffle, "server seed", "shuffle");
  if (!/^[0-9a-f]{64}$/.test(serverSeed.value)) throw new BadFile(gettext("a server seed must be 32 bytes in hex"), serverSeed.number);
  const players = number(shuffle, "players", "shuffle", { most: 6 });
  if (seeds.length > players) throw new BadFile(gettext("there are more client seeds than seats"), seeds[players].number);
  const result = fieldsOf(sections.get("result"));
  const bound = isBound && {
    rulesText: sections.get("rules").map((line) => `${line.text}\n`).join(""),
    rulesHash: field(shuffle, "rules sha256", "shuffle"),
    redrawn,
    headBefore: field(shuffle, "head before", "shuffle"),
    firstHead: field(shuffle, "first head", "shuffle"),
    lastHead: field(result, "last head", "result"),
    resultText: sections.get("result").slice(1).map((line) => line.text.split(/\s+/).slice(0, 3).join(" ")).join("\n"),
  };
  const note = text.match(/^# table ([0-9a-f-]{36}), deal (\d+),/m);
  return {
    isBound,
    ...bound,
    family: family.value,
    ...rulesOf(rules, players),
    players,
    serverSeed: serverSeed.value,
    clientSeeds: seeds.map(clientSeed),
    commitment: field(shuffle, "commitment", "shuffle"),
    chainBefore: field(shuffle, "chain before", "shuffle"),
    chain: field(shuffle, "chain", "shuffle"),
    toss: field(shuffle, "toss", "shuffle"),
    cards: fieldsOf(sections.get("cards")),
    moves: sections.get("moves"),
    result,
    table: note?.[1] ?? null,
    deal: note ? Number(note[2]) : null,
  };
}
