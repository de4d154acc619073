import { describe, expect, it } from 'vitest';
import { waitMs } from '../../src/net/backoff';
import { Meter } from '../../src/net/meter';

describe('the meter', () => {
  it('measures a steady stream within two in a hundred, and falls to nothing when it stops', () => {
    const meter = new Meter();
    let now = 1234;
    for (; now < 8_000; now += 1000 / 60) meter.add(now, 500);
    expect(meter.bytesPerSecond(now) / 30_000).toBeGreaterThan(0.98);
    expect(meter.bytesPerSecond(now) / 30_000).toBeLessThan(1.02);
    expect(meter.messagesPerSecond(now)).toBeCloseTo(60, 0);
    expect(meter.bytesPerSecond(now + 10_000)).toBe(0);
  });

  it('says nothing before it has measured a while', () => {
    const meter = new Meter();
    expect(meter.bytesPerSecond(0)).toBe(0);
    meter.add(0, 1e6);
    expect(meter.bytesPerSecond(10)).toBe(0);
  });
});

describe('the wait before trying again', () => {
  it('doubles up to a cap, and random spreads it over its upper half', () => {
    expect(waitMs(1, 1)).toBe(500);
    expect(waitMs(3, 0)).toBe(1000);
    expect(waitMs(60, 1)).toBe(15_000);
    expect(waitMs(60, 0)).toBe(7_500);
  });
});
