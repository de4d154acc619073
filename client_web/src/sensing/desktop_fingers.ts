/**
 * Owns how a desktop person's fingers lie: at rest, reaching, pinching and pointing. Angles in the
 * protocol's order: four of the thumb, then flexion, spread and two more flexions of each finger.
 */

import { FINGER_COUNT } from './sensors';

type Degrees = readonly number[];

function radians(degrees: Degrees): Float64Array {
  return Float64Array.from(degrees, (angle) => (angle * Math.PI) / 180);
}

export const RELAXED = radians([
  8, 20, 12, 12, 16, 4, 24, 12, 22, 0, 30, 16, 27, -3, 34, 18, 30, -8, 34, 18,
]);
export const OPEN = radians([
  0, 22, 4, 4, 6, 6, 9, 5, 8, 0, 11, 6, 10, -5, 13, 7, 12, -11, 14, 8,
]);
export const PINCH = radians([
  24, 46, 18, 22, 52, -2, 52, 26, 30, 0, 38, 20, 24, -4, 30, 16, 20, -9, 26, 14,
]);
export const INDEX_OUT = radians([
  30, 42, 34, 38, 0, 0, 3, 2, 82, 0, 98, 58, 86, -2, 98, 58, 86, -4, 92, 54,
]);

const MOVE_S = 0.06;
const SAME_RAD = 0.004;

/** The fingers of one hand, on their way from one posture to another. */
export class Fingers {
  readonly angles = RELAXED.slice();

  /** Moves towards a posture; says whether they are anything but relaxed. */
  update(goal: Float64Array, passedS: number): boolean {
    const keep = Math.exp(-passedS / MOVE_S);
    let furthest = 0;
    for (let joint = 0; joint < FINGER_COUNT; joint += 1) {
      const wanted = goal[joint] ?? 0;
      const angle = wanted + ((this.angles[joint] ?? 0) - wanted) * keep;
      // Arrives at last: angles that creep for ever would be sent for ever.
      this.angles[joint] = Math.abs(angle - wanted) < 1e-4 ? wanted : angle;
      furthest = Math.max(furthest, Math.abs(angle - (RELAXED[joint] ?? 0)));
    }
    return furthest > SAME_RAD;
  }
}
