// Everything around the hand. Loaded after the hand is drawn, so that play starts sooner on slow connections.

import { byId } from "../elements.js";
import { listenElsewhere } from "./elsewhere.js";
import { drawFairness, shareIn } from "./fairness.js";
import { drawPhrases, listenForPhrases } from "./phrases.js";
import { drawPrompt } from "./prompts.js";
import { drawFigures, drawFinale, drawReady, drawShow, drawStage, listenForFinale } from "./results.js";
import { drawSpectators } from "./spectators.js";
import { drawStack } from "./stack.js";

export { receivePhrase, receivePhrasesOf } from "./phrases.js";
export { askDrop, askLeave, askShow, drawPromptTime, meldText, withdrawQuestion } from "./prompts.js";
export { commitToSeed } from "../shares.js";
export { askTopUp } from "./stack.js";

if (byId("reality")) await import("./reality.js"); // For players with reminders; listens to `drawn`.
if (byId("coach")) await import("./coach.js"); // Listens to `drawn`.

export function drawAround({ view, wildRank, isBusy, isStage, isOut, moves }) {
  drawPhrases(view);
  drawShow(view);
  drawStage(view, isStage, view.last_deal?.wild_rank ?? wildRank);
  drawStack(view, isBusy, isStage || isOut);
  drawPrompt(view, isBusy);
  drawReady(view, isBusy);
  drawFinale(view, isBusy);
  byId("scene").hidden = byId("stage").hidden && byId("prompt").hidden;
  drawFigures(view, wildRank, isStage);
  drawFairness(view);
  drawSpectators(view);
  shareIn(view, moves);
}

export function listenAround(moves, currentView, { onRematch, onLook }) {
  listenForPhrases(moves);
  listenElsewhere();
  listenForFinale(currentView, { onRematch, onLook });
}
