/** Owns how long to wait before trying to connect again. */

const FIRST_MS = 500;
const MOST_MS = 15_000;

/**
 * The wait before attempt number `attempt` (1 is the first retry): doubling, capped, and spread
 * by `random` (0…1) over its upper half, so that a restarted server is not met by everyone at once.
 */
export function waitMs(attempt: number, random: number): number {
  const whole = Math.min(FIRST_MS * 2 ** Math.max(attempt - 1, 0), MOST_MS);
  return whole * (0.5 + 0.5 * random);
}
