/**
 * Owns a bounded, ordered store of the poses of one avatar. Index 0 is the oldest; times are
 * session time in microseconds and strictly increasing. Storing a pose allocates nothing.
 */

import { POSE_SIZE, type Floats } from './bones';
import { headChanged } from './validity';

/** A second at 60 a second. */
export const SAMPLE_CAPACITY = 64;

export class Samples {
  /** Poses by slot; `offset(index)` says where one starts. */
  readonly poses = new Float64Array(SAMPLE_CAPACITY * POSE_SIZE);
  private readonly times = new Float64Array(SAMPLE_CAPACITY);
  private readonly marks = new Uint8Array(SAMPLE_CAPACITY);
  private readonly knowns = new Uint8Array(SAMPLE_CAPACITY);
  private readonly ends = new Float64Array(SAMPLE_CAPACITY);
  private readonly order = new Uint8Array(SAMPLE_CAPACITY);
  private stored = 0;

  constructor() {
    for (let slot = 0; slot < SAMPLE_CAPACITY; slot += 1) this.order[slot] = slot;
  }

  get count(): number {
    return this.stored;
  }

  get newestUs(): number {
    return this.stored === 0 ? Number.NEGATIVE_INFINITY : this.timeUs(this.stored - 1);
  }

  timeUs(index: number): number {
    return this.times[this.slot(index)] ?? 0;
  }

  /** The discontinuity counter that came with the sample. */
  discontinuity(index: number): number {
    return this.marks[this.slot(index)] ?? 0;
  }

  /** What was known of the body in the sample: bits of validity.ts. */
  known(index: number): number {
    return this.knowns[this.slot(index)] ?? 0;
  }

  /** When the avatar was found missing after this sample; infinity if it was not. */
  endUs(index: number): number {
    return this.ends[this.slot(index)] ?? 0;
  }

  offset(index: number): number {
    return this.slot(index) * POSE_SIZE;
  }

  /** Index of the last sample at or before a time, or −1. */
  indexAt(timeUs: number): number {
    let index = this.stored - 1;
    while (index >= 0 && this.timeUs(index) > timeUs) index -= 1;
    return index;
  }

  /** Stores a copy in its place by time. Repeated, and older than all of a full store: dropped. */
  add(timeUs: number, discontinuity: number, pose: Floats, known: number): void {
    const before = this.indexAt(timeUs);
    if (before >= 0 && this.timeUs(before) === timeUs) return;
    const slot = this.makeRoom(before + 1);
    if (slot < 0) return;
    this.times[slot] = timeUs;
    this.marks[slot] = discontinuity;
    this.knowns[slot] = known;
    this.ends[slot] = Number.POSITIVE_INFINITY;
    const offset = slot * POSE_SIZE;
    for (let part = 0; part < POSE_SIZE; part += 1) this.poses[offset + part] = pose[part] ?? 0;
  }

  /** Notes that the avatar was missing at a time after the newest sample. */
  end(timeUs: number): void {
    if (this.stored === 0 || timeUs <= this.newestUs) return;
    const slot = this.slot(this.stored - 1);
    this.ends[slot] = Math.min(this.ends[slot] ?? timeUs, timeUs);
  }

  /** Whether the avatar moved without interruption from this sample to the next one. */
  continuous(index: number): boolean {
    return (
      this.endUs(index) === Number.POSITIVE_INFINITY &&
      this.discontinuity(index) === this.discontinuity(index + 1) &&
      !headChanged(this.changed(index, index + 1))
    );
  }

  /** Bits of the parts that were lost or found anywhere from one sample to a later one. */
  changed(from: number, to: number): number {
    let changed = 0;
    for (let index = from; index < to; index += 1) changed |= this.known(index) ^ this.known(index + 1);
    return changed;
  }

  private slot(index: number): number {
    return this.order[index] ?? 0;
  }

  /** A slot for a sample that goes to `index`; the oldest gives way when all are taken. */
  private makeRoom(index: number): number {
    if (this.stored < SAMPLE_CAPACITY) {
      const slot = this.slot(this.stored);
      this.order.copyWithin(index + 1, index, this.stored);
      this.order[index] = slot;
      this.stored += 1;
      return slot;
    }
    if (index === 0) return -1;
    const slot = this.slot(0);
    this.order.copyWithin(0, 1, index);
    this.order[index - 1] = slot;
    return slot;
  }
}
