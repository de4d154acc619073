/** Owns how much a frame allocates: what a frame loop does must not wake the garbage collector. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const WARM_UP = 10_000;
const MEASURED = 4_000;
const TRIES = 40;

/**
 * Bytes that one call leaves on the heap, in the best of some tries: a busy machine takes its time
 * to compile. Ends as soon as it is below `enough`.
 */
export function bytesPerCall(call: () => void, enough: number): number {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < WARM_UP; time += 1) call();
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least >= enough; attempt += 1) {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let time = 0; time < MEASURED; time += 1) call();
    const grown = (process.memoryUsage().heapUsed - before) / MEASURED;
    if (grown >= 0) least = Math.min(least, grown);
  }
  return least;
}
