// Do these steps with each hand; return its pieces (their cards, and their label or "heap"), loose cards and groups sent.
async ({ hands, steps }) => {
  window.gettext = (text) => text;
  const { Hand } = await import("/static/js/table/hand.js");
  const { kindOfGroup, whyNoGroup } = await import("/static/js/table/groups.js");
  const isOf = (code) => (key) => key.startsWith(`${code}-`);
  return hands.map(({ cards, saved, best }) => {
    const hand = new Hand();
    const select = (codes) => {
      const keys = codes.split(" ").map((code) => hand.keysInOrder().find(isOf(code)));
      hand.selected = new Set(keys);
      return keys;
    };
    const actions = {
      sort: () => hand.sort(),
      arrange: () => hand.layOut({ groups: best, finish: null }),
      group: (codes) => select(codes) && hand.groupSelected(),
      move: (code, to) => hand.move(select(code), hand.groups.findIndex((keys) => keys.some(isOf(to)))),
    };
    hand.wildRank = "7";
    hand.adopt(cards, { saved });
    for (const [step, ...rest] of steps) actions[step](...rest);
    const labelOf = (keys) => {
      const codes = hand.codes(keys);
      const kind = kindOfGroup(codes, "7");
      if (hand.isHeap(keys)) return "heap";
      return kind === "none" ? whyNoGroup(codes, "7") : kind;
    };
    const textOf = (codes) => codes.join(" ");
    return {
      pieces: hand.groups.map((keys) => [textOf(hand.codes(keys)), labelOf(keys)]),
      loose: hand.codes(hand.loose),
      sent: hand.groupsAsCodes().map(textOf),
    };
  });
}
