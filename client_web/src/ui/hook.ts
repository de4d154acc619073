/**
 * Owns `window.armspan`: what the page shows, for the browser test and for a curious person's
 * console. It reads, and changes nothing. It never holds the session's key.
 */

import type { OwnPart } from '../own_part';
import type { Participant } from '../participant';
import type { DrawnBody, View } from '../scene/view';
import type { Session } from '../session';
import type { Talk } from '../voice/talk';
import type { SoundDiagnosis } from '../voice/talkers';

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
  /** What one's own sensors said last (see Sensors); id 0 while watching. */
  readonly own: () => {
    readonly id: number;
    readonly tracked: number;
    readonly discontinuity: number;
    readonly poses: readonly number[];
    readonly pointing: number;
    readonly points: readonly number[];
    readonly fingersKnown: number;
    readonly fingers: readonly number[];
    readonly posesSent: number;
    readonly handsSent: number;
  };
  /** Where someone's laser ends as drawn, world metres; null without one. */
  readonly laser: (id: number, side: number) => readonly [number, number, number] | null;
  readonly sound: () => SoundDiagnosis;
  /** What a headset shows its wearer: who is named, and the words before the eyes. */
  readonly headset: () => { readonly named: readonly string[]; readonly words: string; readonly clarity: number };
}

export interface Hooked {
  readonly session: Session;
  readonly participant: Participant;
  readonly talk: Talk;
  readonly view: () => View | undefined;
  readonly part: () => OwnPart | undefined;
}

declare global {
  interface Window {
    armspan?: ArmspanHook;
  }
}

export function installHook({ session, participant, talk, view, part }: Hooked): void {
  window.armspan = {
    bodies: () => ({
      timeUs: session.playback.timeUs,
      bodies: (view()?.drawn() ?? []).map((body) => ({
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
    own: () => {
      const { tracked, discontinuity, poses, pointing, points, fingersKnown, fingers } = participant.sensors;
      const { posesSent, handsSent } = participant.sender;
      return {
        id: session.ownId,
        tracked,
        discontinuity,
        poses: [...poses],
        pointing,
        points: [...points],
        fingersKnown,
        fingers: [...fingers],
        posesSent,
        handsSent,
      };
    },
    laser: (id, side) => part()?.laserEnd(id, side) ?? null,
    sound: () => talk.diagnosis(),
    headset: () => {
      const { text, opacity } = part()?.words ?? { text: '', opacity: 0 };
      return { named: part()?.named ?? [], words: text, clarity: opacity };
    },
  };
}
