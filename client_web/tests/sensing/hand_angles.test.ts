import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import {
  anglesFromHold,
  anglesFromJoints,
  bonesFromAngles,
  BONES_SIZE,
  followAngles,
} from '../../src/sensing/hand_angles';
import { SIDES, type Side } from '../../src/sensing/hand_joints';
import { palmFromJoints } from '../../src/sensing/headset_palm';
import { random } from '../traces';
import { handJoints } from './hands';

const DEGREE = Math.PI / 180;
/** Of the protocol's table: low and high of the four thumb joints, then of a finger's four. */
const THUMB = [[-30, 60], [-30, 60], [-30, 90], [-30, 100]] as const;
const FINGER = [[-45, 105], [-35, 35], [-15, 130], [-15, 100]] as const;

function randomAngles(next: () => number): Float64Array {
  const angles = new Float64Array(20);
  for (let joint = 0; joint < 20; joint += 1) {
    const [low, high] = (joint < 4 ? THUMB : FINGER)[joint % 4] ?? [0, 0];
    angles[joint] = (low + next() * (high - low)) * DEGREE;
  }
  return angles;
}

function randomTurn(next: () => number): Quaternion {
  const turn = new Quaternion(next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5);
  return turn.normalize();
}

function measured(side: Side, joints: Float32Array): Float64Array {
  const palm = new Float64Array(7);
  const angles = new Float64Array(20);
  expect(palmFromJoints(side, joints, palm, 0)).toBe(true);
  expect(anglesFromJoints(side, joints, palm, angles, 0)).toBe(true);
  return angles;
}

/** Whether the bones, seen from above, tell how a finger is spread. */
function tells(angles: Float64Array, finger: number): boolean {
  const first = 4 * finger;
  let bent = 0;
  let seen = 0;
  for (const joint of [0, 2, 3]) {
    bent += angles[first + joint] ?? 0;
    seen += Math.cos(bent) ** 2;
  }
  return seen > 0.06;
}

describe('finger angles', () => {
  it.each(SIDES)('of a synthetic %s hand are those that it was made with', (side) => {
    const next = random(side === 'left' ? 11 : 12);
    for (let round = 0; round < 300; round += 1) {
      const wanted = randomAngles(next);
      const place = new Vector3(next(), next() + 1, -next());
      const joints = handJoints(side, place, randomTurn(next), wanted, 0.8 + 0.4 * next());
      const angles = measured(side, joints);
      for (let joint = 0; joint < 20; joint += 1) {
        if (!tells(wanted, joint >> 2) && joint >= 4) continue;
        expect(Math.abs((angles[joint] ?? 0) - (wanted[joint] ?? 1))).toBeLessThan(2e-3);
      }
    }
  });

  it('give back the directions of the bones even where a finger hides its spread', () => {
    const next = random(13);
    const bones = new Float64Array(BONES_SIZE);
    const again = new Float64Array(BONES_SIZE);
    for (let round = 0; round < 300; round += 1) {
      const wanted = new Float64Array(20);
      wanted[8] = 90 * DEGREE; // straight down from the knuckle: any spread fits
      wanted[9] = (next() - 0.5) * DEGREE * 70;
      const angles = measured('right', handJoints('right', new Vector3(), randomTurn(next), wanted));
      bonesFromAngles('right', wanted, 0, bones);
      bonesFromAngles('right', angles, 0, again);
      for (let part = 0; part < BONES_SIZE; part += 1) {
        expect(Math.abs((again[part] ?? 0) - (bones[part] ?? 1))).toBeLessThan(2e-3);
      }
    }
  });

  it('are zero for the flat hand: fingers along −Z, the thumb 45° to its side', () => {
    const bones = new Float64Array(BONES_SIZE);
    for (const side of SIDES) {
      bonesFromAngles(side, new Float64Array(20), 0, bones);
      const out = side === 'left' ? Math.SQRT1_2 : -Math.SQRT1_2;
      expect(bones[0]).toBeCloseTo(out, 12);
      expect(bones[2]).toBeCloseTo(-Math.SQRT1_2, 12);
      for (let bone = 3; bone < 15; bone += 1) expect(bones[3 * bone + 2]).toBeCloseTo(-1, 12);
    }
  });

  it('bend fingers and thumb to the palm, spread to the thumb, lift the thumb to the palm side', () => {
    const bones = new Float64Array(BONES_SIZE);
    const one = (joint: number): Float64Array => {
      const angles = new Float64Array(20);
      angles[joint] = 0.3;
      bonesFromAngles('right', angles, 0, bones);
      return bones;
    };
    for (const joint of [4, 6, 7]) expect(one(joint)[9 + 6 + 1]).toBeLessThan(-0.2);
    expect(one(5)[9]).toBeLessThan(-0.2); // index, to −X where a right thumb is
    expect(one(0)[0]).toBeGreaterThan(-0.6); // the thumb nears the fingers
    expect(one(1)[1]).toBeLessThan(-0.2);
    for (const joint of [2, 3]) expect(one(joint)[6]).toBeGreaterThan(-0.6);
  });

  it('are refused where joints coincide', () => {
    const joints = new Float32Array(25 * 16);
    expect(palmFromJoints('left', joints, new Float64Array(7), 0)).toBe(false);
    const palm = new Float64Array([0, 0, 0, 0, 0, 0, 1]);
    expect(anglesFromJoints('left', joints, palm, new Float64Array(20), 0)).toBe(false);
  });
});

describe('a hand around a controller', () => {
  const angles = new Float64Array(20);
  const hold = { trigger: 0, squeeze: 0, indexRests: false, thumbRests: false };

  it('closes the index finger with the trigger and the others with the grip', () => {
    anglesFromHold(hold, angles, 0);
    const [index = 0, ring = 0, thumb = 0] = [angles[4], angles[12], angles[0]];
    anglesFromHold({ ...hold, trigger: 1 }, angles, 0);
    expect(angles[4]).toBeGreaterThan(index + 0.5);
    expect(angles[12]).toBe(ring);
    anglesFromHold({ ...hold, squeeze: 1, thumbRests: true }, angles, 0);
    expect(angles[4]).toBe(index);
    expect(angles[12]).toBeGreaterThan(ring + 0.3);
    expect(angles[0]).toBeGreaterThan(thumb + 0.3);
  });

  it('follows the buttons without a jump, and arrives', () => {
    const shown = new Float64Array(40);
    anglesFromHold({ ...hold, trigger: 1 }, angles, 0);
    followAngles(angles, shown, 20, 1 / 72);
    expect(shown[24]).toBeGreaterThan(0);
    expect(shown[24]).toBeLessThan(0.3 * (angles[4] ?? 0));
    for (let frame = 0; frame < 72; frame += 1) followAngles(angles, shown, 20, 1 / 72);
    expect(shown[24]).toBeCloseTo(angles[4] ?? 0, 4);
    expect(shown[4]).toBe(0);
  });
});
