// The verdict of a page that checks files in the browser: a title, and the list of checks.

import { byId, el, say } from "./elements.js";

/** A file that is wrong, and the number of the line that is. */
export class BadFile extends Error {
  constructor(message, line = null) {
    super(line === null ? message : say(gettext("Line %(line)s: %(message)s"), { line, message }));
    this.line = line;
  }
}

/** Add a check to the list: `good`, `bad`, or `open` if it was not made. */
export function show(kind, title, detail = "") {
  byId("checks").append(el("li", { class: kind }, el("span", {}, title), detail ? el("code", {}, detail) : ""));
}

/** Return the message of the `BadFile` that `work` throws, or null. */
export async function faultOf(work) {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    return error.message;
  }
}

/** Show the verdict that `work` returns, or `refused` for the message of a `BadFile`. */
async function judge(work, refused) {
  const title = byId("verdict-title");
  byId("checks").replaceChildren();
  byId("verdict").hidden = false;
  title.textContent = crypto.subtle ? gettext("Checking…") : gettext("Browsers compute hashes on HTTPS pages only. Open this page over HTTPS.");
  if (!crypto.subtle) return;
  let verdict = "";
  const message = await faultOf(async () => {
    verdict = await work();
  });
  title.textContent = message === null ? verdict : refused(message);
  byId("verdict").scrollIntoView({ block: "nearest" });
}

/** Judge what is pasted or chosen: `work` gets a list of {name, text}, and returns a verdict. */
export function judgeFiles(work, refused) {
  const judged = (sources) => judge(() => work(sources), refused);
  byId("verify").addEventListener("submit", (event) => {
    event.preventDefault();
    judged([{ text: byId("text").value }]);
  });
  byId("file").addEventListener("change", async ({ target }) => {
    const files = [...target.files];
    if (!files.length) return;
    byId("file-name").textContent = files.map((file) => file.name).join(", ");
    const sources = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    byId("text").value = sources.length > 1 ? "" : sources[0].text;
    judged(sources);
  });
  return judged;
}
