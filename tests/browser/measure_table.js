// Return the layout faults of the table's page, and the width of each card that can be tapped.
() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility({ visibilityProperty: true }));
  const name = (each) => each.id || each.getAttribute("aria-label") || each.className;
  const box = (each) => each.getBoundingClientRect();
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) {
    const outside = all("body *").filter((each) => box(each).right > innerWidth + 1 || box(each).bottom > innerHeight + 1);
    wrong.push(`the page scrolls: ${outside.map(name).join(", ")}`);
  }
  const cards = all("#hand [data-key]");
  const parts = [...cards, ...all("#centre .stack, #centre button, #actions button, .table-bar :is(a, button), #seats .seat, #turn")];
  for (const part of parts) {
    const { left, top, right, bottom } = box(part);
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) wrong.push(`${name(part)} is cut off`);
  }
  const hits = (part, x, y) => {
    const over = document.elementFromPoint(x, y);
    return over && (part.contains(over) || over.contains(part));
  };
  for (const card of cards) {
    const { left, top, right, bottom } = box(card.querySelector(".index"));
    for (const [x, y] of [[left + 1, top + 1], [right - 1, top + 1], [left + 1, bottom - 1], [right - 1, bottom - 1]]) {
      if (!hits(card, x, y)) wrong.push(`something lies over the index of ${name(card)}`);
    }
  }
  for (const part of all("#centre .stack > :last-child, #centre button:enabled, #actions button:enabled, .table-bar :is(a, button)")) {
    const { left, top, width, height } = box(part);
    if (!hits(part, left + width / 2, top + height / 2)) wrong.push(`something lies over ${name(part)}`);
  }
  const apart = [all("#seats .seat"), all("#centre .stack"), all("#turn"), all("#hand"), all("#actions button")].flat();
  apart.forEach((one, at) => apart.slice(at + 1).forEach((other) => {
    const [a, b] = [box(one), box(other)];
    const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    if (isOver && !(one.closest("#seats") && other.closest("#seats"))) wrong.push(`${name(one)} lies over ${name(other)}`);
  }));
  for (const part of all(".name, .owner, .by, .log span, th[scope=row]")) {
    const isCut = part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).textOverflow === "ellipsis";
    if (isCut && !part.title) wrong.push(`${part.textContent} is cut and has no title`);
  }
  const buttons = all("#actions button").map(box);
  for (const [one, other] of buttons.slice(1).map((each, at) => [buttons[at], each])) {
    if (Math.max(other.left - one.right, other.top - one.bottom) > 12) wrong.push("the bar has a hole");
  }
  const isWide = matchMedia("(min-width: 46rem) and (min-height: 31.01rem) and (orientation: landscape)").matches;
  const own = all("#hand .group:not(.is-slot) [data-key]").map(box);
  if (isWide && Math.abs(own[0].left + own.at(-1).right - innerWidth) > 4) wrong.push("the hand is not centred");
  const covers = (one, other) => {
    const [a, b] = [box(one), box(other)];
    return Math.min(a.right, b.right) > Math.max(a.left, b.left) && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
  };
  for (const note of all(".toasts .note, #away")) {
    const name = note.id || "a toast";
    if (all("#seats .seat, #my-seat").some((seat) => covers(note, seat))) wrong.push(`${name} covers a player`);
    if (all(".pile .stack").some((pile) => covers(note, pile))) wrong.push(`${name} covers a pile`);
    if (!note.id && all(".table-bar :is(h1, .prize)").some((fact) => covers(note, fact))) wrong.push(`${name} covers a fact of the bar`);
  }
  const rows = [...document.querySelectorAll("#hand .row")].map((row) => [...row.querySelectorAll("[data-key]")].map((card) => box(card).left));
  const strips = rows.flatMap((lefts) => lefts.slice(1).map((left, at) => left - lefts[at]));
  return { wrong, rows: rows.length, strip: Math.min(...strips), cards: cards.length };
}
