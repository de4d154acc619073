import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { SIDES } from '../../src/sensing/hand_joints';
import { palmFromGrip, palmFromJoints, tipGap } from '../../src/sensing/headset_palm';
import { random } from '../traces';
import { handJoints } from './hands';

function axes(pose: Float64Array): [Vector3, Vector3, Vector3] {
  const q = new Quaternion().fromArray(pose, 3);
  return [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((axis) =>
    axis.applyQuaternion(q),
  ) as [Vector3, Vector3, Vector3];
}

describe('the palm’s frame', () => {
  it.each(SIDES)('of a %s grip has the axes that the conventions give, at the same place', (side) => {
    const next = random(21);
    for (let round = 0; round < 50; round += 1) {
      const q = new Quaternion(next() - 0.5, next() - 0.5, next() - 0.5, next()).normalize();
      const grip = new Float64Array([1, 2, 3, ...q.toArray()]);
      const [gx, gy, gz] = axes(grip);
      palmFromGrip(side, grip, 0);
      const [x, y, z] = axes(grip);
      // A right grip's X, Y, Z are the hand's +Y, +Z, +X; a left one's −Y, +Z, −X.
      const m = side === 'right' ? 1 : -1;
      expect(gx.distanceTo(y.multiplyScalar(m))).toBeLessThan(1e-12);
      expect(gy.distanceTo(z)).toBeLessThan(1e-12);
      expect(gz.distanceTo(x.multiplyScalar(m))).toBeLessThan(1e-12);
      expect([...grip.subarray(0, 3)]).toEqual([1, 2, 3]);
    }
  });

  it.each(SIDES)('of a synthetic %s hand is found within 10 µm, however it is turned and sized', (side) => {
    const next = random(22);
    const palm = new Float64Array(7);
    for (let round = 0; round < 200; round += 1) {
      const place = new Vector3(next(), 1 + next(), next());
      const turn = new Quaternion(next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5).normalize();
      const joints = handJoints(side, place, turn, new Float64Array(20).fill(0.4 * next()), 0.6 + next());
      expect(palmFromJoints(side, joints, palm, 0)).toBe(true);
      expect(new Vector3().fromArray(palm).distanceTo(place)).toBeLessThan(1e-5);
      expect(new Quaternion().fromArray(palm, 3).angleTo(turn)).toBeLessThan(1e-3);
    }
  });

  it('lies 0.08 m from the wrist of a hand 0.19 m long', () => {
    const palm = new Float64Array(7);
    const joints = handJoints('right', new Vector3(), new Quaternion(), new Float64Array(20));
    palmFromJoints('right', joints, palm, 0);
    const wrist = new Vector3(joints[12], joints[13], joints[14]);
    expect(wrist.distanceTo(new Vector3().fromArray(palm))).toBeCloseTo(0.08, 3);
  });

  it('has the tips of thumb and index apart when the hand is flat', () => {
    const joints = handJoints('right', new Vector3(), new Quaternion(), new Float64Array(20));
    expect(tipGap(joints)).toBeGreaterThan(0.05);
  });
});
