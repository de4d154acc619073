/** Owns how the session's state reads: live or not, how many are here, how fast it runs. */

import type { Session } from '../session';
import type { Light, PanelReadings } from './panel';
import { bytesPerSecond, counted, hertz, milliseconds } from './readings';

const STALE = 'What you see is the last that arrived';

export interface StateWords {
  readonly light: Light;
  readonly text: string;
  readonly summary: string;
  /** Of the page: what a browser's tab shows. */
  readonly title: string;
}

export function stateWords({ phase, roster, statistics, takesPart }: Session, session: string): StateWords {
  if (phase.kind === 'live') {
    const spectators = statistics?.spectators ?? (takesPart ? 0 : 1);
    const people = counted(roster.size, 'person', 'people');
    return {
      light: 'live',
      text: 'Live',
      summary: `${people}, ${watchers(spectators, takesPart)}`,
      title: `${session} – Armspan`,
    };
  }
  const first = phase.kind === 'connecting' && !phase.again;
  const text = first ? 'Connecting' : 'Disconnected';
  return {
    light: phase.kind === 'ended' ? 'off' : 'waiting',
    text,
    summary: first ? 'Looking for the server…' : roster.size > 0 ? STALE : 'Nothing has arrived yet',
    title: `${text}: ${session} – Armspan`,
  };
}

function watchers(spectators: number, takesPart: boolean): string {
  if (takesPart) return spectators === 0 ? 'you among them' : `you among them, ${spectators} watching`;
  const others = Math.max(spectators - 1, 0);
  return others === 0 ? 'you are watching' : `you and ${counted(others, 'other', 'others')} watch`;
}

export function readingsOf(session: Session, nowMs: number): PanelReadings {
  const { statistics, welcome, playback, meter, phase } = session;
  if (phase.kind !== 'live') return { tickRate: '–', roundTrip: '–', delay: '–', bytes: '–' };
  return {
    tickRate: hertz(statistics?.tickRateHz ?? welcome?.tickRateHz ?? Number.NaN),
    roundTrip: milliseconds(playback.clock.roundTripUs),
    delay: Number.isFinite(playback.timeUs) ? milliseconds(playback.delayUs) : '–',
    bytes: bytesPerSecond(meter.bytesPerSecond(nowMs)),
  };
}
