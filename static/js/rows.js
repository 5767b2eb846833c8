// Lays pieces of a hand (groups, loose cards, the drawn card's slot) into one row or two.

const PIECES_MAX = 8; // With more of them any cut is as good.

const widthOf = (piece) => Math.max(1, piece.keys.length);
const sizeOf = (pieces) => pieces.reduce((sum, piece) => sum + widthOf(piece), 0);
const longer = (halves) => Math.max(...halves.map(sizeOf));

/** Loose cards are no group: they may break where a row is full. */
function splitLoose(pieces, room) {
  const at = pieces.findIndex((piece) => piece.kind === "loose");
  const fits = at < 0 ? 0 : room - sizeOf(pieces.slice(0, at));
  if (fits < 1 || fits >= pieces[at].keys.length) return [];
  const { keys } = pieces[at];
  const head = { ...pieces[at], keys: keys.slice(0, fits) };
  return [[[...pieces.slice(0, at), head], [{ ...pieces[at], keys: keys.slice(fits) }, ...pieces.slice(at + 1)]]];
}

/** Every way to put pieces above or below; the last one, the drawn card's slot, stays below. */
function shares(pieces) {
  if (pieces.length > PIECES_MAX) return [];
  const masks = Array.from({ length: 2 ** (pieces.length - 1) - 1 }, (_, mask) => mask + 1);
  return masks.map((mask) => [0, 1].map((below) => pieces.filter((_, at) => ((mask >> at) & 1) !== below)));
}

/** The rows, with the longest one's cards and gaps: all cards show strips as wide as it allows. */
export function intoRows(pieces, count) {
  let rows = [pieces];
  if (count > 1 && pieces.length > 1) {
    const cuts = pieces.slice(1).map((_, at) => [pieces.slice(0, at + 1), pieces.slice(at + 1)]);
    const ways = [...cuts, ...splitLoose(pieces, Math.ceil(sizeOf(pieces) / 2)), ...shares(pieces)];
    rows = ways.reduce((best, halves) => (longer(halves) < longer(best) ? halves : best)); // The order is kept where it can be.
  }
  const longest = Math.max(2, ...rows.map(sizeOf));
  return { rows, longest, gaps: Math.max(...rows.map((row) => row.length - 1)) };
}
