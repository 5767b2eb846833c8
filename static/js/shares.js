// The seeds that this browser adds to deals: it commits to random bytes by their hash, and reveals them
// when no player can add a seed any more.

import { toHex } from "./elements.js";
import { read } from "./seen.js";

const KEY = "rummy-shares";
const KEPT = 50;
const SEED_BYTES = 32;

const kept = () => new Map(read(KEY, []));

/** Make a seed; return what commits to it, or null where browsers compute no hashes or keep nothing. */
export async function commitToSeed() {
  if (!crypto.subtle) return null;
  const seed = toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
  const hash = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(seed))));
  try {
    localStorage.setItem(KEY, JSON.stringify([...kept().set(hash, seed)].slice(-KEPT)));
  } catch {
    return null;
  }
  return `sha256:${hash}`;
}

export const seedOf = (hash) => kept().get(hash) ?? null;
