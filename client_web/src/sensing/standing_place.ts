/** Owns where a newcomer stands: in a circle with the others, apart from each, facing the middle. */

export interface StandingPlace {
  readonly x: number;
  readonly z: number;
  /** 0 looks along −Z, positive to the left. */
  readonly yaw: number;
}

const FIRST_RING_M = 1.5;
const RING_M = 1.3;
const RINGS = 12;
const APART_M = 1.15;
/** People who come at once do not know of each other yet: each begins to look somewhere else. */
const GOLDEN_ANGLE = 2.399963;

/**
 * A free place near the others. `others`: where they stand, x and z in turn, metres. `seat`: any
 * number that two newcomers do not share, as their ids.
 */
export function standingPlace(others: readonly number[], seat: number): StandingPlace {
  let x = 0;
  let z = 0;
  const count = others.length >> 1;
  for (let index = 0; index < count; index += 1) {
    x += (others[2 * index] ?? 0) / count;
    z += (others[2 * index + 1] ?? 0) / count;
  }
  let best: StandingPlace = { x, z: z + FIRST_RING_M, yaw: 0 };
  let bestRoom = Number.NEGATIVE_INFINITY;
  for (let ring = 0; ring < RINGS; ring += 1) {
    const radius = FIRST_RING_M + RING_M * ring;
    const places = Math.floor((2 * Math.PI * radius) / (1.3 * APART_M));
    for (let step = 0; step < places; step += 1) {
      const yaw = GOLDEN_ANGLE * seat + (2 * Math.PI * step) / places;
      const place = { x: x + radius * Math.sin(yaw), z: z + radius * Math.cos(yaw), yaw };
      const room = roomAround(place, others);
      if (room >= APART_M) return place;
      if (room > bestRoom) [best, bestRoom] = [place, room];
    }
  }
  return best;
}

/** How far the nearest of the others is. */
function roomAround({ x, z }: StandingPlace, others: readonly number[]): number {
  let room = Number.POSITIVE_INFINITY;
  for (let index = 0; index + 1 < others.length; index += 2) {
    room = Math.min(room, Math.hypot((others[index] ?? 0) - x, (others[index + 1] ?? 0) - z));
  }
  return room;
}
