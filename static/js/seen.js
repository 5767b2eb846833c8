// What this browser saw of each deal, for a later comparison with its file: the commitment and chain
// before it was dealt, the heads while it was played (by number of moves), and its own seed.

const KEY = "rummy-seen";
const DEALS_KEPT = 100;
const VALUES_KEPT = 400; // Of one deal.

const nameOf = (table, deal) => `${KEY}/${table}/${deal}`;

/** Return what is kept under a key, or `empty`. */
export function read(key, empty) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? empty;
  } catch {
    return empty; // No storage, or not readable.
  }
}

/** Keep values by name; the first value seen under a name is never replaced. */
export function remember(table, deal, values) {
  const key = nameOf(table, deal);
  const kept = read(key, {});
  const added = Object.entries(values).filter(([name, value]) => value && !(name in kept));
  if (!added.length || Object.keys(kept).length > VALUES_KEPT) return;
  try {
    const deals = [...new Set([...read(KEY, []), key])];
    deals.slice(0, -DEALS_KEPT).forEach((old) => localStorage.removeItem(old));
    localStorage.setItem(KEY, JSON.stringify(deals.slice(-DEALS_KEPT)));
    localStorage.setItem(key, JSON.stringify({ ...kept, ...Object.fromEntries(added) }));
  } catch {
    // Storage is full or forbidden: the comparison is optional.
  }
}

/** Return the values seen of a deal by name, or null. */
export const recall = (table, deal) => read(nameOf(table, deal), null);

/** Return everything seen as a file that `python -m rummy verify` compares. */
export function seenAsText() {
  const lines = read(KEY, []).flatMap((key) => {
    const [table, deal] = key.split("/").slice(-2);
    return Object.entries(read(key, {})).map(([name, value]) => `${table} ${deal} ${name} ${value}`);
  });
  return ["rummy heads 1", ...lines, ""].join("\n");
}
