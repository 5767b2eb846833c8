// Keeps the view fresh: a WebSocket, tried again with growing pauses, and plain requests meanwhile.

const PAUSES_MS = [300, 1000, 2000, 4000];
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
      this.failures = PAUSES_MS.length;
    }
    const pause = atLeastMs || PAUSES_MS[Math.min(this.failures, PAUSES_MS.length - 1)];
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
