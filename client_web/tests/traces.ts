/** Owns seeded traces of arrivals, and smooth motion to send along them. */

import { POSE_SIZE } from '../src/motion/bones';
import { CAPS, Provenance, SnapshotArrays } from '../src/protocol/generated';

/** A small seeded generator of numbers in 0…1 (mulberry32, public domain). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export interface Arrival {
  readonly sessionUs: number;
  readonly localUs: number;
}

export const TICK_US = 1e6 / 60;

/**
 * Arrivals over an ordered connection: a tick's snapshot is `latencyUs` under way, plus
 * exponential jitter; during a gap nothing gets through, and then all of it at once.
 */
export function arrivals(options: {
  seconds: number;
  latencyUs?: number;
  jitterUs?: number;
  gaps?: readonly (readonly [startUs: number, lengthUs: number])[];
  clockOffsetUs?: number;
  seed?: number;
}): Arrival[] {
  const { seconds, latencyUs = 5_000, jitterUs = 0, gaps = [], clockOffsetUs = 0 } = options;
  const next = random(options.seed ?? 1);
  const result: Arrival[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let tick = 0; tick < seconds * 60; tick += 1) {
    const sessionUs = Math.round(tick * TICK_US);
    let at = sessionUs + latencyUs - jitterUs * Math.log(1 - next());
    for (const [start, length] of gaps) if (at >= start && at < start + length) at = start + length;
    last = Math.max(at, last);
    result.push({ sessionUs, localUs: last - clockOffsetUs });
  }
  return result;
}

/** A pose whose chest moves along x at a varying speed of at most 1 m/s, and whose arms swing. */
export function movingPose(timeUs: number): Float64Array {
  const seconds = timeUs / 1e6;
  const pose = new Float64Array(POSE_SIZE);
  pose[0] = Math.sin(2 * seconds) / 2;
  pose[1] = 1.3;
  for (let part = 3; part < POSE_SIZE; part += 4) {
    const angle = Math.sin(1.5 * seconds + part);
    pose[part] = Math.sin(angle / 2);
    pose[part + 3] = Math.cos(angle / 2);
  }
  return pose;
}

/** A snapshot of avatars that all move alike. */
export function snapshot(sessionTimeUs: number, ids: readonly number[], discontinuity = 0): SnapshotArrays {
  const seconds = sessionTimeUs / 1e6;
  const rows = new SnapshotArrays(ids.length);
  rows.count = ids.length;
  rows.sessionTimeUs = sessionTimeUs;
  rows.ids.set(ids);
  rows.discontinuity.fill(discontinuity);
  rows.provenance.fill(Provenance.TRACKED);
  ids.forEach((_, row) => {
    rows.worldFromChest.set([Math.sin(2 * seconds) / 2, 1.3, 0], 7 * row);
    rows.worldFromChest.set([0, Math.sin(seconds / 4), 0, Math.cos(seconds / 4)], 7 * row + 3);
    rows.headRotation.set([0, 0, 0, 1], 4 * row);
    for (let joint = 0; joint < 15; joint += 1) {
      rows.jointAngles[15 * row + joint] = 0.8 * Math.sin(seconds * 1.5 + joint);
    }
  });
  return rows;
}

/** Ticks whose poses were sampled by a sender with its own rate, jitter and pauses. */
export interface Sender {
  readonly rateHz: number;
  readonly jitterUs?: number;
  readonly pauses?: readonly (readonly [startUs: number, lengthUs: number])[];
  readonly seed?: number;
}

export interface Sampled {
  readonly sampledUs: number;
  /** At the tick, as the wire tells it: in its units, and up to its limit. */
  readonly ageUs: number;
}

/** For each tick the newest sample that had reached the server. */
export function sampledAt(sender: Sender, seconds: number): (tickUs: number) => Sampled {
  const { rateHz, jitterUs = 0, pauses = [], seed = 1 } = sender;
  const next = random(seed);
  const times: { sampledUs: number; arrivedUs: number }[] = [];
  let lastUs = 0;
  for (let index = 0; index < seconds * rateHz; index += 1) {
    const sampledUs = 3_000 + (index * 1e6) / rateHz;
    if (pauses.some(([start, length]) => sampledUs >= start && sampledUs < start + length)) continue;
    lastUs = Math.max(lastUs, sampledUs + 1_000 - jitterUs * Math.log(1 - next()));
    times.push({ sampledUs, arrivedUs: lastUs });
  }
  return (tickUs) => {
    let newest = times[0]?.sampledUs ?? 0;
    for (const { sampledUs, arrivedUs } of times) if (arrivedUs <= tickUs) newest = sampledUs;
    const units = Math.round(Math.max(tickUs - newest, 0) / CAPS.SAMPLE_AGE_UNIT_US);
    return { sampledUs: newest, ageUs: Math.min(units, 4095) * CAPS.SAMPLE_AGE_UNIT_US };
  };
}
