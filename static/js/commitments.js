// Commitments this browser received before the cards were dealt, for a later comparison.

const KEY = "rummy-commitments";
const KEPT = 500;

function all() {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEY)) ?? []);
  } catch {
    return new Map(); // No storage, or not readable.
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
    // Storage is full or forbidden: the comparison is optional.
  }
}

export const recall = (table, deal) => all().get(nameOf(table, deal)) ?? null;
