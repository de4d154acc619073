import { describe, expect, it } from 'vitest';
import { POSE_SIZE, ROTATION } from '../../src/motion/bones';
import { FADE_US, MAX_EXTRAPOLATION_US, Track } from '../../src/motion/track';
import { ALL_KNOWN, knownOf } from '../../src/motion/validity';
import { Provenance } from '../../src/protocol/generated';
import { TICK_US } from '../traces';

const LEFT_LOST = ALL_KNOWN - 2;
const HEAD_LOST = ALL_KNOWN - 1;
const out = new Float64Array(POSE_SIZE);

/** A body at x whose bones are all turned by an angle about X. */
function turned(angle: number, x = 0): Float64Array {
  const pose = new Float64Array(POSE_SIZE);
  pose[0] = x;
  for (let part = 3; part < POSE_SIZE; part += 4) {
    pose[part] = Math.sin(angle / 2);
    pose[part + 3] = Math.cos(angle / 2);
  }
  return pose;
}

function angleAt(timeUs: number, track: Track, bone: keyof typeof ROTATION): number {
  track.sample(timeUs, out);
  return 2 * Math.atan2(out[ROTATION[bone]] ?? 0, out[ROTATION[bone] + 3] ?? 1);
}

const LEFT = ['leftUpperArm', 'leftLowerArm', 'leftHand'] as const;
const OTHERS = ['chest', 'upperChest', 'head', 'rightUpperArm', 'rightLowerArm', 'rightHand'] as const;

describe('what is known of a body', () => {
  it('is what is tracked or still leaving', () => {
    const { LOST, INFERRED, TRACKED } = Provenance;
    expect(knownOf([LOST, LOST, LOST, TRACKED, INFERRED, LOST], 3)).toBe(3);
    expect(knownOf([TRACKED, TRACKED, TRACKED], 0)).toBe(ALL_KNOWN);
    expect(knownOf([], 0)).toBe(0);
  });
});

describe('a hand that was lost and comes back', () => {
  it('is where it is told to be, at its time, and does not glide there from before', () => {
    const track = new Track();
    track.push(0, 0, turned(0), LEFT_LOST);
    track.push(190_000, 0, turned(1), ALL_KNOWN);
    for (const timeUs of [1000, 95_000, 189_000]) {
      for (const bone of LEFT) expect(angleAt(timeUs, track, bone)).toBeCloseTo(0, 9);
      for (const bone of OTHERS) expect(angleAt(timeUs, track, bone)).toBeCloseTo(timeUs / 190_000, 9);
    }
    for (const bone of LEFT) expect(angleAt(190_000, track, bone)).toBeCloseTo(1, 9);
  });

  it('is not thrown on by the speed of its coming', () => {
    const track = new Track();
    track.push(0, 0, turned(0), LEFT_LOST);
    track.push(TICK_US, 0, turned(0.2), ALL_KNOWN);
    const past = TICK_US + MAX_EXTRAPOLATION_US / 2;
    for (const bone of LEFT) expect(angleAt(past, track, bone)).toBeCloseTo(0.2, 9);
    for (const bone of OTHERS) expect(angleAt(past, track, bone)).toBeGreaterThan(0.3);
  });

  it('is not drawn towards where it was guessed to be', () => {
    const track = new Track();
    track.push(0, 0, turned(0), ALL_KNOWN);
    track.push(TICK_US, 0, turned(0.1), ALL_KNOWN);
    track.sample(TICK_US + 40_000, out); // ran on by itself
    track.push(TICK_US + 20_000, 0, turned(0.1), LEFT_LOST);
    track.push(TICK_US + 60_000, 0, turned(1), ALL_KNOWN);
    track.push(TICK_US + 2 * FADE_US, 0, turned(1), ALL_KNOWN);
    for (const bone of LEFT) expect(angleAt(TICK_US + 61_000, track, bone)).toBeCloseTo(1, 9);
    for (const bone of OTHERS) {
      expect(Math.abs(angleAt(TICK_US + 61_000, track, bone) - 1)).toBeGreaterThan(1e-3);
    }
  });
});

describe('a head that was lost and comes back', () => {
  it('takes the whole body with it', () => {
    const track = new Track();
    track.push(0, 0, turned(0, 0), HEAD_LOST);
    track.push(190_000, 0, turned(1, 5), ALL_KNOWN);
    for (const timeUs of [1000, 189_000]) {
      expect(angleAt(timeUs, track, 'rightHand')).toBe(0);
      expect(out[0]).toBe(0);
    }
    track.sample(190_000, out);
    expect(out[0]).toBe(5);
    track.sample(200_000, out);
    expect(out[0]).toBe(5);
  });
});
