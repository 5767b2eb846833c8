// The random stream that shuffles a deal, computed with the browser's cryptography API, byte for byte
// as specified in docs/fair-deals.md.

import { toHex } from "./elements.js";

const WORDS_IN_BLOCK = 8;
const WORD_SPAN = 2 ** 32;
const LABEL = "rummy stream 1\n";
const MOVES_LABEL = "rummy moves 1\n";

const utf8 = new TextEncoder();

export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** Return the SHA-256 of bytes, or of a text's UTF-8 bytes, in hex. */
export async function sha256(data) {
  const bytes = typeof data === "string" ? utf8.encode(data) : data;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Return an unsigned integer as `size` big-endian bytes. */
function bigEndian(number, size) {
  const bytes = new Uint8Array(size);
  for (let at = size - 1, rest = number; at >= 0; at -= 1, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  return bytes;
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const hmacKey = (serverSeed) => crypto.subtle.importKey("raw", serverSeed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const framed = (seeds) => joined(seeds.map((text) => utf8.encode(text)).flatMap((bytes) => [bigEndian(bytes.length, 4), bytes]));

/** Return the running hash of the deal as dealt and after each move, and the last one with its result, in hex. */
export async function headsOf({ serverSeed, clientSeeds, chain, players, toss, moves, resultText }) {
  const key = await hmacKey(fromHex(serverSeed));
  const sign = async (text, ...more) => toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, joined([utf8.encode(MOVES_LABEL + text), ...more]))));
  const heads = [await sign(`${chain.value}\n${players}\n${toss.value}\n`, framed(clientSeeds))];
  for (const { text } of moves) heads.push(await sign(`${heads.at(-1)}\n${text}`));
  return { heads, last: await sign(`${heads.at(-1)}\n${resultText}`) };
}

export class Stream {
  #key;
  #seeds;
  #block = -1;
  #words = [];
  #word = 0;

  constructor(key, seeds) {
    this.#key = key;
    this.#seeds = seeds;
  }

  /** Open the stream of a server seed (32 bytes) and client seeds (texts, in their order). */
  static async open(serverSeed, clientSeeds) {
    return new Stream(await hmacKey(serverSeed), framed(clientSeeds));
  }

  async #next() {
    const block = Math.floor(this.#word / WORDS_IN_BLOCK);
    if (block !== this.#block) {
      const message = joined([utf8.encode(LABEL), bigEndian(block, 8), this.#seeds]);
      const digest = new DataView(await crypto.subtle.sign("HMAC", this.#key, message));
      this.#words = Array.from({ length: WORDS_IN_BLOCK }, (_, at) => digest.getUint32(4 * at));
      this.#block = block;
    }
    this.#word += 1;
    return this.#words[(this.#word - 1) % WORDS_IN_BLOCK];
  }

  /** Return a number in 0 .. n - 1; words that would bias it are skipped. */
  async below(n) {
    const fair = WORD_SPAN - (WORD_SPAN % n);
    let drawn = await this.#next();
    while (drawn >= fair) drawn = await this.#next();
    return drawn % n;
  }

  /** Return the items shuffled: Fisher-Yates from the last place down. */
  async shuffled(items) {
    const order = [...items];
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = await this.below(at + 1);
      [order[at], order[other]] = [order[other], order[at]];
    }
    return order;
  }
}
