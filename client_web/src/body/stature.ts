/** Owns what a person's height says about where their eyes are. */

/** Eye height over stature, standing: eyes lie about 11 cm below the crown (of 1.73 m for the default 1.62 m). */
const EYES_OF_STATURE = 0.936;

/** Whom a field for one's height believes, metres. */
export const LEAST_STATURE_M = 1.0;
export const MOST_STATURE_M = 2.3;

/** The height of the eyes above the floor of someone this tall, metres. */
export function eyeHeightOf(statureM: number): number {
  return EYES_OF_STATURE * statureM;
}
