import { describe, expect, it } from 'vitest';
import {
  loudnessDb,
  PAUSE_MS,
  SILENCE_DB,
  SPEAKS_FROM_DB,
  SPEAKS_UNTIL_DB,
  Speech,
} from '../../src/voice/level';

describe('loudness', () => {
  it('is 0 dB for a full square wave, −3 dB for a full sine, 20 dB less for a tenth', () => {
    const square = Float32Array.from({ length: 480 }, (_, index) => (index % 2 === 0 ? 1 : -1));
    const sine = Float32Array.from({ length: 480 }, (_, index) => Math.sin((2 * Math.PI * index) / 48));
    expect(loudnessDb(square)).toBeCloseTo(0, 6);
    expect(loudnessDb(sine)).toBeCloseTo(-3.01, 2);
    expect(loudnessDb(sine.map((each) => each / 10))).toBeCloseTo(-23.01, 2);
  });

  it('has a floor', () => {
    expect(loudnessDb(new Float32Array(64))).toBe(SILENCE_DB);
    expect(loudnessDb(new Float32Array(0))).toBe(SILENCE_DB);
    expect(loudnessDb(new Float32Array(8).fill(1e-9))).toBe(SILENCE_DB);
  });
});

describe('speech', () => {
  it('begins at once, lasts over pauses and ends after a longer one', () => {
    const speech = new Speech();
    expect(speech.observe(SPEAKS_FROM_DB + 1, 0)).toBe(true);
    expect(speech.observe(SILENCE_DB, PAUSE_MS - 1)).toBe(false);
    expect(speech.speaking).toBe(true);
    expect(speech.observe(SILENCE_DB, PAUSE_MS)).toBe(true);
    expect(speech.speaking).toBe(false);
  });

  it('does not flicker between its two thresholds', () => {
    const between = (SPEAKS_FROM_DB + SPEAKS_UNTIL_DB) / 2;
    const quiet = new Speech();
    const loud = new Speech();
    loud.observe(SPEAKS_FROM_DB, 0);
    for (let nowMs = 0; nowMs < 5000; nowMs += 50) {
      expect(quiet.observe(between, nowMs)).toBe(false);
      expect(loud.observe(between, nowMs)).toBe(false);
    }
    expect([quiet.speaking, loud.speaking]).toEqual([false, true]);
  });
});
