// The stack at a points table: its amount, top-ups, sitting out and coming back.

import { byId, el, say } from "../elements.js";
import { ask } from "./prompts.js";

const GAPS = new Set(["waiting", "between"]);
const MINOR = 100; // All currencies have hundredths.

const mySeat = (view) => view.seats.find((seat) => seat.is_me);
const inUnits = (minor) => (minor / MINOR).toFixed(2);

/** Format an amount like `wallet.ledger.money.as_text`: whole play points have no decimals. */
const asText = (minor, currency) => (currency === "PTS" && minor % MINOR === 0 ? String(minor / MINOR) : inUnits(minor));

/** Return whether a top-up is allowed: between deals, or while not in the deal. */
function canTopUp(view) {
  const isFree = GAPS.has(view.phase) || view.me.position === null;
  return isFree && mySeat(view).stack.minor < view.stack_max.minor;
}

function textOf(view) {
  const stack = say(gettext("Your stack: %(stack)s."), { stack: mySeat(view).stack.text });
  if (view.me.is_short) {
    const needed = say(gettext("A deal can cost %(hold)s. Top up to be dealt in."), { hold: view.stack_min.text });
    return `${stack} ${needed}`;
  }
  const sitsOut = gettext("You are sitting out. You lose your seat after three deals.");
  return view.me.sits_out ? `${stack} ${sitsOut}` : stack;
}

/** Draw the stack bar; `isFree` when the hand's buttons are not shown. */
export function drawStack(view, isBusy, isFree) {
  const bar = byId("stack-bar");
  const isOver = view.phase === "finished" || view.phase === "cancelled";
  bar.hidden = !isFree || !view.point_value || !view.me || isOver;
  if (!view.point_value || !view.me || isOver) return;
  byId("stack-text").textContent = textOf(view);
  bar.classList.toggle("is-short", view.me.is_short);
  byId("top-up").hidden = !canTopUp(view);
  byId("top-up").disabled = isBusy;
  byId("sit-out").hidden = view.me.sits_out;
  byId("sit-out").disabled = isBusy;
  byId("come-back").hidden = !view.me.sits_out || view.me.is_short;
  byId("come-back").disabled = isBusy;
}

/** Ask for the amount of a top-up; resolves to minor units, or null. */
export async function askTopUp(view) {
  const held = mySeat(view).stack.minor;
  const least = Math.max(1, view.stack_min.minor - held);
  const most = view.stack_max.minor - held;
  const field = el("input", {
    id: "top-up-amount",
    type: "number",
    inputmode: "decimal",
    step: "0.01",
    min: inUnits(least),
    max: inUnits(most),
    required: true,
  });
  field.value = inUnits(Math.min(most, Math.max(least, view.stack_min.minor)));
  const bounds = say(gettext("Between %(least)s and %(most)s %(currency)s."), {
    least: asText(least, view.currency),
    most: asText(most, view.currency),
    currency: view.currency,
  });
  const label = el("label", { for: "top-up-amount" }, gettext("Amount"));
  const body = [el("div", { class: "field" }, label, field, el("span", { class: "help" }, bounds))];
  const isSure = await ask({ title: gettext("Top up your stack"), body, yes: gettext("Top up") });
  if (!isSure || !field.checkValidity()) return null;
  return Math.round(Number(field.value) * MINOR);
}
