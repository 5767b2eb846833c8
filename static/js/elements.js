// Creates DOM elements; text is never parsed as markup.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const number = (...content) => el("td", { class: "number" }, ...content);

/** Return a table of figures; `titles` are texts, or [text] for a column of numbers. */
export function figures(kind, titles, rows) {
  const head = titles.map((title) => el("th", { scope: "col", class: Array.isArray(title) ? "number" : null }, ...[title].flat()));
  return el("table", { class: `figures ${kind}`.trim() }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

/** Replace a part's content only if it differs: a click needs press and release on one element. */
export function fill(part, ...content) {
  const isThere = content.length === part.childNodes.length && content.every((node, at) => node.isEqualNode(part.childNodes[at]));
  if (!isThere) part.replaceChildren(...content);
}

export const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const byId = (id) => document.getElementById(id);

/** Fill "%(name)s" in a translated sentence. */
export const say = (text, values = {}) => interpolate(text, values, true);

/** Translate a variant, which the server sends in English: `Pool 101`. */
export function variantName(variant) {
  const games = {
    Pool: gettext("Pool"),
    Points: gettext("Points"),
    Deals: gettext("Deals"),
    Straight: gettext("Straight"),
  };
  const [game, ...rest] = variant.split(" ");
  return [games[game] ?? game, ...rest].join(" ");
}
