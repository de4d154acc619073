/**
 * Plays what a page received of a real server over a bad network, with a clock of its own, and
 * measures what would be on screen against what the person did.
 */

import { describe, expect, it } from 'vitest';
import traceText from '../../../tests/golden/motion_trace.json?raw';
import { DEFAULT_LENGTHS, PLACE, PLACES_SIZE, POSE_SIZE } from '../../src/motion/bones';
import { placesFromPose, poseFromAngles } from '../../src/motion/kinematics';
import { Playback } from '../../src/motion/playback';
import { SnapshotArrays, decodeSnapshot } from '../../src/protocol/generated';

type Event =
  | readonly ['welcome', localUs: number, sessionUs: number]
  | readonly ['pong', localUs: number, times: readonly [number, number, number]]
  | readonly ['snapshot', localUs: number, index: number];

interface Trace {
  /** Lengths of the gaps, milliseconds. */
  readonly gaps: readonly number[];
  /** As the server sent them, base64; all of them, and in order. */
  readonly snapshots: readonly string[];
  /** What arrived over the bad network, and when. */
  readonly events: readonly Event[];
}

type Place = readonly [x: number, y: number, z: number];

/** Where the right palm is on screen at a local time, and which moment that shows. */
interface Frame {
  readonly localUs: number;
  /** How long ago that moment was. */
  readonly lagUs: number;
  readonly timeUs: number;
  readonly palm: Place;
}

const FRAME_US = 1e6 / 90;
/** The first second belongs to the clock's and the delay's settling. */
const SETTLE_US = 1_500_000;
const trace = JSON.parse(traceText) as Trace;
const payloads = trace.snapshots.map((text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0)));
const rows = new SnapshotArrays(4);
const pose = new Float64Array(POSE_SIZE);
const places = new Float64Array(PLACES_SIZE);

function palmOf(worldPose: Float64Array): Place {
  placesFromPose(DEFAULT_LENGTHS, worldPose, places);
  const at = PLACE.rightPalm;
  return [places[at] ?? 0, places[at + 1] ?? 0, places[at + 2] ?? 0];
}

/** The person's own motion: where the palm was at the time of each sample. */
function sampled(): { timeUs: number; palm: Place }[] {
  const result: { timeUs: number; palm: Place }[] = [];
  for (const payload of payloads) {
    if (decodeSnapshot(payload, rows) === 0) continue;
    const timeUs = rows.sessionTimeUs - (rows.sampleAgeUs[0] ?? 0);
    if (timeUs <= (result.at(-1)?.timeUs ?? 0) + 500) continue;
    poseFromAngles(rows.worldFromChest, rows.headRotation, rows.jointAngles, 0, pose);
    result.push({ timeUs, palm: palmOf(pose) });
  }
  return result;
}

const truth = sampled();

/** Where the palm really was at a session time. */
function trulyAt(timeUs: number): Place {
  const next = truth.findIndex((each) => each.timeUs > timeUs);
  const [a, b] = [truth[Math.max(next - 1, 0)], truth[next] ?? truth.at(-1)];
  if (a === undefined || b === undefined) throw new Error('an empty trace');
  const share = b.timeUs > a.timeUs ? (timeUs - a.timeUs) / (b.timeUs - a.timeUs) : 0;
  const mix = (axis: 0 | 1 | 2) => a.palm[axis] + share * (b.palm[axis] - a.palm[axis]);
  return [mix(0), mix(1), mix(2)];
}

/** Plays the trace at 90 frames a second. `show` gives the palm and the moment it shows. */
function play(show: (playback: Playback, localUs: number) => { palm: Place; timeUs: number } | undefined): Frame[] {
  const playback = new Playback();
  const frames: Frame[] = [];
  const end = trace.events.at(-1)?.[1] ?? 0;
  let next = 0;
  rows.count = 0;
  let localUs = trace.events[0]?.[1] ?? 0;
  const settled = localUs + SETTLE_US;
  for (; localUs < end; localUs += FRAME_US) {
    for (let event = trace.events[next]; event && event[1] <= localUs; event = trace.events[next]) {
      take(playback, event);
      next += 1;
    }
    const shown = show(playback, localUs);
    if (shown === undefined || localUs < settled) continue;
    frames.push({ ...shown, localUs, lagUs: playback.clock.sessionUs(localUs) - shown.timeUs });
  }
  return frames;
}

