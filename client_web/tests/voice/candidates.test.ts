import { describe, expect, it } from 'vitest';
import { CAPS } from '../../src/protocol/generated';
import {
  MOST_CANDIDATES,
  readCandidate,
  readCandidates,
  writeCandidates,
  type Candidate,
} from '../../src/voice/candidates';
import { random } from '../traces';

function candidate(index: number, padding = 0): Candidate {
  return {
    candidate: `candidate:${index} 1 udp 2122260223 192.0.2.1 ${50_000 + index} typ host${' '.repeat(padding)}`,
    sdpMid: '0',
    sdpMLineIndex: 0,
    usernameFragment: 'abcd',
  };
}

describe('candidates on their way', () => {
  it('come back as they were, in order, each signal within its cap', () => {
    const next = random(4);
    for (let round = 0; round < 50; round += 1) {
      const count = Math.floor(next() * MOST_CANDIDATES);
      const sent = Array.from({ length: count }, (_, index) => candidate(index, Math.floor(next() * 380)));
      const texts = writeCandidates(sent);
      for (const text of texts) expect(text.length).toBeLessThanOrEqual(CAPS.SIGNAL_BYTES);
      expect(texts.flatMap((text) => readCandidates(text))).toEqual(sent);
    }
  });

  it('travel together', () => {
    expect(writeCandidates(Array.from({ length: 10 }, (_, index) => candidate(index)))).toHaveLength(1);
    expect(writeCandidates([])).toEqual([]);
  });

  it.each([
    ['no JSON', '[{'],
    ['no array', '{"candidate":"candidate:1"}'],
    ['null', 'null'],
    ['a number', '5'],
    ['too much', `[${' '.repeat(CAPS.SIGNAL_BYTES)}]`],
  ])('are none at all: %s', (_, text) => {
    expect(readCandidates(text)).toEqual([]);
  });

  it.each([
    ['a text', 'candidate:1'],
    ['null', null],
    ['nothing in it', {}],
    ['another prefix', { ...candidate(1), candidate: 'host 1.2.3.4' }],
    ['the mark at the end', { ...candidate(1), candidate: '' }],
    ['a long one', candidate(1, 600)],
    ['a line that is not there', { ...candidate(1), sdpMLineIndex: 3 }],
    ['no number', { ...candidate(1), sdpMLineIndex: '0' }],
    ['a long name of a line', { ...candidate(1), sdpMid: 'x'.repeat(99) }],
    ['an object for a name', { ...candidate(1), usernameFragment: {} }],
    ['for no line', { ...candidate(1), sdpMid: null, sdpMLineIndex: null }],
    ['a line break', { ...candidate(1), candidate: 'candidate:1\r\na=evil' }],
  ])('are left out: %s', (_, each) => {
    expect(readCandidate(each)).toBeUndefined();
    expect(readCandidates(JSON.stringify([each, candidate(2)]))).toEqual([candidate(2)]);
  });

  it('lose what does not belong to a candidate', () => {
    expect(readCandidate({ ...candidate(1), extra: 'x', toString: 'y' })).toEqual(candidate(1));
  });
});
