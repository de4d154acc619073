import { beforeEach, describe, expect, it } from 'vitest';
import { Roster, type SessionEvent } from '../../src/net/roster';
import { DEFAULT_LENGTHS, DEFAULT_LOOK, Voice, type Person, type Welcome } from '../../src/protocol/generated';

function person(id: number, name: string): Person {
  return {
    id,
    name,
    connected: true,
    lengthsVersion: 1,
    lengths: DEFAULT_LENGTHS,
    look: DEFAULT_LOOK,
    voice: Voice.OFF,
  };
}

function welcome(sequence: number, people: readonly Person[]): Welcome {
  return {
    type: 'Welcome',
    protocolVersion: 1,
    serverVersion: '0',
    session: 'demo',
    yourId: 0,
    token: null,
    tickRateHz: 60,
    tick: 0,
    sessionTimeUs: 0,
    eventSequence: sequence,
    people,
    maxPeople: 8,
    method: 'robust',
    revision: 1,
  };
}

let roster: Roster;

beforeEach(() => {
  roster = new Roster();
  roster.welcome(welcome(7, [person(1, 'Ada'), person(2, 'Bo')]));
});

describe('the roster', () => {
  it('follows every kind of event', () => {
    const longer = { ...DEFAULT_LENGTHS, forearmM: 0.3 };
    const events: SessionEvent[] = [
      { type: 'Joined', sequence: 8, person: person(3, 'Cy') },
      { type: 'Left', sequence: 9, id: 1, reason: 'left' },
      { type: 'Presence', sequence: 10, id: 2, connected: false },
      { type: 'Renamed', sequence: 11, id: 3, name: 'Cyd' },
      { type: 'LengthsChanged', sequence: 12, id: 3, lengthsVersion: 2, lengths: longer },
      { type: 'LookChanged', sequence: 13, id: 2, look: { avatar: 'woman', colour: 0x6093de } },
      { type: 'VoiceChanged', sequence: 14, id: 2, voice: Voice.OPEN },
    ];
    for (const event of events) expect(roster.apply(event)).toBe(true);
    expect(roster.all).toEqual([
      {
        ...person(2, 'Bo'),
        connected: false,
        look: { avatar: 'woman', colour: 0x6093de },
        voice: Voice.OPEN,
      },
      { ...person(3, 'Cyd'), lengthsVersion: 2, lengths: longer },
    ]);
  });

  it('says when an event is missing, and changes nothing then', () => {
    expect(roster.apply({ type: 'Left', sequence: 9, id: 1, reason: '' })).toBe(false);
    expect(roster.size).toBe(2);
  });

  it('passes over what the welcome already contained', () => {
    expect(roster.apply({ type: 'Left', sequence: 7, id: 1, reason: '' })).toBe(true);
    expect(roster.person(1)?.name).toBe('Ada');
  });

  it('counts on when the sequence wraps round', () => {
    roster.welcome(welcome(0xffffffff, [person(1, 'Ada')]));
    expect(roster.apply({ type: 'Renamed', sequence: 0, id: 1, name: 'Ida' })).toBe(true);
    expect(roster.person(1)?.name).toBe('Ida');
  });

  it('forgets everyone of before with a new welcome', () => {
    roster.welcome(welcome(0, [person(9, 'Zoe')]));
    expect(roster.all.map(({ name }) => name)).toEqual(['Zoe']);
  });

  it('is not troubled by events about people who are gone', () => {
    expect(roster.apply({ type: 'Presence', sequence: 8, id: 99, connected: false })).toBe(true);
    expect(roster.size).toBe(2);
  });
});
