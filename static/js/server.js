// The way to the server and back: moves are sent, views and pushes are received.

const PAUSES_MS = [300, 800, 2000, 4000];
const AGAIN = new Set([502, 503, 504]);

const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";

/** Browsers give ready-made ids to pages over HTTPS alone; a phone on a home network has none. */
function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Send JSON, again and again with the same body while the network or a proxy fails. */
async function send(url, method, body) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await fetch(url, {
        method,
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token() },
        body: JSON.stringify(body),
      });
      if (!AGAIN.has(answer.status) || attempt >= PAUSES_MS.length) return answer;
    } catch (error) {
      if (attempt >= PAUSES_MS.length) throw error;
    }
    await wait(PAUSES_MS[attempt]);
  }
}

/** The text for people of what the server says to programs. */
const inWords = () => ({ not_authenticated: gettext("You are signed out. Reload this page to sign in again.") });

export class Refused extends Error {
  constructor({ code = "error", message = "", view = null }) {
    super(inWords()[code] || message || gettext("The server did not accept that."));
    this.code = code;
    this.view = view;
  }
}

async function viewOf(answer) {
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body);
  return body;
}

export class Moves {
  constructor(apiUrl) {
    this.apiUrl = apiUrl;
  }

  /** Say one of the fixed phrases; throws `Refused`. */
  async say(phrase) {
    const answer = await send(`${this.apiUrl}phrases/`, "POST", { phrase });
    if (!answer.ok) throw new Refused(await answer.json().catch(() => ({})));
  }

  /** A move on one's turn; resolves to the new view or throws `Refused`. */
  async play(move, version) {
    const body = { move_id: newId(), expected_version: version, move };
    return viewOf(await send(`${this.apiUrl}moves/`, "POST", body));
  }

  /** An answer in a window: no version, because answers of several seats do not collide. */
  async answer(move, windowId) {
    const body = { move_id: newId(), window_id: windowId, move };
    return viewOf(await send(`${this.apiUrl}moves/`, "POST", body));
  }

  /** Add a text to the shuffle of the coming deal; resolves once it is in, or throws `Refused`. */
  async giveSeed(text) {
    return viewOf(await send(`${this.apiUrl}client-seed/`, "PUT", { text }));
  }

  /** Add to the stack; the number keeps a repetition from being paid twice. */
  async topUp(amountMinor, no) {
    return viewOf(await send(`${this.apiUrl}top-up/`, "POST", { amount_minor: amountMinor, no }));
  }

  async sitOut() {
    return viewOf(await send(`${this.apiUrl}sit-out/`, "POST", {}));
  }

  async comeBack() {
    return viewOf(await send(`${this.apiUrl}come-back/`, "POST", {}));
  }

  /** "yes" or "no" to a rejoin or a split; the same answer again counts once. */
  async answerQuestion(windowId, answer) {
    return viewOf(await send(`${this.apiUrl}windows/${windowId}/answer/`, "POST", { answer }));
  }

  /** Wait no longer for the next deal. */
  async beReady() {
    return viewOf(await send(`${this.apiUrl}ready/`, "POST", {}));
  }

  /** Sit down where the players of a finished game meet; resolves to that table's view. */
  async rematch() {
    return viewOf(await send(`${this.apiUrl}rematch/`, "POST", {}));
  }

  /** The table as it stands. */
  async look() {
    return viewOf(await fetch(this.apiUrl, { headers: { Accept: "application/json" } }));
  }

  async proposeSplit() {
    return viewOf(await send(`${this.apiUrl}split/`, "POST", {}));
  }

  /** The server's best arrangement of the own hand, at practice tables. */
  async bestArrangement() {
    const answer = await fetch(`${this.apiUrl}arrangement/`, { headers: { Accept: "application/json" } });
    return viewOf(answer);
  }

  /** The open pile with who threw each card, the top last. */
  async openPile() {
    return viewOf(await fetch(`${this.apiUrl}open-pile/`, { headers: { Accept: "application/json" } }));
  }

