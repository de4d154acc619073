/**
 * Owns how far behind the session playback has to stay so that the next pose is nearly always
 * there in time.
 *
 * Just before an avatar's sample i arrives, the newest thing known of it is sample i−1. So what
 * arrival i would have needed is (session time of the arrival) − (time of sample i−1). The delay is
 * a high quantile of that need over the last few seconds: it holds the sender's and the tick's
 * period, jitter on both ways and skipped snapshots without a model of any of them. Of the avatars
 * in one snapshot the median counts: one person's bad network must not hold everyone back.
 * Microseconds throughout.
 */

import { CAPS } from '../protocol/generated';

export const MARGIN_US = 2_000;
export const MIN_DELAY_US = 15_000;
export const MAX_DELAY_US = 300_000;
/** One arrival in forty may be late; motion runs on and slows for those. */
const QUANTILE = 0.975;
const WINDOW = 300;
/** A longer gap is a sleep or an outage, and says nothing about jitter. */
const OUTAGE_US = 1_000_000;
/** What piled up during an outage arrives within this long, and is no jitter either. */
const RECOVERY_US = 500_000;
/** The quantile is found again after this many arrivals. */
const STRIDE = 6;

/** What the avatars of one snapshot needed. */
export class Needs {
  private readonly needs = new Float64Array(CAPS.PEOPLE_PER_SESSION);
  private count = 0;

  clear(): void {
    this.count = 0;
  }

  add(needUs: number): void {
    this.needs[this.count] = needUs;
    this.count = Math.min(this.count + 1, this.needs.length - 1);
  }

  /** The median, or the greater of the middle two; undefined when nobody had anything new. */
  upperMedian(): number | undefined {
    return this.count === 0
      ? undefined
      : this.needs.subarray(0, this.count).sort()[this.count >> 1];
  }
}

export class DelayEstimator {
  private readonly needs = new Float64Array(WINDOW);
  private readonly sorted = new Float64Array(WINDOW);
  private count = 0;
  private next = 0;
  private sinceUpdate = 0;
  private recoveredByUs = Number.NEGATIVE_INFINITY;
  private delay: number;

  /** `firstDelayUs` holds until enough has arrived to measure. */
  constructor(private readonly firstDelayUs: number) {
    this.delay = firstDelayUs;
  }

  get delayUs(): number {
    return this.delay;
  }

  /** Takes an arrival, and the time of what was known before it; both session time. */
  observe(arrivalUs: number, previousUs: number): void {
    const need = arrivalUs - previousUs;
    if (need >= OUTAGE_US) {
      if (arrivalUs < this.recoveredByUs) return;
      this.reset();
      this.recoveredByUs = arrivalUs + RECOVERY_US;
      return;
    }
    if (arrivalUs < this.recoveredByUs && need > 2 * this.delay) return;
    this.recoveredByUs = Number.NEGATIVE_INFINITY;
    this.needs[this.next] = Math.max(need, 0);
    this.next = (this.next + 1) % WINDOW;
    this.count = Math.min(this.count + 1, WINDOW);
    this.sinceUpdate += 1;
    if (this.sinceUpdate >= STRIDE) this.update();
  }

  reset(): void {
    this.count = 0;
    this.next = 0;
    this.sinceUpdate = 0;
    this.recoveredByUs = Number.NEGATIVE_INFINITY;
  }

  private update(): void {
    this.sinceUpdate = 0;
    const sorted = this.sorted.subarray(0, this.count);
    sorted.set(this.needs.subarray(0, this.count));
    sorted.sort();
    const need = sorted[Math.floor(QUANTILE * (this.count - 1))] ?? this.firstDelayUs;
    this.delay = Math.min(Math.max(need + MARGIN_US, MIN_DELAY_US), MAX_DELAY_US);
  }
}
