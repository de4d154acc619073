/**
 * Owns what thumbsticks and pinches ask for: snap turns and teleports. Pure; angles in radians.
 * A command needs a decided move, and the next one needs the stick to come back first.
 */

/** How far a step turns unless the person wants it otherwise. */
export const SNAP_RAD = Math.PI / 6;
const PUSHED = 0.7;
const CENTRED = 0.4;
/** Thumb and index finger closer than this pinch; farther apart than that they no longer do. */
export const PINCHED_M = 0.015;
export const RELEASED_M = 0.03;
/** From here on the fingers begin to close. */
const OPEN_M = 0.07;
const CLOSED = 255;
/** What a hand shows that is not quite pinching, at the most. */
const NEARLY_CLOSED = 230;

/** Turns in steps: a smooth turn that the inner ear does not feel makes people ill. */
export class SnapTurn {
  /** How far one step turns, radians. */
  stepRad = SNAP_RAD;
  private ready = true;

  /** Takes the stick's x (−1 left … 1 right); returns how far to turn about +Y now. */
  read(x: number): number {
    if (Math.abs(x) < CENTRED) this.ready = true;
    if (!this.ready || Math.abs(x) < PUSHED) return 0;
    this.ready = false;
    return x > 0 ? -this.stepRad : this.stepRad;
  }
}

/** Aiming lasts while something is held, and its release goes there. */
export class Aim {
  active = false;

  /** True in the one frame in which an aim ends by release. */
  read(held: boolean): boolean {
    const released = this.active && !held;
    this.active = held;
    return released;
  }

  /** Ends the aim without going anywhere: what aimed is gone. */
  cancel(): void {
    this.active = false;
  }
}

/** A stick that aims: pushed forward to begin, back to the middle to go. */
export class AimStick {
  private held = false;

  /** Takes the stick's axes (y −1 forward); says whether it still aims. */
  read(x: number, y: number): boolean {
    if (this.held) this.held = x * x + y * y >= CENTRED * CENTRED;
    else this.held = y <= -PUSHED && Math.abs(x) < PUSHED;
    return this.held;
  }
}

/** A pinch with hysteresis, so that trembling fingers do not click twice. */
export class Pinch {
  pinched = false;

  /** Takes the gap between the tips, metres; returns how closed it is, 0 to 255 (only then pinched). */
  read(gapM: number): number {
    this.pinched = gapM < (this.pinched ? RELEASED_M : PINCHED_M);
    if (this.pinched) return CLOSED;
    const open = (gapM - PINCHED_M) / (OPEN_M - PINCHED_M);
    return Math.round(NEARLY_CLOSED * (1 - Math.min(Math.max(open, 0), 1)));
  }

  reset(): void {
    this.pinched = false;
  }
}
