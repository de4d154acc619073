/**
 * Owns an even pace for what is sent from a frame loop: at most so many times a second whatever
 * the display's rate is, always in the frame that is nearest to the due time. Pure.
 */

const FIRST_FRAME_MS = 1000 / 60;
const LONGEST_FRAME_MS = 50;
const LEARN = 0.1;

export class Pacer {
  private periodMs: number;
  private frameMs = FIRST_FRAME_MS;
  private lastMs = Number.NaN;
  private dueMs = Number.NaN;

  constructor(rateHz: number) {
    this.periodMs = 1000 / rateHz;
  }

  /** From now on at this rate; the next frame is due at once. */
  restart(rateHz: number): void {
    this.periodMs = 1000 / rateHz;
    this.lastMs = Number.NaN;
    this.dueMs = Number.NaN;
  }

  /** Takes a frame's time, in every frame; says whether it is one in which to send. */
  isDue(nowMs: number): boolean {
    const gapMs = nowMs - this.lastMs;
    this.lastMs = nowMs;
    if (gapMs > 0) this.frameMs += LEARN * (Math.min(gapMs, LONGEST_FRAME_MS) - this.frameMs);
    return Number.isNaN(this.dueMs) || nowMs + this.frameMs / 2 >= this.dueMs;
  }

  /** It was sent in this frame. Time lost to a slow frame is not made up for. */
  sent(nowMs: number): void {
    const soonestMs = nowMs + this.periodMs - this.frameMs / 2;
    const nextMs = this.dueMs + this.periodMs;
    this.dueMs = nextMs > soonestMs ? nextMs : soonestMs;
  }
}
