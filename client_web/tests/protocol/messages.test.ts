import { encode as pack } from '@msgpack/msgpack';
import { describe, expect, it } from 'vitest';
import {
  CAPS,
  CLOSE_SENTENCES,
  CloseCode,
  DEFAULT_LENGTHS,
  DEFAULT_LOOK,
  ProtocolError,
  Role,
  Voice,
  cleanName,
  decodeFromClient,
  decodeFromServer,
  encode,
  type Hello,
  type Welcome,
} from '../../src/protocol/generated';
import { INVALID_MESSAGES, MESSAGES, fromPython, payload, toHex } from './vectors';

const decoders = { client: decodeFromClient, server: decodeFromServer };

function refusal(act: () => unknown): ProtocolError {
  try {
    act();
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

/** They hold reals like 60.0, which JavaScript writes as the integer 60: as good, not the same. */
const WITH_WHOLE_REALS = ['Welcome', 'Statistics'];

describe('golden messages', () => {
  it.each(MESSAGES)('$type: $name', (vector) => {
    const decode = decoders[vector.sender];
    const message = decode(payload(vector));
    expect(message).toEqual({ type: vector.type, ...(fromPython(vector.fields) as object) });
    expect(decode(encode(message))).toEqual(message);
    if (vector.canonical && !WITH_WHOLE_REALS.includes(vector.type)) {
      expect(toHex(encode(message))).toBe(vector.hex);
    }
  });

  it.each(INVALID_MESSAGES.filter((vector) => !vector.needs_floats))('refuses $name', (vector) => {
    const decode = decoders[vector.sender ?? 'client'];
    const error = refusal(() => decode(payload(vector)));
    // Whether a hello is of another version is the server's business.
    const judged = vector.close_code !== CloseCode.WRONG_VERSION;
    expect(error.closeCode).toBe(judged ? vector.close_code : CloseCode.MALFORMED);
    expect(error.message.length).toBeGreaterThan(20);
  });
});

describe('writing', () => {
  const hello: Hello = {
    type: 'Hello',
    protocolVersion: 1,
    name: 'Ann',
    role: Role.PARTICIPANT,
  };

  it('fills in what a sender left out', () => {
    expect(decodeFromClient(encode(hello))).toEqual({
      ...hello,
      key: null,
      token: null,
      lengths: null,
      client: '',
      look: null,
      revision: 0,
    });
  });

  it.each<[string, Partial<Hello>, CloseCode]>([
    ['a name with a line break', { name: 'A\nB' }, CloseCode.MALFORMED],
    ['a name with half a character', { name: 'A\ud800' }, CloseCode.MALFORMED],
    ['a name of 66 bytes', { name: 'é'.repeat(33) }, CloseCode.MALFORMED],
    ['a short token', { token: new Uint8Array(3) }, CloseCode.MALFORMED],
    [
      'a length that is no number',
      { lengths: { ...DEFAULT_LENGTHS, neckM: Number.NaN } },
      CloseCode.NOT_FINITE,
    ],
    [
      'an arm of 3 m',
      { lengths: { ...DEFAULT_LENGTHS, upperArmM: 3 } },
      CloseCode.MALFORMED,
    ],
  ])('refuses %s', (_, change, code) => {
    expect(refusal(() => encode({ ...hello, ...change })).closeCode).toBe(code);
  });

  it('never repeats a key', () => {
    const error = refusal(() => encode({ ...hello, key: 'hunter2'.repeat(30) }));
    expect(error.message).toContain('Hello.key');
    expect(error.message).not.toContain('hunter2');
  });

  it('refuses one person beyond the cap instead of leaving somebody out', () => {
    const welcome = decodeFromServer(
      payload(MESSAGES.find((vector) => vector.type === 'Welcome') ?? { name: '', hex: '' }),
    ) as Welcome;
    const person = {
      id: 1,
      name: 'Ann',
      connected: true,
      lengthsVersion: 0,
      lengths: DEFAULT_LENGTHS,
      look: DEFAULT_LOOK,
      voice: Voice.OFF,
    };
    const crowd = Array.from({ length: CAPS.PEOPLE_PER_SESSION + 1 }, () => person);
    expect(refusal(() => encode({ ...welcome, people: crowd })).closeCode).toBe(CloseCode.MALFORMED);
    const full = { ...welcome, people: crowd.slice(1) };
    expect(decodeFromServer(encode(full))).toEqual(full);
  });
});

describe('errors', () => {
  it('say the value, the rule and the next step', () => {
    const error = refusal(() => decodeFromClient(Uint8Array.of(0x10, ...pack([1, 'Ann', 7]))));
    expect(error.message).toBe(
      'Hello.role is 7, but must be 0 (participant) or 1 (spectator). ' +
        'Correct it and send the message again.',
    );
  });

  it('have a sentence for every close code', () => {
    expect(Object.keys(CLOSE_SENTENCES).map(Number)).toEqual(Object.values(CloseCode));
  });
});

describe('any bytes', () => {
  it('are a message or a protocol error', () => {
    const next = mulberry32(7);
    const seeds = MESSAGES.map(payload);
    let refused = 0;
    for (let round = 0; round < 4000; round += 1) {
      const bytes = (seeds[round % seeds.length] ?? new Uint8Array()).slice();
      for (let edit = 0; edit < 1 + (next() % 3); edit += 1) bytes[next() % bytes.length] = next() % 256;
      for (const decode of [decodeFromClient, decodeFromServer]) {
        try {
          decode(bytes);
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error;
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(4000);
  });
});

describe('cleaning a name', () => {
  it.each([
    ['  Zoë\u202e\n ', 'Zoë'],
    ['é'.repeat(40), 'é'.repeat(32)],
    ['👩‍🚀', '👩‍🚀'],
    ['\u200b \n', ''],
    ['A\ud800B', 'AB'],
    ['n'.repeat(63) + ' x', 'n'.repeat(63)],
  ])('turns %j into %j', (typed, name) => {
    expect(cleanName(typed)).toBe(name);
  });
});

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
