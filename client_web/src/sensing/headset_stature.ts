/**
 * Owns how large a person is by what a headset says: the height of the eyes when standing, and the
 * lengths that go with it. Metres.
 */

import { DEFAULT_LENGTHS, LENGTHS, type Lengths } from '../protocol/generated';

/** Eyes lower than this are those of someone who sits: their height says nothing about their arms. */
export const LOWEST_STANDING_M = 1.3;
const HIGHEST_STANDING_M = 2.2;
/** A head that stays within this for so long stands still. */
const STILL_M = 0.04;
const STILL_S = 3;

/**
 * The default lengths, scaled to a person with eyes at this height when standing. A height of
 * someone who sits changes nothing but itself.
 */
export function lengthsForEyeHeight(eyeHeightM: number): Lengths {
  const standing = eyeHeightM >= LOWEST_STANDING_M;
  const scale = standing ? eyeHeightM / DEFAULT_LENGTHS.eyeHeightM : 1;
  const scaled = LENGTHS.map(({ name, low, high }) => {
    const length = name === 'eyeHeightM' ? eyeHeightM : scale * DEFAULT_LENGTHS[name];
    return [name, Math.min(Math.max(length, low), high)] as const;
  });
  return Object.fromEntries(scaled) as unknown as Lengths;
}

/** Waits until someone has stood still for a while, and then says once how high their eyes are. */
export class Stature {
  private lowest = Number.POSITIVE_INFINITY;
  private highest = Number.NEGATIVE_INFINITY;
  private stillS = 0;
  private told = false;

  /** Begins anew: the person asked for it, or it is another one. */
  measureAgain(): void {
    this.told = false;
    this.forget();
  }

  /** Takes the height of the eyes; returns it once, when it is settled. */
  read(eyesM: number, passedS: number): number | undefined {
    if (this.told) return undefined;
    this.lowest = Math.min(this.lowest, eyesM);
    this.highest = Math.max(this.highest, eyesM);
    this.stillS += passedS;
    const stands = eyesM >= LOWEST_STANDING_M && eyesM <= HIGHEST_STANDING_M;
    if (!stands || this.highest - this.lowest > STILL_M) this.forget();
    if (this.stillS < STILL_S) return undefined;
    this.told = true;
    return (this.lowest + this.highest) / 2;
  }

  private forget(): void {
    this.lowest = Number.POSITIVE_INFINITY;
    this.highest = Number.NEGATIVE_INFINITY;
    this.stillS = 0;
  }
}
