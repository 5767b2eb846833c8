// What this browser was shown before the cards were dealt, so that it can be compared afterwards.

const KEY = "rummy-commitments";
const KEPT = 500;

function all() {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEY)) ?? []);
  } catch {
    return new Map(); // No storage, or not ours to read: then nothing is remembered.
  }
}

const nameOf = (table, deal) => `${table}/${deal}`;

/** Keep the first commitment seen for a deal; a later one never replaces it. */
export function remember(table, deal, commitment) {
  const kept = all();
  if (kept.has(nameOf(table, deal))) return;
  kept.set(nameOf(table, deal), commitment);
  try {
    localStorage.setItem(KEY, JSON.stringify([...kept].slice(-KEPT)));
  } catch {
    // Full or forbidden: a convenience, no more.
  }
}

export const recall = (table, deal) => all().get(nameOf(table, deal)) ?? null;
