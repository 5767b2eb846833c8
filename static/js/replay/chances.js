// The chances of winning over a replay: their lines, a stroke at the step, and the values as of its last turn.

import { byId } from "../elements.js";

const numbers = (text) => text.split(" ").map(Number);

/** Show the step in the chart and return the players' chances there as texts; none while there is no chart. */
export function drawChances(step) {
  const { plies: text } = byId("chances")?.dataset ?? {};
  if (!text) return [];
  const plies = numbers(text);
  const at = plies.findLastIndex((ply) => ply <= step);
  for (const line of byId("chances").querySelectorAll("polyline:not([points])")) {
    const points = numbers(line.dataset.percent).map((percent, index) => `${plies[index]},${100 - percent}`);
    line.setAttribute("points", points.join(" "));
  }
  const now = byId("chances").querySelector(".now");
  now.setAttribute("x1", String(step));
  now.setAttribute("x2", String(step));
  return Array.from(byId("chances").querySelectorAll("li"), (item) => {
    item.querySelector("b").textContent = `${numbers(item.dataset.percent)[at]} %`;
    return item.textContent.trim();
  });
}

/** Return the step at which the chart was clicked. */
export function stepAt({ target, clientX }, last) {
  const { left, width } = target.closest("svg").getBoundingClientRect();
  return Math.round(((clientX - left) / width) * last);
}
