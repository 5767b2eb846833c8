// Dialogs before costly actions, and the table's questions (rejoin, split).

import { byId, el, figures, number, say } from "../elements.js";
import { cardFace } from "./cards.js";
import { formatGroups, kindOfGroup, nameOfKind, whyNoShow } from "./groups.js";

let stillHolds = () => true;

/** Resolve to true when the player confirms; the dialog closes once `holds(view)` is false. */
export function ask({ title, body, yes, danger = false, holds = () => true }) {
  const dialog = byId("ask");
  stillHolds = holds;
  byId("ask-title").textContent = title;
  byId("ask-body").replaceChildren(...body);
  const confirm = byId("ask-yes");
  confirm.textContent = yes;
  confirm.className = `button ${danger ? "danger" : "primary"}`;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Close an open dialog when its question no longer applies. */
export function withdrawQuestion(view) {
  const dialog = byId("ask");
  if (dialog.open && !stillHolds(view)) dialog.close("no");
}

const mayStill = (view, action) => Boolean(view.me?.legal.some((legal) => legal.split(" ")[0] === action));

function groupList(groups, wildRank) {
  const row = (codes) =>
    el(
      "li",
      {},
      el("span", { class: "meld" }, ...codes.map((code) => cardFace(code, wildRank))),
      el("span", { class: "small" }, nameOfKind(kindOfGroup(codes, wildRank))),
    );
  return el("ol", { class: "sent-groups" }, ...groups.map(row));
}

const stroke = (codes) => (codes.length ? ` / ${codes.join(" ")}` : "");

function looseList(codes, wildRank) {
  const cards = el("span", { class: "meld" }, ...codes.map((code) => cardFace(code, wildRank)));
  return el("p", { class: "sent-loose" }, gettext("Outside any group:"), cards);
}

/** Ask, then return the text of the show, or null. Loose cards follow the stroke. */
export async function askShow({ hand, finishKey, wildRank, cap }) {
  const finish = hand.cards.get(finishKey);
  const loose = hand.looseCodes({ without: finishKey });
  const groups = hand.groupsAsCodes({ without: finishKey });
  const body = [
    el("p", {}, gettext("You are sending these groups:")),
    groupList(groups, wildRank),
    loose.length ? looseList(loose, wildRank) : "",
    el("p", { class: "form-actions" }, gettext("Finish card:"), cardFace(finish, wildRank)),
  ];
  const why = whyNoShow(groups, loose, wildRank);
  if (why) {
    const warning = ngettext(
      "This does not look complete: you need two sequences, one of them pure, and every card in a group. A wrong show costs %(cap)s point.",
      "This does not look complete: you need two sequences, one of them pure, and every card in a group. A wrong show costs %(cap)s points.",
      cap,
    );
    body.unshift(el("p", { class: "warn" }, el("b", {}, why), " ", say(warning, { cap })));
  }
  const holds = (view) => mayStill(view, "show");
  const isSure = await ask({ title: gettext("Declare?"), body, yes: gettext("Declare"), danger: Boolean(why), holds });
  return isSure ? `show ${formatGroups(groups)}${stroke(loose)} x ${finish}` : null;
}

/** Ask before a drop; the dialog has its cost and, at practice tables, the coach's sentence once it is there. */
export function askDrop(view, help) {
  const average = el("p", { role: "status" });
  help?.then(({ advice }) => (average.textContent = advice)).catch(() => {});
  const points = view.me.drop_points;
  const text = say(ngettext("It costs %(points)s point.", "It costs %(points)s points.", points), { points });
  const holds = (now) => mayStill(now, "drop");
  return ask({ title: gettext("Drop this deal?"), body: [el("p", {}, text), average], yes: gettext("Drop"), danger: true, holds });
}

/** Ask before leaving; the dialog closes when the cost in it changes. */
export function askLeave(view) {
  const text = priceOfLeaving(view);
  const holds = (now) => priceOfLeaving(now) === text;
  return ask({ title: gettext("Leave the table?"), body: [el("p", {}, text)], yes: gettext("Leave"), danger: true, holds });
}

function priceOfLeaving(view) {
  if (view.point_value) return priceOfGettingUp(view);
  return view.phase === "waiting"
    ? gettext("You get your entry back.")
    : gettext("You give up this game; your entry stays in the pot.");
}

function priceOfGettingUp(view) {
  const isInDeal = view.me && view.me.position !== null && view.phase !== "between" && view.phase !== "waiting";
  return isInDeal
    ? gettext("You drop this deal. The rest of your stack is paid out when the deal is settled.")
    : gettext("The rest of your stack is paid out at once.");
}

/** Return the answer for the meld window: valid groups, and the rest after the stroke. */
export function meldText(hand, wildRank) {
  const groups = hand.groupsAsCodes();
  const good = groups.filter((codes) => kindOfGroup(codes, wildRank) !== "none");
  const rest = [...groups.filter((codes) => !good.includes(codes)).flat(), ...hand.looseCodes()];
  return `meld ${formatGroups(good)}${stroke(rest)}`;
}

// The questions of a pool between two deals: rejoin or split, with their calculation.

const answers = () => ({ yes: gettext("yes"), no: gettext("no"), "": gettext("thinking") });

/** Draw the open question, or the split the player may propose; its buttons stay, so that they keep the focus. */
export function drawPrompt(view, isBusy) {
  const { window } = view;
  const preview = view.me?.split ?? null;
  byId("prompt").hidden = !window && !preview;
  if (!window && !preview) return;
  byId("prompt-title").textContent = titleOf(window);
  const { sentences } = window ?? preview;
  byId("prompt-text").replaceChildren(...sentences.map((text) => el("li", {}, text)));
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
  const hasDrops = rows.some((row) => row.drops_left !== null);
  const mine = view.seats.find((seat) => seat.is_me)?.number;
  const titles = [
    gettext("Player"),
    [isRejoin ? gettext("New total") : gettext("Total")],
    ...(hasDrops ? [[gettext("Drops")]] : []),
    [isRejoin ? gettext("Costs") : gettext("Share")],
    ...(window ? [gettext("Answer")] : []),
  ];
  const rowOf = (row) =>
    el(
      "tr",
      { class: row.seat === mine ? "me" : null },
      el("th", { scope: "row", title: row.handle }, row.seat === mine ? gettext("You") : row.handle),
      number(String(row.total)),
      hasDrops ? number(String(row.drops_left)) : null,
      number(row.amount.text),
      window ? el("td", {}, answers()[row.said]) : null,
    );
  return figures("", titles, rows.map(rowOf));
}

/** Draw the time left for the question; `time` is null when none runs. */
export function drawPromptTime(view, time) {
  const text = time && view.window ? say(gettext("%(count)s s left"), { count: time.seconds }) : "";
  if (byId("prompt-time").textContent !== text) byId("prompt-time").textContent = text;
}
