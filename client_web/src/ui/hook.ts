/**
 * Owns `window.armspan`: what the page shows, for the browser test and for a curious person's
 * console. It reads, and changes nothing. It never holds the session's key.
 */

import type { DrawnBody } from '../scene/view';
import type { Session } from '../session';

export interface NamedBody extends DrawnBody {
  readonly name: string;
  /** Session times of the two samples that alone made the pose, µs; null while anything is guessed. */
  readonly between: readonly [fromUs: number, toUs: number] | null;
}

export interface ArmspanHook {
  /** Everyone as drawn in the last frame, and the session time that frame showed, µs. */
  readonly bodies: () => { readonly timeUs: number; readonly bodies: readonly NamedBody[] };
  readonly status: () => {
    readonly phase: string;
    readonly people: number;
    readonly delayUs: number;
    readonly roundTripUs: number;
    readonly snapshotsPerSecond: number;
    /** Session time of the newest snapshot, µs. */
    readonly newestUs: number;
  };
}

declare global {
  interface Window {
    armspan?: ArmspanHook;
  }
}

export function installHook(page: { session: Session; drawn: () => DrawnBody[] }): void {
  const { session } = page;
  window.armspan = {
    bodies: () => ({
      timeUs: session.playback.timeUs,
      bodies: page.drawn().map((body) => ({
        ...body,
        name: session.roster.person(body.id)?.name ?? '',
        between: session.playback.between(body.id) ?? null,
      })),
    }),
    status: () => ({
      phase: session.phase.kind,
      people: session.roster.size,
      delayUs: session.playback.delayUs,
      roundTripUs: session.playback.clock.roundTripUs,
      snapshotsPerSecond: session.meter.messagesPerSecond(performance.now()),
      newestUs: session.playback.newestUs,
    }),
  };
}
