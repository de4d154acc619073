/** Owns the arc of a teleport: thrown from a hand, where it meets the floor, and whether one may go there. */

import { CAPS } from '../protocol/generated';

type Floats = ArrayLike<number>;

/** As one throws a ball: 40° up from the hip reaches about 7 m. */
const SPEED_M_S = 7.5;
/** Steeper throws only come down nearer, from where nobody looks. */
const STEEPEST = Math.sin((40 * Math.PI) / 180);
/** A hand that points up from here points nowhere. */
const UPWARDS = Math.sin((75 * Math.PI) / 180);
const GRAVITY_M_S2 = 9.81;
const FARTHEST_M = 9;
/** Room for a body and an arm within what the protocol may tell. */
const LAST_M = CAPS.COORDINATE_M - 5;
export const ARC_POINTS = 24;

export class Arc {
  /** Along the arc from the hand to the floor, world xyz. */
  readonly points = new Float64Array(3 * ARC_POINTS);
  valid = false;

  get x(): number {
    return this.points[3 * ARC_POINTS - 3] ?? 0;
  }

  get z(): number {
    return this.points[3 * ARC_POINTS - 1] ?? 0;
  }

  /** Throws from `origin` along `direction` (unit), world; `eyes` (world) say who would go. */
  throw(origin: Floats, direction: Floats, eyes: Floats): void {
    const height = Math.max(origin[1] ?? 0, 0);
    const level = Math.sqrt((direction[0] ?? 0) ** 2 + (direction[2] ?? 0) ** 2);
    const rise = Math.min(direction[1] ?? 0, STEEPEST);
    const ahead = level < 1e-6 ? 0 : (SPEED_M_S * Math.sqrt(1 - rise * rise)) / level;
    const up = SPEED_M_S * rise;
    const flight = (up + Math.sqrt(up * up + 2 * GRAVITY_M_S2 * height)) / GRAVITY_M_S2;
    for (let index = 0; index < ARC_POINTS; index += 1) {
      const time = (flight * index) / (ARC_POINTS - 1);
      const fallen = up * time - (GRAVITY_M_S2 / 2) * time * time;
      this.points[3 * index] = (origin[0] ?? 0) + ahead * (direction[0] ?? 0) * time;
      this.points[3 * index + 1] = Math.max(height + fallen, 0);
      this.points[3 * index + 2] = (origin[2] ?? 0) + ahead * (direction[2] ?? 0) * time;
    }
    const far = Math.sqrt((this.x - (eyes[0] ?? 0)) ** 2 + (this.z - (eyes[2] ?? 0)) ** 2);
    const somewhere = (direction[1] ?? 0) < UPWARDS;
    this.valid =
      somewhere && far <= FARTHEST_M && Math.abs(this.x) <= LAST_M && Math.abs(this.z) <= LAST_M;
  }
}
