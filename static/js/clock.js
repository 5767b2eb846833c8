// The countdown, on the server's time: this device's clock may be wrong.

const TICK_MS = 200;

export class Clock {
  /** `onTick({seconds, share, inExtra})` several times a second; `onTick(null)` when nothing runs. */
  constructor(onTick) {
    this.onTick = onTick;
    this.offset = 0;
    this.full = 1;
    setInterval(() => this.tick(), TICK_MS);
  }

  adopt(view) {
    this.offset = Date.parse(view.server_now) - Date.now();
    const deadline = view.deadline && Date.parse(view.deadline);
    if (deadline !== this.deadline) this.full = Math.max(deadline - this.now(), 1000);
    this.deadline = deadline;
    this.extra = view.extra_deadline && Date.parse(view.extra_deadline);
    this.tick();
  }

  now() {
    return Date.now() + this.offset;
  }

  tick() {
    if (!this.deadline) {
      this.onTick(null);
      return;
    }
    const left = this.deadline - this.now();
    const inExtra = left <= 0 && Boolean(this.extra) && this.extra > this.deadline;
    const shown = inExtra ? this.extra - this.now() : left;
    const full = inExtra ? this.extra - this.deadline : this.full;
    this.onTick({
      seconds: Math.max(0, Math.ceil(shown / 1000)),
      share: Math.min(1, Math.max(0, shown / full)),
      inExtra,
    });
  }
}
