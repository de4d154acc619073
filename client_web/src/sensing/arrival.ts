/** Owns where a newcomer stands: in the round of those who are there, facing its middle. */

/** World metres; yaw 0 looks along −Z, positive to the left. */
export interface Arrival {
  readonly x: number;
  readonly z: number;
  readonly yaw: number;
}

export interface Spot {
  readonly x: number;
  readonly z: number;
}

/** A newcomer stands about so far from the middle, and so far from everyone: nobody fills the view. */
const ROUND_M = 1.9;
const ROOM_M = 1.6;
const WIDER_M = 0.4;
const ROUNDS = 12;
const PLACES = 16;

/** A free place among `others`; the room's middle when nobody is there. */
export function arrivalAmong(others: readonly Spot[]): Arrival {
  if (others.length === 0) return { x: 0, z: 0, yaw: 0 };
  const x = mean(others.map((each) => each.x));
  const z = mean(others.map((each) => each.z));
  let best: Spot = { x, z: z + ROUND_M };
  let bestRoom = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < ROUNDS && bestRoom < ROOM_M; round += 1) {
    for (let place = 0; place < PLACES; place += 1) {
      const angle = (2 * Math.PI * place) / PLACES;
      const radius = ROUND_M + round * WIDER_M;
      const spot = { x: x + radius * Math.sin(angle), z: z + radius * Math.cos(angle) };
      const room = Math.min(...others.map((each) => Math.hypot(each.x - spot.x, each.z - spot.z)));
      if (room > bestRoom + 1e-9) {
        best = spot;
        bestRoom = room;
      }
    }
  }
  return { ...best, yaw: Math.atan2(best.x - x, best.z - z) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