  async saveGroups(text) {
    const answer = await send(`${this.apiUrl}groups/`, "PUT", { groups: text });
    if (!answer.ok) await viewOf(answer);
  }
}

// Keeps the view fresh: a WebSocket, tried again with growing pauses, and plain requests meanwhile.

const RETRIES_MS = [300, 1000, 2000, 4000];
const POLL_MS = 2500;
const QUIET_MS = 25000; // So long without a word: ask, a half-open connection tells nothing.
const ANSWER_MS = 6000;
const REFUSED_MS = 30000; // The site has too many sockets of ours: plain requests do until then.
const SESSION_OVER = 4401;
const TOO_MANY = 4429;

export class TableSocket {
  constructor({ socketUrl, viewUrl, onView, onPhrase, onWire, onSessionOver }) {
    Object.assign(this, { socketUrl, viewUrl, onView, onPhrase, onWire, onSessionOver });
    Object.assign(this, { failures: 0, socket: null, closed: false });
    addEventListener("online", () => this.connectNow());
    addEventListener("offline", () => this.onWire(false));
    addEventListener("pageshow", (event) => event.persisted && this.connectNow());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.connectNow();
    });
    this.connect();
  }

  connect() {
    clearTimeout(this.again);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.socketUrl}`);
    this.socket = socket;
    socket.addEventListener("message", (event) => socket === this.socket && this.heard(event.data));
    socket.addEventListener("close", (event) => socket === this.socket && this.ended(event.code));
  }

  connectNow() {
    if (this.closed) return;
    if (this.socket?.readyState === WebSocket.OPEN) this.resync();
    else if (this.socket?.readyState !== WebSocket.CONNECTING) this.connect();
  }

  heard(text) {
    const message = JSON.parse(text);
    if (message.type === "error") {
      // Not every server gets its close code through: the message says the same before it.
      if (message.code === "session_over") this.endSession();
      if (message.code === "too_many_sockets" || message.code === "too_many_messages") this.ended(TOO_MANY);
      return;
    }
    this.failures = 0;
    clearInterval(this.poll);
    this.poll = null;
    this.onWire(true);
    this.watch();
    if (message.type === "view") this.onView(message.view);
    if (message.type === "phrase") this.onPhrase(message);
  }

  watch() {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.resync(), QUIET_MS);
  }

  resync() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ type: "resync" }));
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.abandon(), ANSWER_MS);
  }

  /** The other end is silent: drop the socket without waiting for its close. */
  abandon() {
    const dead = this.socket;
    this.socket = null;
    dead?.close();
    this.lost();
  }

  ended(code) {
    if (code === SESSION_OVER) this.endSession();
    else this.lost(code === TOO_MANY ? REFUSED_MS : 0);
  }

  /** The player is signed out, here or elsewhere: the page is no longer theirs. */
  endSession() {
    if (this.closed) return;
    this.close();
    this.onSessionOver();
  }

  lost(atLeastMs = 0) {
    clearTimeout(this.quiet);
    clearTimeout(this.again);
    if (this.closed) return;
    this.onWire(false);
    if (atLeastMs) {
      const refused = this.socket;
      this.socket = null; // Its close is no second loss.
      refused?.close();
      this.failures = RETRIES_MS.length;
    }
    const pause = atLeastMs || RETRIES_MS[Math.min(this.failures, RETRIES_MS.length - 1)];
    this.failures += 1;
    // Jitter, so that a whole site does not come back in the same instant.
    this.again = setTimeout(() => this.connect(), pause * (0.75 + Math.random() / 2));
    if (this.failures >= 2 && !this.poll) this.poll = setInterval(() => this.fetchView(), POLL_MS);
  }

  async fetchView() {
    try {
      const answer = await fetch(this.viewUrl, { headers: { Accept: "application/json" } });
      if (answer.ok) this.onView(await answer.json());
      else if ((await answer.json()).code === "not_authenticated") this.endSession();
    } catch {
      // Still offline; the next round asks again.
    }
  }

  close() {
    this.closed = true;
    clearInterval(this.poll);
    clearTimeout(this.again);
    clearTimeout(this.quiet);
    this.socket?.close();
  }
}
