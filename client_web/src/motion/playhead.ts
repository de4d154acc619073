/**
 * Owns the playback time: which moment of the session is on screen.
 *
 * It follows (session now − delay) at a rate near 1, never backwards, never more than
 * MAX_EXTRAPOLATION_US past the newest snapshot, and leaps forward only when it is so far behind
 * that catching up would take seconds (a tab that slept). Microseconds throughout.
 */

import { MAX_EXTRAPOLATION_US } from './track';

export const MIN_RATE = 0.8;
export const MAX_RATE = 1.25;
/** An error is worked off over about this long, within the rates above. */
const SETTLE_US = 300_000;
export const LEAP_US = 600_000;

export class Playhead {
  private time = Number.NaN;
  private lastLocalUs = 0;

  /** Session time on screen; NaN before the first snapshot. */
  get timeUs(): number {
    return this.time;
  }

  reset(): void {
    this.time = Number.NaN;
  }

  /**
   * Moves on to the local time `localUs`, at which the session's time is `sessionUs` and the
   * newest snapshot is of `newestUs` (−∞ for none yet). Returns the playback time.
   */
  advance(localUs: number, sessionUs: number, delayUs: number, newestUs: number): number {
    const passed = Math.max(localUs - this.lastLocalUs, 0);
    this.lastLocalUs = localUs;
    const limit = newestUs + MAX_EXTRAPOLATION_US;
    const wanted = Math.min(sessionUs - delayUs, limit);
    if (!Number.isFinite(wanted)) return this.time;
    if (Number.isNaN(this.time) || wanted - this.time - passed > LEAP_US) {
      this.time = wanted;
      return this.time;
    }
    const error = wanted - (this.time + passed);
    const correction = error * (1 - Math.exp(-passed / SETTLE_US));
    const step = Math.min(Math.max(passed + correction, MIN_RATE * passed), MAX_RATE * passed);
    this.time = Math.max(this.time, Math.min(this.time + step, limit));
    return this.time;
  }
}
