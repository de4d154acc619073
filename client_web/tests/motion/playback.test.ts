import { describe, expect, it } from 'vitest';
import { PLACE, PLACES_SIZE, POSE_SIZE, DEFAULT_LENGTHS } from '../../src/motion/bones';
import { MAX_DELAY_US } from '../../src/motion/delay';
import { placesFromPose, poseFromAngles } from '../../src/motion/kinematics';
import { Playback } from '../../src/motion/playback';
import { MAX_RATE, MIN_RATE } from '../../src/motion/playhead';
import { MAX_EXTRAPOLATION_US } from '../../src/motion/track';
import {
  arrivals,
  random,
  sampledAt,
  snapshot,
  TICK_US,
  type Arrival,
  type Sender,
} from '../traces';

const FRAME_US = 1e6 / 90;

interface Frame {
  readonly localUs: number;
  readonly timeUs: number;
  readonly delayUs: number;
  readonly newestUs: number;
  /** World x, y, z of the right palm; undefined while nobody is shown. */
  readonly palm: readonly number[] | undefined;
}

/** Plays a trace of one moving avatar back at 90 frames a second. */
function play(trace: readonly Arrival[], pauses: readonly (readonly [number, number])[] = []) {
  const playback = new Playback();
  const first = trace[0];
  if (first === undefined) throw new Error('an empty trace');
  playback.restart(first.sessionUs, first.localUs);
  const frames: Frame[] = [];
  const pose = new Float64Array(POSE_SIZE);
  const places = new Float64Array(PLACES_SIZE);
  let next = 0;
  const end = trace[trace.length - 1]?.localUs ?? 0;
  for (let localUs = first.localUs; localUs < end; localUs += FRAME_US) {
    for (let each = trace[next]; each && each.localUs <= localUs; each = trace[next]) {
      playback.receive(snapshot(each.sessionUs, [1]), each.localUs);
      next += 1;
    }
    if (pauses.some(([from, to]) => localUs >= from && localUs < to)) continue;
    playback.advance(localUs);
    const shown = playback.sample(1, pose);
    if (shown) placesFromPose(DEFAULT_LENGTHS, pose, places);
    frames.push({
      localUs,
      timeUs: playback.timeUs,
      delayUs: playback.delayUs,
      newestUs: playback.newestUs,
      palm: shown ? Array.from(places.subarray(PLACE.rightPalm, PLACE.rightPalm + 3)) : undefined,
    });
  }
  return { playback, frames };
}

function pairs<T>(list: readonly T[]): [T, T][] {
  return list.slice(1).map((later, index) => [list[index] as T, later]);
}

function moved(a: Frame, b: Frame): number {
  if (a.palm === undefined || b.palm === undefined) return 0;
  return Math.hypot(...a.palm.map((value, axis) => value - (b.palm?.[axis] ?? 0)));
}

const GAPS = [
  [3e6, 30_000],
  [4e6, 90_000],
  [5e6, 190_000],
  [6e6, 60_000],
  [7e6, 150_000],
  [8e6, 190_000],
] as const;

