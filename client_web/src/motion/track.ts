/**
 * Owns where one avatar is shown at a playback time.
 *
 * Between two samples bone rotations are slerped and the chest moves straight. Past the newest
 * sample the motion runs on for at most MAX_EXTRAPOLATION_US and slows to a stop meanwhile. When
 * the truth arrives after that, the difference to what was shown fades over FADE_US, so nothing
 * jumps. Across a discontinuity or an absence nothing is blended, nor is a part that was lost or
 * found between (see validity.ts).
 */

import { addDifference, blendPoses, poseDifference } from './blend';
import { POSE_SIZE, type Floats, type WritableFloats } from './bones';
import { Samples } from './samples';
import { ALL_KNOWN, copyChangedArms, headChanged } from './validity';

export const MAX_EXTRAPOLATION_US = 50_000;
export const FADE_US = 150_000;
/** Of two samples nearer than this the noise tells more than the motion does. */
const MIN_SPEED_SPAN_US = 25_000;
/** Samples further apart than this say nothing about speed. */
const MAX_SPEED_SPAN_US = 120_000;

const NO_DIFFERENCE = Float64Array.from({ length: POSE_SIZE }, (_, part) => (part > 3 && part % 4 === 2 ? 1 : 0));

export class Track {
  private readonly samples = new Samples();
  private readonly shown = new Float64Array(POSE_SIZE);
  private shownUs = Number.NEGATIVE_INFINITY;
  private shownMark = 0;
  private shownKnown = ALL_KNOWN;
  private ranOut = false;
  private readonly difference = new Float64Array(POSE_SIZE);
  private fadeFromUs = Number.NEGATIVE_INFINITY;
  private static readonly actual = new Float64Array(POSE_SIZE);

  get newestUs(): number {
    return this.samples.newestUs;
  }

  /**
   * The times of the two samples that alone made what was shown last; undefined while it runs on
   * past the newest, or a difference still fades.
   */
  get between(): readonly [fromUs: number, toUs: number] | undefined {
    const settled = !this.ranOut && this.shownUs - this.fadeFromUs >= FADE_US;
    const index = this.samples.indexAt(this.shownUs);
    if (!settled || index < 0) return undefined;
    const next = Math.min(index + 1, this.samples.count - 1);
    return [this.samples.timeUs(index), this.samples.timeUs(next)];
  }

  /** Whether the newest sample is of this time, give or take, and of the same continuous motion. */
  holds(timeUs: number, slackUs: number, discontinuity: number): boolean {
    const newest = this.samples.count - 1;
    return (
      newest >= 0 &&
      Math.abs(timeUs - this.samples.newestUs) < slackUs &&
      this.samples.discontinuity(newest) === discontinuity &&
      this.samples.endUs(newest) === Number.POSITIVE_INFINITY
    );
  }

  /** Keeps a copy of a pose; one that arrives after its time was played is dropped. */
  push(timeUs: number, discontinuity: number, pose: Floats, known = ALL_KNOWN): void {
    if (timeUs < this.samples.newestUs && timeUs <= this.shownUs) return;
    this.samples.add(timeUs, discontinuity, pose, known);
  }

  /** Says that the avatar was not in the snapshot of this time. */
  markAbsent(timeUs: number): void {
    this.samples.end(timeUs);
  }

  /** Whether the avatar was last heard of before this time, and then found missing. */
  endedBy(timeUs: number): boolean {
    const last = this.samples.count - 1;
    return last < 0 || timeUs >= this.samples.endUs(last);
  }

  /** Writes the pose at a time and returns true; false where there is no avatar to show. */
  sample(timeUs: number, pose: WritableFloats): boolean {
    const index = this.samples.indexAt(timeUs);
    if (index < 0 || timeUs >= this.samples.endUs(index)) {
      this.ranOut = false;
      this.fadeFromUs = Number.NEGATIVE_INFINITY;
      return false;
    }
    const mark = this.samples.discontinuity(index);
    const known = this.samples.known(index);
    if (this.ranOut && this.samples.newestUs > this.shownUs) this.startFade(mark, index);
    this.evaluate(index, timeUs, pose);
    this.applyFade(mark, known, timeUs, pose);
    this.ranOut = index === this.samples.count - 1 && timeUs > this.samples.newestUs;
    for (let part = 0; part < POSE_SIZE; part += 1) this.shown[part] = pose[part] ?? 0;
    this.shownUs = timeUs;
    this.shownMark = mark;
    this.shownKnown = known;
    return true;
  }

  private evaluate(index: number, timeUs: number, pose: WritableFloats): void {
    const { samples } = this;
    if (index === samples.count - 1) {
      this.extrapolate(index, timeUs, pose);
      return;
    }
    const from = samples.timeUs(index);
    const span = samples.timeUs(index + 1) - from;
    const t = samples.continuous(index) ? (timeUs - from) / span : 0;
    this.blend(index, index + 1, t, pose);
  }

  private extrapolate(newest: number, timeUs: number, pose: WritableFloats): void {
    const previous = this.speedFrom(newest);
    const span = previous < 0 ? 0 : this.samples.timeUs(newest) - this.samples.timeUs(previous);
    if (span <= 0 || span > MAX_SPEED_SPAN_US || !this.samples.continuous(previous)) {
      this.blend(newest, newest, 0, pose);
      return;
    }
    const past = Math.min(timeUs - this.samples.timeUs(newest), MAX_EXTRAPOLATION_US);
    const slowed = past - (past * past) / (2 * MAX_EXTRAPOLATION_US);
    this.blend(previous, newest, 1 + slowed / span, pose);
  }

  /** The sample before the newest from which its speed is told: the latest that is not too near. */
  private speedFrom(newest: number): number {
    const { samples } = this;
    const latestUs = samples.timeUs(newest) - MIN_SPEED_SPAN_US;
    let previous = newest - 1;
    while (previous > 0 && samples.timeUs(previous) > latestUs && samples.continuous(previous - 1)) {
      previous -= 1;
    }
    return previous;
  }

  private blend(a: number, b: number, t: number, pose: WritableFloats): void {
    const { samples } = this;
    blendPoses(samples.poses, samples.offset(a), samples.poses, samples.offset(b), t, pose);
    const source = samples.offset(t < 1 ? a : b);
    copyChangedArms(samples.changed(a, b), samples.poses, source, pose);
  }

  /** Measures what was shown against what is now known of that moment. */
  private startFade(mark: number, now: number): void {
    const index = this.samples.indexAt(this.shownUs);
    if (index < 0 || mark !== this.shownMark || this.samples.discontinuity(index) !== mark) return;
    const changed = this.samples.changed(index, now) | (this.samples.known(index) ^ this.shownKnown);
    if (headChanged(changed)) return;
    this.evaluate(index, this.shownUs, Track.actual);
    poseDifference(this.shown, Track.actual, this.difference);
    copyChangedArms(changed, NO_DIFFERENCE, 0, this.difference);
    this.fadeFromUs = this.shownUs;
  }

  private applyFade(mark: number, known: number, timeUs: number, pose: WritableFloats): void {
    const passed = (timeUs - this.fadeFromUs) / FADE_US;
    if (passed >= 1) return;
    const changed = known ^ this.shownKnown;
    if (mark !== this.shownMark || headChanged(changed)) {
      this.fadeFromUs = Number.NEGATIVE_INFINITY;
      return;
    }
    copyChangedArms(changed, NO_DIFFERENCE, 0, this.difference);
    addDifference(this.difference, (1 - passed) * (1 - passed) * (1 + 2 * passed), pose);
  }
}
