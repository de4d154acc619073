/**
 * Owns what avatars' hands do at the playback time: how the fingers are bent, and what is pointed
 * at. Hands travel on a slower lane than bodies, so they are played a little behind them: then
 * the next word of them is nearly always there. Microseconds of session time throughout; nothing is
 * allocated but for an avatar whose hands are told for the first time.
 */

import { CAPS, FINGER_JOINTS, HandsFlag, type SnapshotArrays } from '../protocol/generated';
import type { WritableFloats } from './bones';

/** The part of a decoded snapshot that tells hands, one row a person. */
export type HandsRows = Pick<
  SnapshotArrays,
  'sessionTimeUs' | 'handsCount' | 'handsIds' | 'handsFlags' | 'fingers' | 'points'
>;

/** Joints of one hand. */
const JOINTS = FINGER_JOINTS.length;
const FINGERS = 2 * JOINTS;
const POINTS = 6;
/** Numbers of one word: fingers of both hands, then both points. */
const STRIDE = FINGERS + POINTS;
const PERIOD_US = 1e6 / CAPS.HANDS_PER_S;
/** Of a period the body's own delay covers the rest. */
export const BEHIND_US = 50_000;
/** Hands that nothing was heard of for this long are at rest. */
export const FORGET_US = 1_500_000;
/** More than a second of words; the playback time is never so far behind. */
const CAPACITY = 24;
const FINGERS_FLAG = [HandsFlag.LEFT_FINGERS, HandsFlag.RIGHT_FINGERS] as const;
const POINT_FLAG = [HandsFlag.LEFT_POINT, HandsFlag.RIGHT_POINT] as const;

export const LEFT_HAND = 0;
export const RIGHT_HAND = 1;
export type HandSide = typeof LEFT_HAND | typeof RIGHT_HAND;

/** The last words about one person's hands, oldest first in a ring. */
class Words {
  readonly values = new Float32Array(CAPACITY * STRIDE);
  readonly timesUs = new Float64Array(CAPACITY).fill(Number.NEGATIVE_INFINITY);
  readonly flags = new Uint8Array(CAPACITY);
  /** The slot written last. */
  newest = 0;

  get newestUs(): number {
    return this.timesUs[this.newest] ?? Number.NEGATIVE_INFINITY;
  }

  /** The slot of the last word at or before a time; −1 if there is none. */
  slotAt(timeUs: number): number {
    for (let age = 0; age < CAPACITY; age += 1) {
      const slot = (this.newest - age + CAPACITY) % CAPACITY;
      if ((this.timesUs[slot] ?? 0) <= timeUs) return slot;
    }
    return -1;
  }
}

export class Hands {
  private readonly people = new Map<number, Words>();
  private timeUs = Number.NaN;
  // Where the person asked for stands between two words; set by `find`.
  private words: Words | undefined;
  private from = 0;
  private to = 0;
  private share = 0;

  /** Forgets everything: a new connection, maybe to a restarted server. */
  clear(): void {
    this.people.clear();
    this.timeUs = Number.NaN;
  }

  /** Forgets those of whom nothing was heard for long, by the session's newest time. */
  forget(newestUs: number): void {
    for (const [id, words] of this.people) {
      if (words.newestUs < newestUs - 2 * FORGET_US) this.people.delete(id);
    }
  }

  /** Takes the hands of a snapshot; words older than the newest are dropped. */
  receive(rows: HandsRows): void {
    for (let row = 0; row < rows.handsCount; row += 1) {
      const words = this.wordsOf(rows.handsIds[row] ?? 0);
      if (rows.sessionTimeUs <= words.newestUs) continue;
      const slot = (words.newest + 1) % CAPACITY;
      const at = slot * STRIDE;
      for (let joint = 0; joint < FINGERS; joint += 1) {
        words.values[at + joint] = rows.fingers[FINGERS * row + joint] ?? 0;
      }
      for (let axis = 0; axis < POINTS; axis += 1) {
        words.values[at + FINGERS + axis] = rows.points[POINTS * row + axis] ?? 0;
      }
      words.flags[slot] = rows.handsFlags[row] ?? 0;
      words.timesUs[slot] = rows.sessionTimeUs;
      words.newest = slot;
    }
  }

  /** Moves on to the bodies' playback time; once a frame, before the rest is asked. */
  advance(playedUs: number): void {
    this.timeUs = playedUs - BEHIND_US;
  }

  /**
   * Writes the angles of an avatar's fingers (40, radians: left hand, right hand). Returns whose
   * are known, bit 0 left, 1 right; the numbers of a hand that is not known are left alone.
   */
  fingers(id: number, out: WritableFloats): number {
    if (!this.find(id)) return 0;
    let known = 0;
    for (let side = 0; side < 2; side += 1) {
      if (this.write(FINGERS_FLAG[side] ?? 0, JOINTS * side, JOINTS, out, JOINTS * side)) {
        known |= 1 << side;
      }
    }
    return known;
  }

  /** Writes what a hand points at (3, world metres); false while it points at nothing. */
  point(id: number, side: HandSide, out: WritableFloats): boolean {
    return this.find(id) && this.write(POINT_FLAG[side], FINGERS + 3 * side, 3, out, 0);
  }

  private find(id: number): boolean {
    const words = this.people.get(id);
    if (words === undefined || Number.isNaN(this.timeUs)) return false;
    const from = words.slotAt(this.timeUs);
    const fromUs = words.timesUs[from] ?? Number.NEGATIVE_INFINITY;
    if (from < 0 || this.timeUs - fromUs > FORGET_US) return false;
    this.words = words;
    this.from = from;
    this.to = from;
    this.share = 0;
    if (from === words.newest) return true;
    this.to = (from + 1) % CAPACITY;
    const toUs = words.timesUs[this.to] ?? fromUs;
    // After a silence the hand moves within one period, not from when it was heard last.
    const beginUs = Math.max(fromUs, toUs - PERIOD_US);
    this.share = Math.max((this.timeUs - beginUs) / (toUs - beginUs), 0);
    return true;
  }

  /** Numbers of one part between its two words; what comes or goes is not blended. */
  private write(flag: number, part: number, count: number, out: WritableFloats, at: number): boolean {
    const { words, from, to } = this;
    if (words === undefined || ((words.flags[from] ?? 0) & flag) === 0) return false;
    const share = ((words.flags[to] ?? 0) & flag) === 0 ? 0 : this.share;
    for (let index = 0; index < count; index += 1) {
      const start = words.values[from * STRIDE + part + index] ?? 0;
      const end = words.values[to * STRIDE + part + index] ?? 0;
      out[at + index] = start + share * (end - start);
    }
    return true;
  }

  private wordsOf(id: number): Words {
    let words = this.people.get(id);
    if (words === undefined) {
      words = new Words();
      this.people.set(id, words);
    }
    return words;
  }
}
