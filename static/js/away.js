// What the clock played while its player was away, until he says that he is back.

import { byId, say } from "./elements.js";

let seen = 0;

/** Tell of the clock's moves; a move of one's own, or the button, takes the news away. */
export function drawAway(view) {
  const played = view.me?.clock_played ? (view.seats.find((seat) => seat.is_me)?.misses ?? 0) : 0;
  if (played === 0) seen = 0;
  byId("away").hidden = played <= seen;
  if (played <= seen) return;
  const words = [
    say(ngettext("The clock played %(count)s turn for you.", "The clock played %(count)s turns for you.", played), { count: played }),
  ];
  const left = view.me.misses_left;
  if (left > 0) {
    words.push(say(ngettext("After %(left)s more your cards are dropped.", "After %(left)s more in a row your cards are dropped.", left), { left }));
  } else {
    words.push(gettext("Your cards were dropped."));
  }
  byId("away-words").textContent = words.join(" ");
}

/** The button takes the notice away, and so does any act at the table. */
export function listenForReturn(currentView) {
  const back = () => {
    seen = currentView().seats.find((seat) => seat.is_me)?.misses ?? 0;
    byId("away").hidden = true;
  };
  byId("table").addEventListener("pointerdown", (event) => byId("away").contains(event.target) || back());
  byId("table").addEventListener("keydown", (event) => byId("away").contains(event.target) || back());
  byId("back-again").addEventListener("click", () => {
    back();
    byId("hand").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  });
}
