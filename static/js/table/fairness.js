// The fairness panel: commitments, the texts received, and the last deal's seed.

import { byId, el, say, toHex } from "../elements.js";
import { remember } from "../seen.js";
import { toast, toastFailure } from "./announce.js";

const SEED_BYTES = 16;

const line = (title, text) => el("div", {}, el("dt", {}, title), el("dd", {}, el("code", {}, text)));

export function drawFairness(view) {
  const { fairness } = view;
  if (view.next_commitment) remember(view.id, fairness.deal_no, { commitment: view.next_commitment, chain: fairness.chain });
  if (view.deal) remember(view.id, view.deal.no, { [view.deal.ply]: view.deal.head });
  const lines = [];
  if (view.deal) {
    lines.push(line(say(gettext("Deal %(no)s: commitment"), { no: view.deal.no }), view.deal.commitment));
    lines.push(line(say(gettext("Hash of the deal and its %(count)s moves"), { count: view.deal.ply }), view.deal.head));
  }
  if (view.next_commitment) lines.push(line(say(gettext("Next deal, %(no)s: commitment"), { no: fairness.deal_no }), view.next_commitment));
  if (fairness.my_client_seed) lines.push(line(gettext("Your text for the next deal"), fairness.my_client_seed));
  if (fairness.given_by.length) lines.push(line(gettext("Texts received from"), fairness.given_by.join(", ")));
  if (fairness.last_server_seed) lines.push(line(say(gettext("Deal %(no)s: revealed seed"), { no: fairness.last_deal_no }), fairness.last_server_seed));
  byId("fair").replaceChildren(...lines);
  if (!byId("seed-form")) return;
  byId("seed-form").hidden = !fairness.can_add;
  byId("fair-links").hidden = !fairness.last_deal_no;
  const { sheet, verify } = byId("table").dataset;
  byId("replay-link").href = `${sheet}${fairness.last_deal_no}/`;
  byId("dispute-link").href = `${sheet}${fairness.last_deal_no}/dispute/`;
  byId("verify-link").href = `${verify}${fairness.last_deal_no}/`;
}

/** Let the player add a text, typed or generated from random bytes. */
export function listenForSeeds(moves) {
  byId("seed-fill")?.addEventListener("click", () => {
    byId("seed").value = toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
  });
  byId("seed-form")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await moves.put("client-seed/", { text: byId("seed").value });
      byId("seed").value = "";
      toast(gettext("Your text was added to the shuffle of the next deal."), "success");
    } catch (error) {
      toastFailure(error);
    }
  });
}