function take(playback: Playback, event: Event): void {
  const [kind, localUs, content] = event;
  if (kind === 'welcome') playback.restart(content, localUs);
  else if (kind === 'pong') playback.clock.observe(content[0], content[1], content[2], localUs);
  else {
    decodeSnapshot(payloads[content] ?? new Uint8Array(), rows);
    playback.receive(rows, localUs);
  }
}

/** As the page shows it. */
function asPlayed(): Frame[] {
  return play((playback, localUs) => {
    playback.advance(localUs);
    for (const id of playback.ids()) {
      if (playback.sample(id, pose)) return { palm: palmOf(pose), timeUs: playback.timeUs };
    }
    return undefined;
  });
}

/** As it would be if whatever came last were shown at once. */
function asArrived(): Frame[] {
  return play(() => {
    if (rows.count === 0) return undefined;
    poseFromAngles(rows.worldFromChest, rows.headRotation, rows.jointAngles, 0, pose);
    return { palm: palmOf(pose), timeUs: rows.sessionTimeUs - (rows.sampleAgeUs[0] ?? 0) };
  });
}

/** As it would be if the last two were always carried on to the present. */
function asGuessed(): Frame[] {
  let [older, newer]: { timeUs: number; palm: Place }[] = [];
  return play((playback, localUs) => {
    if (rows.count === 0) return undefined;
    poseFromAngles(rows.worldFromChest, rows.headRotation, rows.jointAngles, 0, pose);
    const timeUs = rows.sessionTimeUs - (rows.sampleAgeUs[0] ?? 0);
    if (timeUs > (newer?.timeUs ?? 0)) [older, newer] = [newer, { timeUs, palm: palmOf(pose) }];
    if (older === undefined || newer === undefined) return undefined;
    const nowUs = playback.clock.sessionUs(localUs);
    const share = (nowUs - older.timeUs) / (newer.timeUs - older.timeUs);
    const [from, to] = [older.palm, newer.palm];
    const on = (axis: 0 | 1 | 2) => from[axis] + share * (to[axis] - from[axis]);
    return { palm: [on(0), on(1), on(2)], timeUs: nowUs };
  });
}

/** As it was: every frame the same time behind. */
function asItWas(frames: readonly Frame[], lagUs: number): Frame[] {
  return frames.map((frame) => {
    const timeUs = frame.timeUs + frame.lagUs - lagUs;
    return { ...frame, timeUs, lagUs, palm: trulyAt(timeUs) };
  });
}

function distance(a: Place, b: Place): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

/** Third differences of the palm's place, m/s³. */
function jerks(frames: readonly Frame[]): number[] {
  const result: number[] = [];
  for (let index = 3; index < frames.length; index += 1) {
    const [a, b, c, d] = frames.slice(index - 3, index + 1).map(({ palm }) => palm);
    if (!a || !b || !c || !d) continue;
    const third = [0, 1, 2].map((axis) => {
      const at = axis as 0 | 1 | 2;
      return (d[at] - 3 * c[at] + 3 * b[at] - a[at]) / (FRAME_US / 1e6) ** 3;
    });
    result.push(Math.hypot(...third));
  }
  return result;
}

function rms(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, each) => sum + each * each, 0) / values.length);
}