describe('playback', () => {
  it('moves forward only, smoothly, and never far past what is known', () => {
    for (const seed of [1, 2, 3]) {
      const { frames } = play(arrivals({ seconds: 12, jitterUs: 4_000, gaps: GAPS, seed }));
      for (const [before, after] of pairs(frames.slice(90))) {
        const rate = (after.timeUs - before.timeUs) / FRAME_US;
        expect(rate).toBeGreaterThanOrEqual(0);
        expect(rate).toBeLessThanOrEqual(MAX_RATE + 1e-9);
        expect(after.timeUs).toBeLessThanOrEqual(after.newestUs + MAX_EXTRAPOLATION_US + 1e-3);
        const starved = after.timeUs >= after.newestUs + MAX_EXTRAPOLATION_US - 1e-3;
        if (!starved) expect(rate).toBeGreaterThanOrEqual(MIN_RATE - 1e-9);
      }
    }
  });

  it('does not jerk the body over gaps of 30 to 190 ms', () => {
    const smooth = play(arrivals({ seconds: 12 })).frames.slice(90);
    const fastest = Math.max(...pairs(smooth).map(([a, b]) => moved(a, b)));
    const { frames } = play(arrivals({ seconds: 12, jitterUs: 2_000, gaps: GAPS }));
    for (const [before, after] of pairs(frames.slice(90))) {
      expect(moved(before, after)).toBeLessThan(MAX_RATE * fastest + 0.004);
    }
  });

  it('shows what the session was at the playback time', () => {
    const { frames } = play(arrivals({ seconds: 6, jitterUs: 3_000 }));
    const pose = new Float64Array(POSE_SIZE);
    const places = new Float64Array(PLACES_SIZE);
    for (const frame of frames.slice(120)) {
      if (frame.timeUs > frame.newestUs) continue;
      const truth = snapshot(frame.timeUs, [1]);
      poseFromAngles(truth.worldFromChest, truth.headRotation, truth.jointAngles, 0, pose);
      placesFromPose(DEFAULT_LENGTHS, pose, places);
      for (let axis = 0; axis < 3; axis += 1) {
        expect(frame.palm?.[axis]).toBeCloseTo(places[PLACE.rightPalm + axis] ?? 9, 3);
      }
    }
  });

  it('settles its delay: one period and the latency when calm, more when the network is not', () => {
    const calm = play(arrivals({ seconds: 10, latencyUs: 0 })).playback.delayUs;
    expect(calm).toBeGreaterThan(TICK_US);
    expect(calm).toBeLessThan(TICK_US + 3_000);
    const rough = play(arrivals({ seconds: 10, latencyUs: 0, jitterUs: 10_000 }));
    expect(rough.playback.delayUs).toBeGreaterThan(calm + 10_000);
    expect(rough.playback.delayUs).toBeLessThan(calm + 70_000);
    const lastSeconds = rough.frames.slice(-270).map((frame) => frame.delayUs);
    expect(Math.max(...lastSeconds) - Math.min(...lastSeconds)).toBeLessThan(15_000);
  });

  it('is rarely starved once settled, and waits no longer than it must', () => {
    const { frames } = play(arrivals({ seconds: 20, jitterUs: 8_000, seed: 5 }));
    const settled = frames.slice(-900);
    const late = settled.filter((frame) => frame.timeUs > frame.newestUs).length;
    expect(late / settled.length).toBeLessThan(0.05);
    expect(Math.max(...settled.map((frame) => frame.delayUs))).toBeLessThan(MAX_DELAY_US);
  });

  it('forgets one bad stretch within seconds', () => {
    const bad = Array.from({ length: 8 }, (_, i) => [1e6 + i * 3e5, 190_000] as const);
    const { frames, playback } = play(arrivals({ seconds: 14, gaps: bad }));
    expect(Math.max(...frames.map((frame) => frame.delayUs))).toBeGreaterThan(100_000);
    expect(playback.delayUs).toBeLessThan(30_000);
  });

  it('is at the present again at once after the tab slept', () => {
    const trace = arrivals({ seconds: 20, jitterUs: 1_000 });
    const { frames } = play(trace, [[4e6, 12e6]]);
    const awake = frames.find((frame) => frame.localUs >= 12e6);
    expect(awake?.timeUs).toBeGreaterThan(12e6 - 100_000);
    expect(awake?.palm).toBeDefined();
  });

  it('does not take a long outage for jitter', () => {
    const { playback } = play(arrivals({ seconds: 12, gaps: [[4e6, 5e6]] }));
    expect(playback.delayUs).toBeLessThan(60_000);
  });

  it('copes with a clock that stopped while the machine slept', () => {
    const before = arrivals({ seconds: 5 });
    const after = arrivals({ seconds: 12 })
      .slice(600)
      .map((each) => ({ ...each, localUs: each.localUs - 5e6 }));
    const { frames } = play([...before, ...after]);
    const last = frames[frames.length - 1];
    expect((last?.newestUs ?? 0) - (last?.timeUs ?? 0)).toBeLessThan(60_000);
    for (const [a, b] of pairs(frames)) expect(b.timeUs).toBeGreaterThanOrEqual(a.timeUs);
  });

  it('forgets avatars that left, also while nothing is drawn', () => {
    const playback = new Playback();
    playback.restart(0, 0);
    for (let tick = 0; tick < 400; tick += 1) {
      const time = tick * TICK_US;
      playback.receive(snapshot(time, tick < 100 ? [1, 2] : [1]), time);
    }
    expect([...playback.ids()]).toEqual([1]);
  });

  it('accepts snapshots out of order', () => {
    const next = random(3);
    const trace = arrivals({ seconds: 6 });
    const mixed = trace.map((each) => ({ ...each, localUs: each.localUs + 40_000 * next() }));
    mixed.sort((a, b) => a.localUs - b.localUs);
    const { frames } = play(mixed);
    for (const [a, b] of pairs(frames.slice(200))) {
      expect(b.timeUs).toBeGreaterThanOrEqual(a.timeUs);
      expect(moved(a, b)).toBeLessThan(0.06);
    }
  });
});

