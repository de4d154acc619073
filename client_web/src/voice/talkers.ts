/** Owns how the others in the talk are told to the page, and what a test may ask about the sound. */

import { Voice, type Person } from '../protocol/generated';
import type { Hearing } from './hearing';
import type { Mesh } from './mesh';
import type { LineState } from './recovery';

export type PersonTalking = Pick<Person, 'id' | 'name' | 'voice'>;

/** One of the others in the talk. */
export interface Talker {
  readonly id: number;
  readonly name: string;
  readonly muted: boolean;
  readonly speaking: boolean;
  /** Undefined until one is in the talk oneself. */
  readonly line: LineState | undefined;
  /** For this listener: 0 not at all, 1 as they are, 2 at most. */
  readonly volume: number;
}

/** Those whose voice is on, but for one's own. */
export function talking(people: readonly PersonTalking[], ownId: number): PersonTalking[] {
  return people.filter(({ id, voice }) => id !== ownId && voice !== Voice.OFF);
}

/** As the list of people shows it. */
export type PersonVoice = 'off' | 'muted' | 'open' | 'speaking';

export function voiceOf(voice: Voice | undefined, speaking: boolean): PersonVoice {
  if (voice === undefined || voice === Voice.OFF) return 'off';
  if (voice === Voice.MUTED) return 'muted';
  return speaking ? 'speaking' : 'open';
}

export function talkerOf(
  { id, name, voice }: PersonTalking,
  sources: { readonly mesh: Mesh; readonly hearing: Hearing },
): Talker {
  return {
    id,
    name,
    muted: voice === Voice.MUTED,
    speaking: sources.hearing.speaking(id),
    line: sources.mesh.state(id),
    volume: sources.hearing.volume(id),
  };
}

/** Decibels of full scale, metres. */
export interface SoundDiagnosis {
  readonly ears: readonly [leftDb: number, rightDb: number];
  readonly ownDb: number;
  readonly heard: readonly {
    readonly id: number;
    readonly levelDb: number;
    readonly position: readonly [x: number, y: number, z: number];
    readonly line: LineState | undefined;
  }[];
}

export function diagnose(hearing: Hearing, mesh: Mesh): SoundDiagnosis {
  return {
    ears: hearing.earsDb(),
    ownDb: hearing.ownLevelDb(),
    heard: hearing.ids.map((id) => ({
      id,
      levelDb: hearing.levelDb(id),
      position: hearing.positionOf(id) ?? [Number.NaN, Number.NaN, Number.NaN],
      line: mesh.state(id),
    })),
  };
}
