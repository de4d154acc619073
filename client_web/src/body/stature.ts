/** Owns what a person's height says about where their eyes are. */

/**
 * Eye height over stature, standing. The mean of men and women of the 2012 survey of US Army
 * personnel (ANSUR II) is 0.93 to 0.94 for both, with a spread of 0.005 between people.
 */
const EYES_OF_STATURE = 0.936;

/** Whom a field for one's height believes, metres. */
export const LEAST_STATURE_M = 1.0;
export const MOST_STATURE_M = 2.3;

/** The height of the eyes above the floor of someone this tall, metres. */
export function eyeHeightOf(statureM: number): number {
  return EYES_OF_STATURE * statureM;
}
