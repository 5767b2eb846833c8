// What a pool asks between two deals: rejoin or not, split or not, with the arithmetic first.

import { byId, el, say } from "./elements.js";

const answers = () => ({ yes: gettext("yes"), no: gettext("no"), "": gettext("thinking") });

/** The sentence that tells the viewer of a question that has just been put. */
export function spokenQuestion(window) {
  if (window.kind === "split") {
    const asked = { name: window.proposed_by, share: window.mine?.amount.text };
    return window.mine
      ? say(gettext("%(name)s proposes a split. Your share would be %(share)s."), asked)
      : say(gettext("%(name)s proposes a split."), asked);
  }
  if (!window.mine) return gettext("Players who are out may rejoin.");
  const offer = { fee: window.mine.amount.text, total: window.rows[0].total };
  return say(gettext("You may rejoin for %(fee)s, at %(total)s points."), offer);
}

/** Show the open question, or the split one may propose; static buttons keep the focus. */
export function drawPrompt(view, isBusy) {
  const { window } = view;
  const preview = view.me?.split ?? null;
  byId("prompt").hidden = !window && !preview;
  if (!window && !preview) return;
  byId("prompt-title").textContent = titleOf(window);
  const words = (window ?? preview).words;
  byId("prompt-words").replaceChildren(...words.map((text) => el("li", {}, text)));
  byId("prompt-rows").replaceChildren(rowsTable(view, window, window?.rows ?? preview.shares));
  byId("prompt-prize").textContent = prizeLine(window);
  drawButtons(window, preview, isBusy);
}

function titleOf(window) {
  if (!window) return gettext("You may propose a split");
  if (window.kind === "rejoin") return gettext("Rejoin?");
  return say(gettext("%(name)s proposes a split"), { name: window.proposed_by });
}

function prizeLine(window) {
  if (window?.kind !== "rejoin") return "";
  const prizes = { prize: window.prize.text, after: window.prize_after.text };
  return say(gettext("Prize now %(prize)s; with all rejoins %(after)s."), prizes);
}

function drawButtons(window, preview, isBusy) {
  const mine = window?.mine;
  byId("prompt-yes").hidden = byId("prompt-no").hidden = !mine?.can_answer;
  byId("prompt-propose").hidden = !preview;
  for (const id of ["prompt-yes", "prompt-no", "prompt-propose"]) byId(id).disabled = isBusy;
  if (!mine) return;
  byId("prompt-yes").textContent =
    window.kind === "rejoin"
      ? say(gettext("Rejoin for %(fee)s"), { fee: mine.amount.text })
      : say(gettext("Split: %(share)s for me"), { share: mine.amount.text });
  byId("prompt-no").textContent = window.kind === "rejoin" ? gettext("Stay out") : gettext("Play on");
}

function rowsTable(view, window, rows) {
  const isRejoin = window?.kind === "rejoin";
  const head = [gettext("Player"), isRejoin ? gettext("New total") : gettext("Total"), gettext("Drops")];
  head.push(isRejoin ? gettext("Costs") : gettext("Share"));
  if (window) head.push(gettext("Says"));
  const mine = view.seats.find((seat) => seat.is_me)?.number;
  const cells = (row) => [row.total, row.drops_left, row.amount.text].map((value) => el("td", { class: "number" }, String(value)));
  return el(
    "table",
    { class: "figures" },
    el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
    el(
      "tbody",
      {},
      ...rows.map((row) =>
        el(
          "tr",
          { class: row.seat === mine ? "me" : null },
          el("th", { scope: "row", title: row.handle }, row.seat === mine ? gettext("You") : row.handle),
          ...cells(row),
          window ? el("td", {}, answers()[row.said]) : null,
        ),
      ),
    ),
  );
}

/** The time left for the question; `time` is null when none runs. */
export function drawPromptTime(view, time) {
  const text = time && view.window ? say(gettext("%(count)s s left"), { count: time.seconds }) : "";
  if (byId("prompt-time").textContent !== text) byId("prompt-time").textContent = text;
}
