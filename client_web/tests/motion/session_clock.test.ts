import { describe, expect, it } from 'vitest';
import { SessionClock } from '../../src/motion/session_clock';
import { random } from '../traces';

describe('the session clock', () => {
  it('is within half the shortest round trip of the truth, whatever the jitter', () => {
    const next = random(11);
    const truth = 123_456_789;
    const clock = new SessionClock();
    clock.start(truth - 80_000, 0);
    let shortest = Number.POSITIVE_INFINITY;
    for (let ping = 0; ping < 12; ping += 1) {
      const sent = ping * 2e6;
      const there = 2_000 + 60_000 * next() ** 3;
      const back = 2_000 + 60_000 * next() ** 3;
      clock.observe(sent, sent + there + truth, sent + there + truth + 100, sent + there + back + 100);
      shortest = Math.min(shortest, there + back);
      expect(Math.abs(clock.sessionUs(0) - truth)).toBeLessThanOrEqual(shortest / 2 + 1);
      expect(clock.roundTripUs).toBeCloseTo(shortest, 6);
    }
  });

  it('follows at once when this machine’s clock stood still', () => {
    const clock = new SessionClock();
    clock.start(0, 0);
    for (let ping = 0; ping < 10; ping += 1) {
      clock.observe(ping * 1e6, ping * 1e6 + 500, ping * 1e6 + 500, ping * 1e6 + 1000);
    }
    const slept = 3_600e6;
    clock.observe(11e6, 11e6 + slept + 2_000, 11e6 + slept + 2_000, 11e6 + 4_000);
    expect(clock.sessionUs(12e6)).toBeCloseTo(12e6 + slept, -3);
  });

  it('never lets anything come from the future', () => {
    const clock = new SessionClock();
    clock.start(1_000, 0);
    clock.notBefore(50_000, 10_000);
    expect(clock.sessionUs(10_000)).toBe(50_000);
    clock.notBefore(20_000, 10_000);
    expect(clock.sessionUs(10_000)).toBe(50_000);
  });
});
