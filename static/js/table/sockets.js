// Requests to the server, and the table's WebSocket.

const PAUSES_MS = [300, 800, 2000, 4000];
const AGAIN = new Set([502, 503, 504]);

const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";

/** Return a UUID; `crypto.randomUUID` exists on HTTPS pages only. */
function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Send JSON; retry with the same body while the network or a proxy fails. */
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

/** Sentences for error codes whose API message is meant for programs. */
const sentences = () => ({ not_authenticated: gettext("You are signed out. Reload this page to sign in again.") });

export class Refused extends Error {
  constructor({ code = "error", message = "", view = null }) {
    super(sentences()[code] || message || gettext("The server refused the request. Reload the page and try again."));
    this.code = code;
    this.view = view;
  }
}

async function answerOf(answer) {
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body);
  return body;
}

export class Moves {
  constructor(apiUrl) {
    this.apiUrl = apiUrl;
  }

  /** Send a move of the own turn; resolves to the new view or throws `Refused`. */
  play(move, version) {
    return this.post("moves/", { move_id: newId(), expected_version: version, move });
  }

  /** Send an answer in a window; without a version, because answers of several seats do not conflict. */
  answer(move, windowId) {
    return this.post("moves/", { move_id: newId(), window_id: windowId, move });
  }

  /** Send a command at one of the table's addresses (docs/api.md); resolves to its answer or throws `Refused`. */
  async post(path, body = {}) {
    return answerOf(await send(`${this.apiUrl}${path}`, "POST", body));
  }

  async put(path, body) {
    return answerOf(await send(`${this.apiUrl}${path}`, "PUT", body));
  }

  /** Return the current view, or what another address shows. */
  async get(path = "") {
    return answerOf(await fetch(`${this.apiUrl}${path}`, { headers: { Accept: "application/json" } }));
  }
}

// Keeps the view up to date: a WebSocket with backoff on reconnect, and polling meanwhile.

const RETRIES_MS = [300, 1000, 2000, 4000];
const POLL_MS = 2500;
const QUIET_MS = 25000; // Silence after which a resync is sent, to detect a half-open connection.
const ANSWER_MS = 6000;
const REFUSED_MS = 30000; // Pause after the limit of sockets was reached; polling continues meanwhile.
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
    socket.addEventListener("message", (event) => socket === this.socket && this.receive(event.data));
    socket.addEventListener("close", (event) => socket === this.socket && this.ended(event.code));
  }

  connectNow() {
    if (this.closed) return;
    if (this.socket?.readyState === WebSocket.OPEN) this.resync();
    else if (this.socket?.readyState !== WebSocket.CONNECTING) this.connect();
  }

  receive(text) {
    const message = JSON.parse(text);
    if (message.type === "error") {
      // Some servers do not deliver the close code, so a message with the code precedes it.
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

  /** Drop a socket that does not answer, without waiting for its close. */
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

  /** End the session once: the player signed out, here or on another device. */
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
      this.socket = null; // Ignore its close event.
      refused?.close();
      this.failures = RETRIES_MS.length;
    }
    const pause = atLeastMs || RETRIES_MS[Math.min(this.failures, RETRIES_MS.length - 1)];
    this.failures += 1;
    // Jitter, so that not all clients reconnect at the same time.
    this.again = setTimeout(() => this.connect(), pause * (0.75 + Math.random() / 2));
    if (this.failures >= 2 && !this.poll) this.poll = setInterval(() => this.fetchView(), POLL_MS);
  }

  async fetchView() {
    try {
      const answer = await fetch(this.viewUrl, { headers: { Accept: "application/json" } });
      if (answer.ok) this.onView(await answer.json());
      else if ((await answer.json()).code === "not_authenticated") this.endSession();
    } catch {
      // Still offline; the next poll tries again.
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