/** Plays a chest that moves at a steady 1 m/s, sampled by a sender; returns its x in each frame. */
function playSteady(sender: Sender, seconds = 10): { x: number; timeUs: number }[] {
  const sampled = sampledAt(sender, seconds);
  const playback = new Playback();
  playback.restart(0, 0);
  const pose = new Float64Array(POSE_SIZE);
  const frames: { x: number; timeUs: number }[] = [];
  let localUs = 0;
  for (const each of arrivals({ seconds, latencyUs: 2_000 })) {
    for (; localUs < each.localUs; localUs += FRAME_US) {
      playback.advance(localUs);
      if (playback.sample(1, pose)) frames.push({ x: pose[0] ?? 0, timeUs: playback.timeUs });
    }
    const { sampledUs, ageUs } = sampled(each.sessionUs);
    const rows = snapshot(each.sessionUs, [1]);
    rows.worldFromChest[0] = sampledUs / 1e6;
    rows.sampleAgeUs[0] = ageUs;
    playback.receive(rows, each.localUs);
  }
  return frames.slice(180);
}

/** How far speed strays from 1 m/s, frame by frame: the 99 % worst, and the worst. */
function unsteadiness(frames: readonly { x: number; timeUs: number }[]): [usual: number, worst: number] {
  const errors = pairs(frames)
    .map(([a, b]) => Math.abs((b.x - a.x) / FRAME_US * 1e6 - 1))
    .sort((a, b) => a - b);
  return [errors[Math.floor(0.99 * errors.length)] ?? 9, errors[errors.length - 1] ?? 9];
}

describe('playback of senders that beat against the ticks', () => {
  it.each([45, 59.5, 72, 90, 120])('moves evenly at %d samples a second', (rateHz) => {
    const [usual] = unsteadiness(playSteady({ rateHz, jitterUs: 500 }));
    expect(usual).toBeLessThan(0.25);
  });

  it('is where the person was at the time on screen', () => {
    for (const { x, timeUs } of playSteady({ rateHz: 72, jitterUs: 1_000 })) {
      expect(Math.abs(x - timeUs / 1e6)).toBeLessThan(0.012);
    }
  });

  it('neither stops hard nor leaps nor runs back over a sender’s pauses of 30 to 190 ms', () => {
    const pauses = [
      [4e6, 30_000],
      [5e6, 90_000],
      [6e6, 190_000],
      [7e6, 140_000],
      [8e6, 190_000],
    ] as const;
    const frames = playSteady({ rateHz: 72, jitterUs: 500, pauses });
    for (const [a, b] of pairs(frames)) {
      const speed = ((b.x - a.x) / FRAME_US) * 1e6;
      expect(speed).toBeGreaterThan(-0.01);
      expect(speed).toBeLessThan(3.2);
    }
  });

  it('does not wait for one person’s bad network when the others’ is good', () => {
    const good = sampledAt({ rateHz: 72 }, 10);
    const bad = sampledAt({ rateHz: 72, jitterUs: 60_000, seed: 4 }, 10);
    const delays = [[good, good, good], [good, good, bad]].map((people) => {
      const playback = new Playback();
      playback.restart(0, 0);
      for (const { sessionUs, localUs } of arrivals({ seconds: 10 })) {
        const rows = snapshot(sessionUs, [1, 2, 3]);
        people.forEach((sampled, row) => (rows.sampleAgeUs[row] = sampled(sessionUs).ageUs));
        playback.receive(rows, localUs);
      }
      return playback.delayUs;
    });
    expect(Math.abs((delays[0] ?? 0) - (delays[1] ?? 1e9))).toBeLessThan(10_000);
  });

  it('keeps showing someone who has sent nothing for long, and does not take it for jitter', () => {
    const frames = playSteady({ rateHz: 72, pauses: [[3e6, 9e6]] });
    expect(frames[frames.length - 1]?.timeUs).toBeGreaterThan(9.8e6);
    expect(frames[frames.length - 1]?.x).toBeCloseTo(3, 1);
  });
});
