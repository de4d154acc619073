/**
 * Owns when a sensor of the headset counts as lost, and when its return is a jump.
 *
 * Trackers blink: a hand that is missing for a few frames is taken to be where it was. After HOLD_MS
 * it is lost: the server lets the arm sink to rest. From there it must not glide back through places
 * where the hand never was, so a return from loss is told as a discontinuity, and nothing is blended
 * across it, neither by the server nor by whoever watches.
 */

/** Four frames of a headset: shorter than the arm needs to leave its place visibly. */
export const HOLD_MS = 50;

export class Loss {
  private seenMs = Number.NEGATIVE_INFINITY;
  private lost = true;

  /** Forgets that the sensor was ever seen. */
  reset(): void {
    this.seenMs = Number.NEGATIVE_INFINITY;
    this.lost = true;
  }

  /** Takes whether the sensor is seen at a time. */
  note(seen: boolean, nowMs: number): 'tracked' | 'returned' | 'held' | 'lost' {
    if (seen) {
      const returned = this.lost;
      this.lost = false;
      this.seenMs = nowMs;
      return returned ? 'returned' : 'tracked';
    }
    if (!this.lost && nowMs - this.seenMs <= HOLD_MS) return 'held';
    this.lost = true;
    return 'lost';
  }
}
