// Movement, by the Web Animations API: it delays no input, and there is none where it is unwanted.

const stills = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE_MS = 180;
const FLIGHT_MS = 260;
const RAIN = 32;

/** Where the own cards lie, by key; null where nothing is to move. */
export function placesOf(hand) {
  if (stills.matches) return null;
  return new Map([...hand.querySelectorAll("[data-key]")].map((card) => [card.dataset.key, card.getBoundingClientRect()]));
}

/** Let cards glide from where they lay to where they lie. */
export function glide(hand, before) {
  if (!before?.size) return;
  for (const card of hand.querySelectorAll("[data-key]")) {
    const old = before.get(card.dataset.key);
    const now = card.getBoundingClientRect();
    const [x, y] = [old?.left - now.left, old?.top - now.top];
    if (!old || (Math.abs(x) < 1 && Math.abs(y) < 1)) continue;
    card.animate([{ transform: `translate(${x}px, ${y}px)` }, {}], { duration: GLIDE_MS, easing: "ease-out" });
  }
}

/** Suits rain over the page for a moment. */
export function celebrate() {
  if (stills.matches) return;
  for (let at = 0; at < RAIN; at += 1) {
    const pip = document.createElement("i");
    pip.className = `flight rain pip pip-${"SHCD"[at % 4]}`;
    pip.style.left = `${(at * 61) % 100}vw`;
    document.body.append(pip);
    const fall = [{ transform: "translateY(-3rem)" }, { transform: `translateY(105vh) rotate(${at * 47}deg)` }];
    const rain = pip.animate(fall, { duration: 1800 + ((at * 137) % 1200), delay: (at * 53) % 700, fill: "backwards", easing: "ease-in" });
    rain.addEventListener("finish", () => pip.remove());
  }
}

/** Fly a likeness of a card from one place to another; the real one is there already. */
export function fly(card, from, to) {
  if (stills.matches || !from?.width || !to?.width) return;
  card.classList.add("flight");
  card.style.setProperty("--card-w", `${to.width}px`);
  card.style.left = `${to.left}px`;
  card.style.top = `${to.top}px`;
  document.body.append(card);
  const start = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`;
  const flight = card.animate([{ transform: start }, { transform: "none" }], { duration: FLIGHT_MS, easing: "ease-in-out" });
  flight.addEventListener("finish", () => card.remove());
  flight.addEventListener("cancel", () => card.remove());
}
