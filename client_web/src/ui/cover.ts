/** Owns how much of the picture lies under card, panel and toolbar, so that people stay beside them. */

import type { Covered } from '../scene/viewpoint';

/** Where there is little room, as the style sheets say it. */
export const NARROW = '(width <= 760px), (height <= 400px)';

export interface Covering {
  readonly canvas: HTMLElement;
  readonly panel: HTMLElement;
  readonly toolbar: HTMLElement;
  readonly card: HTMLElement;
}

/** CSS pixels at the right and at the lower edge. */
export function coveredBy({ canvas, panel, toolbar, card }: Covering): Covered {
  const { width, height } = canvas.getBoundingClientRect();
  const side = card.hidden ? panel : card;
  const box = side.getBoundingClientRect();
  if (!matchMedia(NARROW).matches) return { right: Math.max(width - box.left, 0), bottom: 0 };
  const lower = card.hidden ? toolbar.getBoundingClientRect() : box;
  return { right: 0, bottom: Math.min(Math.max(height - lower.top, 0), 0.6 * height) };
}
