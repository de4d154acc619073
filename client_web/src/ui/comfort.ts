/** Owns what makes a session comfortable for a person: how they turn in VR, and how much moves. */

import { remember, remembered } from './remembered';

export const SNAP_TURNS_DEG = [30, 45, 60, 90] as const;
const USUAL_TURN_DEG = 30;

/** `system`: as the person told their system. */
export type Motion = 'system' | 'less' | 'full';

export interface Comfort {
  /** How far one press turns in VR, degrees. */
  readonly snapTurnDeg: number;
  readonly motion: Motion;
}

export function rememberedComfort(): Comfort {
  const turn = Number(remembered('snap-turn'));
  const motion = remembered('motion');
  return {
    snapTurnDeg: SNAP_TURNS_DEG.find((each) => each === turn) ?? USUAL_TURN_DEG,
    motion: motion === 'less' || motion === 'full' ? motion : 'system',
  };
}

export function rememberComfort(comfort: Comfort): void {
  remember('snap-turn', String(comfort.snapTurnDeg));
  remember('motion', comfort.motion);
}

/** Makes the page's own style follow; call it at the start and after every change. */
export function wearMotion({ motion }: Comfort): void {
  document.documentElement.dataset['motion'] = motion;
}

/** Whether the page should move less than it could. */
export function movesLess({ motion }: Comfort): boolean {
  return motion === 'less' || (motion === 'system' && matchMedia('(prefers-reduced-motion: reduce)').matches);
}