/** How far the palm runs back against the way the person really moved, at worst, m. */
function runsBack(frames: readonly Frame[]): number {
  let worst = 0;
  let back = 0;
  for (let index = 1; index < frames.length; index += 1) {
    const [before, after] = [frames[index - 1], frames[index]];
    if (before === undefined || after === undefined) continue;
    const [from, to] = [trulyAt(after.timeUs - FRAME_US), trulyAt(after.timeUs + FRAME_US)];
    const way = distance(from, to);
    const along = [0, 1, 2].reduce((sum, axis) => {
      const at = axis as 0 | 1 | 2;
      return sum + ((after.palm[at] - before.palm[at]) * (to[at] - from[at])) / Math.max(way, 1e-9);
    }, 0);
    const moves = way / (2 * FRAME_US) * 1e6 > 0.05; // slower than 5 cm/s there is no way to speak of
    back = along < 0 && moves ? back - along : 0;
    worst = Math.max(worst, back);
  }
  return worst;
}

interface Measured {
  readonly jerk: number;
  readonly worstJerk: number;
  readonly fastest: number;
  readonly back: number;
  readonly astray: number;
  readonly lag: number;
  readonly lag95: number;
}

function measure(frames: readonly Frame[]): Measured {
  const all = jerks(frames);
  const steps = frames.slice(1).map((frame, index) => distance(frame.palm, frames[index]?.palm ?? frame.palm));
  return {
    jerk: rms(all),
    worstJerk: quantile(all, 0.99),
    fastest: (Math.max(...steps) / FRAME_US) * 1e6,
    back: runsBack(frames),
    astray: Math.max(...frames.map(({ palm, timeUs }) => distance(palm, trulyAt(timeUs)))),
    lag: quantile(frames.map(({ lagUs }) => lagUs), 0.5),
    lag95: quantile(frames.map(({ lagUs }) => lagUs), 0.95),
  };
}

function line(name: string, { jerk, worstJerk, fastest, back, astray, lag, lag95 }: Measured): string {
  const numbers = [
    `jerk rms ${jerk.toFixed(0)}, p99 ${worstJerk.toFixed(0)} m/s³`,
    `fastest ${fastest.toFixed(2)} m/s`,
    `runs back ${(1000 * back).toFixed(1)} mm`,
    `astray ${(1000 * astray).toFixed(1)} mm`,
    `lag p50 ${(lag / 1000).toFixed(0)}, p95 ${(lag95 / 1000).toFixed(0)} ms`,
  ];
  return `${name.padEnd(11)}${numbers.join('; ')}`;
}

describe('a captured trace with gaps of 30 to 190 ms', () => {
  const frames = asPlayed();
  const played = measure(frames);
  const was = measure(asItWas(frames, played.lag));
  const arrived = measure(asArrived());
  const guessed = measure(asGuessed());
  console.log(
    [
      line('as it was', was),
      line('as played', played),
      line('as arrived', arrived),
      line('as guessed', guessed),
    ].join('\n'),
  );

  it('has such gaps, and everything that the server sent', () => {
    const arrivals = trace.events.filter(([kind]) => kind === 'snapshot').map(([, localUs]) => localUs);
    const gaps = arrivals.slice(1).map((each, index) => (each - (arrivals[index] ?? each)) / 1000);
    expect(Math.min(...trace.gaps)).toBeLessThanOrEqual(30);
    expect(Math.max(...trace.gaps)).toBeGreaterThanOrEqual(190);
    expect(gaps.filter((gap) => gap > 100).length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...gaps)).toBeGreaterThan(190);
    expect(frames.length).toBeGreaterThan(800);
  });

  it('is played without rubber-banding', () => {
    expect(guessed.back).toBeGreaterThan(0.02); // so that the measure is known to see it
    expect(played.back).toBeLessThan(0.003);
    expect(played.fastest / was.fastest).toBeLessThan(1.3);
  });

  it('is played nearly as smoothly as the person moved', () => {
    expect(arrived.jerk / was.jerk).toBeGreaterThan(10);
    expect(played.jerk / was.jerk).toBeLessThan(2);
    expect(played.worstJerk / was.worstJerk).toBeLessThan(2);
  });

  it('is played no later than its gaps make necessary, and shows what was', () => {
    const longestUs = 1000 * Math.max(...trace.gaps);
    expect(played.lag).toBeLessThan(1.1 * longestUs);
    expect(played.lag95).toBeLessThan(1.4 * longestUs);
    expect(played.astray).toBeLessThan(0.06);
  });
});
