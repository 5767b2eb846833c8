// The fairness panel: commitments, the texts received, and the last deal's seed.

import { byId, el, say } from "../elements.js";
import { remember } from "../seen.js";
import { commitToSeed, seedOf } from "../shares.js";

let sent = "";
const nth = (name, draw) => (draw ? `${name}-${draw}` : name);

const line = (title, text) => el("div", {}, el("dt", {}, title), el("dd", {}, el("code", {}, text)));

export function drawFairness(view) {
  const { fairness } = view;
  if (view.next_commitment) remember(view.id, fairness.deal_no, { [nth("commitment", fairness.draw)]: view.next_commitment, [nth("chain", fairness.draw)]: fairness.chain });
  if (view.deal) remember(view.id, view.deal.no, { [view.deal.ply]: view.deal.head });
  const lines = [];
  if (view.deal) {
    lines.push(line(say(gettext("Deal %(no)s: commitment"), { no: view.deal.no }), view.deal.commitment));
    lines.push(line(say(gettext("Hash of the deal and its %(count)s moves"), { count: view.deal.ply }), view.deal.head));
  }
  if (view.next_commitment) lines.push(line(say(gettext("Next deal, %(no)s: commitment"), { no: fairness.deal_no }), view.next_commitment));
  const own = fairness.my_client_seed ?? fairness.my_commitment;
  if (own) lines.push(line(fairness.my_client_seed ? gettext("Your seed for the next deal") : gettext("Hash of your seed for the next deal"), own));
  if (fairness.given_by.length) lines.push(line(gettext("Seeds added by"), fairness.given_by.join(", ")));
  if (fairness.last_server_seed) lines.push(line(say(gettext("Deal %(no)s: revealed seed"), { no: fairness.last_deal_no }), fairness.last_server_seed));
  byId("fair").replaceChildren(...lines);
  if (!byId("fair-links")) return;
  byId("fair-links").hidden = !fairness.last_deal_no;
  const { sheet, verify } = byId("table").dataset;
  byId("replay-link").href = `${sheet}${fairness.last_deal_no}/`;
  byId("dispute-link").href = `${sheet}${fairness.last_deal_no}/dispute/`;
  byId("verify-link").href = `${verify}${fairness.last_deal_no}/`;
}

/** Commit to a seed for the next deal, and reveal it when no other seat can add one any more. */
export async function shareIn({ id, fairness }, moves) {
  const { deal_no: no, draw, can_add: canAdd, must_reveal: mustReveal, my_commitment: hash } = fairness;
  const name = `${no}/${draw}/${mustReveal}`;
  if (!(canAdd || mustReveal) || name === sent) return;
  sent = name;
  const text = mustReveal ? seedOf(hash) : await commitToSeed();
  if (!text) return; // Another browser committed to it, or this one keeps nothing.
  if (mustReveal) remember(id, no, { [nth("seed", draw)]: text });
  // A refusal needs no answer: the deal takes no more seeds. Without one, the next view tries again.
  moves.put("client-seed/", { text }).catch((error) => {
    if (!error.code) sent = "";
  });
}
