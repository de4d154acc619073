import { describe, expect, it } from 'vitest';
import { POSE_SIZE } from '../../src/motion/bones';
import { SAMPLE_CAPACITY } from '../../src/motion/samples';
import { FADE_US, MAX_EXTRAPOLATION_US, Track } from '../../src/motion/track';
import { movingPose, random, TICK_US } from '../traces';

const out = new Float64Array(POSE_SIZE);

function trackOf(times: readonly number[], discontinuity = (_: number) => 0): Track {
  const track = new Track();
  for (const time of times) track.push(time, discontinuity(time), movingPose(time));
  return track;
}

function expectPose(actual: Float64Array, expected: Float64Array, tolerance = 1e-9): void {
  for (let part = 0; part < POSE_SIZE; part += 1) {
    expect(Math.abs((actual[part] ?? 0) - (expected[part] ?? 1))).toBeLessThan(tolerance);
  }
}

function still(x: number): Float64Array {
  const pose = movingPose(0);
  pose[0] = x;
  return pose;
}

describe('an avatar’s track', () => {
  it('gives the samples themselves at their times', () => {
    const times = Array.from({ length: 40 }, (_, tick) => tick * TICK_US);
    const track = trackOf(times);
    for (const time of times) {
      expect(track.sample(time, out)).toBe(true);
      expectPose(out, movingPose(time));
    }
  });

  it('does not take the noise of two samples close together for speed', () => {
    const track = new Track();
    for (const [time, x] of [[0, 0], [16_000, 0], [32_000, 0], [35_000, 0.001]] as const) {
      track.push(time, 0, still(x));
    }
    let furthest = 0;
    for (let time = 35_000; time < 90_000; time += 1000) {
      track.sample(time, out);
      furthest = Math.max(furthest, out[0] ?? 0);
    }
    expect(furthest).toBeLessThan(0.003); // a millimetre in 3 ms would have gone on for 8
  });

  it('keeps rotations of unit length and stays within 0.2 mm and 0.02° of smooth motion', () => {
    const times = Array.from({ length: 40 }, (_, tick) => tick * TICK_US);
    const track = trackOf(times);
    for (let time = 0; time <= 39 * TICK_US; time += 1700) {
      track.sample(time, out);
      const truth = movingPose(time);
      expect(Math.abs((out[0] ?? 0) - (truth[0] ?? 1))).toBeLessThan(2e-4);
      for (let part = 3; part < POSE_SIZE; part += 4) {
        const q = out.subarray(part, part + 4);
        expect(Math.hypot(...q)).toBeCloseTo(1, 12);
        const dot = q.reduce((sum, value, index) => sum + value * (truth[part + index] ?? 0), 0);
        expect(2 * Math.acos(Math.min(1, Math.abs(dot)))).toBeLessThan(3.5e-4);
      }
    }
  });

  it('blends the shorter way when a rotation arrives with the other sign', () => {
    const track = new Track();
    const flipped = movingPose(TICK_US).map((value, index) => (index < 3 ? value : -value));
    track.push(0, 0, movingPose(0));
    track.push(TICK_US, 0, flipped);
    track.sample(TICK_US / 2, out);
    const truth = movingPose(TICK_US / 2);
    const dot = out.subarray(3, 7).reduce((sum, v, i) => sum + v * (truth[3 + i] ?? 0), 0);
    expect(Math.abs(dot)).toBeGreaterThan(1 - 1e-6);
  });

  it('runs on past the newest sample by less than 50 ms of motion, then holds still', () => {
    const track = trackOf([0, TICK_US, 2 * TICK_US]);
    const newest = 2 * TICK_US;
    const before = movingPose(TICK_US)[0] ?? 0;
    const at = movingPose(newest)[0] ?? 0;
    const speed = (at - before) / TICK_US;
    let previous = at;
    for (let past = 0; past <= 4 * MAX_EXTRAPOLATION_US; past += 1000) {
      track.sample(newest + past, out);
      const x = out[0] ?? 0;
      expect(x).toBeGreaterThanOrEqual(previous - 1e-12);
      expect(x - at).toBeLessThanOrEqual(speed * Math.min(past, MAX_EXTRAPOLATION_US) + 1e-12);
      if (past > MAX_EXTRAPOLATION_US) expect(x).toBe(previous);
      previous = x;
    }
  });

  it('does not guess a speed from a lone sample or across a discontinuity', () => {
    const lone = trackOf([0]);
    lone.sample(40_000, out);
    expectPose(out, movingPose(0));
    const turned = new Track();
    turned.push(0, 0, still(0));
    turned.push(TICK_US, 1, still(5));
    turned.sample(TICK_US + 30_000, out);
    expect(out[0]).toBe(5);
  });

  it('joins late truth without a jump, and is exact again after the fade', () => {
    const track = new Track();
    track.push(0, 0, still(0));
    track.push(10_000, 0, still(0.02));
    track.sample(60_000, out);
    const held = out[0] ?? 0;
    for (let time = 20_000; time <= 400_000; time += 10_000) track.push(time, 0, still(0.5));
    let previous = held;
    for (let time = 61_000; time < 60_000 + FADE_US; time += 1000) {
      track.sample(time, out);
      expect(Math.abs((out[0] ?? 0) - previous)).toBeLessThan(0.006);
      previous = out[0] ?? 0;
    }
    expect(track.between).toBeUndefined();
    track.sample(60_000 + FADE_US, out);
    expect(track.between).toEqual([210_000, 220_000]);
    expect(out[0]).toBe(0.5);
  });

  it('never blends across a discontinuity: the old place until the moment, then the new', () => {
    const track = new Track();
    track.push(0, 3, still(0));
    track.push(20_000, 4, still(9));
    track.sample(19_999, out);
    expect(out[0]).toBe(0);
    track.sample(20_000, out);
    expect(out[0]).toBe(9);
  });

  it('does not fade from before a teleport to after it', () => {
    const track = new Track();
    track.push(0, 0, still(0));
    track.push(10_000, 0, still(0.01));
    track.sample(50_000, out);
    track.push(60_000, 1, still(9));
    track.push(70_000, 1, still(9));
    track.sample(61_000, out);
    expect(out[0]).toBe(9);
  });

  it('shows nobody before the first sample, nor while absent, and returns without a blend', () => {
    const track = new Track();
    track.push(100_000, 0, still(1));
    expect(track.sample(99_999, out)).toBe(false);
    track.markAbsent(120_000);
    expect(track.sample(119_000, out)).toBe(true);
    track.push(200_000, 0, still(2));
    expect(track.sample(120_000, out)).toBe(false);
    expect(track.sample(199_999, out)).toBe(false);
    expect(track.sample(200_000, out)).toBe(true);
    expect(out[0]).toBe(2);
    expect(track.endedBy(300_000)).toBe(false);
    track.markAbsent(220_000);
    expect(track.endedBy(219_999)).toBe(false);
    expect(track.endedBy(220_000)).toBe(true);
  });

  it('gives the same answer for samples in any order, repeated ones too', () => {
    const times = Array.from({ length: 30 }, (_, tick) => tick * TICK_US);
    const next = random(7);
    const shuffled = [...times, ...times].sort(() => next() - 0.5);
    const ordered = trackOf(times);
    const mixed = trackOf(shuffled);
    const other = new Float64Array(POSE_SIZE);
    for (let time = 0; time < 30 * TICK_US; time += 3100) {
      ordered.sample(time, out);
      mixed.sample(time, other);
      expectPose(out, other, 1e-12);
    }
  });

  it('keeps the newest samples when more arrive than it holds', () => {
    const times = Array.from({ length: 5 * SAMPLE_CAPACITY }, (_, tick) => tick * TICK_US);
    const track = trackOf(times);
    const kept = times.slice(-SAMPLE_CAPACITY);
    expect(track.sample((kept[0] ?? 0) - 1, out)).toBe(false);
    for (const time of kept) {
      expect(track.sample(time, out)).toBe(true);
      expectPose(out, movingPose(time));
    }
  });
});
