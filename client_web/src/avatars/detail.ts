/** Owns how finely a body is drawn: by its height on the screen, and steadily. */

/** A body this many drawn pixels high or higher has level 0, level 1, and so on; below: the last. */
const HEIGHTS_PX = [330, 110] as const;
/** A level is left only when the height is so much beyond its end. */
const SLACK = 0.15;

/**
 * The level for a body of `heightPx` that has level `present` now (−1: none yet), of `levels` there
 * are, none finer than `finest`.
 */
export function levelFor(heightPx: number, present: number, levels: number, finest: number): number {
  let level = 0;
  for (const edge of HEIGHTS_PX) {
    const other = HEIGHTS_PX.indexOf(edge) < present ? edge * (1 + SLACK) : edge * (1 - SLACK);
    if (heightPx < (present < 0 ? edge : other)) level += 1;
  }
  return Math.min(Math.max(level, finest), levels - 1);
}
