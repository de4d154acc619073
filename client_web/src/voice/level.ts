/** Owns how loud sound is, and from when to when it counts as speech. */

/** Below this there is silence, whatever the number says. */
export const SILENCE_DB = -100;
export const SPEAKS_FROM_DB = -48;
export const SPEAKS_UNTIL_DB = -54;
/** Pauses between words are part of speech. */
export const PAUSE_MS = 350;

/** Loudness of samples (−1…1): their root mean square, in decibels of full scale. */
export function loudnessDb(samples: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < samples.length; index += 1) sum += (samples[index] ?? 0) ** 2;
  const power = samples.length === 0 ? 0 : sum / samples.length;
  return power > 0 ? Math.max(10 * Math.log10(power), SILENCE_DB) : SILENCE_DB;
}

/** Who speaks: on from one loudness, off below a lower one that lasts. */
export class Speech {
  private on = false;
  private loudMs = Number.NEGATIVE_INFINITY;

  get speaking(): boolean {
    return this.on;
  }

  /** Takes the loudness now; true when speech began or ended with it. */
  observe(db: number, nowMs: number): boolean {
    const before = this.on;
    if (db >= (this.on ? SPEAKS_UNTIL_DB : SPEAKS_FROM_DB)) {
      this.on = true;
      this.loudMs = nowMs;
    } else if (nowMs - this.loudMs >= PAUSE_MS) {
      this.on = false;
    }
    return this.on !== before;
  }
}
