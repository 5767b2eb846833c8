// Synthesised tones and vibration, each only if switched on.

const SOFT = 0.08;

// Pitch in hertz, start and duration in seconds.
const TUNES = {
  card: [[330, 0, 0.06]],
  turn: [[660, 0, 0.12], [880, 0.12, 0.2]],
  late: [[440, 0, 0.08], [440, 0.16, 0.08]],
  show: [[523, 0, 0.14], [659, 0.13, 0.14], [784, 0.26, 0.3]],
  won: [[523, 0, 0.14], [659, 0.13, 0.14], [784, 0.26, 0.14], [1047, 0.39, 0.4]],
};

let context = null;

const isOn = () => document.documentElement.dataset.sound === "on";

/** Start audio on the first interaction, which browsers require. */
export function wakeOnTouch() {
  const wake = () => {
    if (!isOn()) return;
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume();
  };
  for (const name of ["pointerdown", "keydown", "change"]) addEventListener(name, wake, { passive: true });
}

const BUZZ_MS = { turn: 60, late: 120 };

/** Play a tune, and vibrate if it asks the player to act; each has its own setting. */
export function play(name) {
  if (BUZZ_MS[name] && document.documentElement.dataset.vibration === "on") navigator.vibrate?.(BUZZ_MS[name]);
  if (!name || !isOn()) return;
  if (context?.state !== "running") return;
  for (const [pitch, from, length] of TUNES[name]) tone(pitch, context.currentTime + from, length);
}

function tone(pitch, at, length) {
  const source = context.createOscillator();
  const volume = context.createGain();
  source.type = "triangle";
  source.frequency.value = pitch;
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(SOFT, at + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.001, at + length);
  source.connect(volume).connect(context.destination);
  source.start(at);
  source.stop(at + length + 0.05);
}

/** Return the name of the most important sound between two views, or null. */
export function soundOf(before, after) {
  const mine = (view) => view.seats.find((seat) => seat.is_me);
  if (after.phase === "finished" && before.phase !== "finished") {
    const result = after.results?.find((row) => row.handle === mine(after)?.handle);
    return result?.place === 1 ? "won" : "show";
  }
  if (after.deal?.showing && !before.deal?.showing) return "show";
  const isAsked = (view) => Boolean(mine(view)?.to_act || view.window?.mine?.can_answer || view.me?.legal.includes("meld"));
  if (isAsked(after) && !isAsked(before)) return "turn";
  if (after.deal && before.deal && after.deal.no === before.deal.no) {
    const hasMoved = after.deal.stock !== before.deal.stock || after.deal.open_pile.length !== before.deal.open_pile.length;
    return hasMoved ? "card" : null;
  }
  return null;
}
