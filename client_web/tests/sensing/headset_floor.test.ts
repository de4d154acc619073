import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Floor, yawOf } from '../../src/sensing/headset_floor';
import { random } from '../traces';

const UP = new Vector3(0, 1, 0);

function randomEyes(next: () => number): Float64Array {
  const yaw = new Quaternion().setFromAxisAngle(UP, 6 * (next() - 0.5));
  const pitch = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 2.6 * (next() - 0.5));
  return new Float64Array([4 * next() - 2, 1 + next(), 4 * next() - 2, ...yaw.multiply(pitch).toArray()]);
}

function worldEyes(floor: Floor, eyes: Float64Array): { place: Vector3; facing: Vector3 } {
  const pose = new Float64Array(7);
  floor.poseToWorld(eyes, 0, pose, 0);
  const facing = new Vector3(0, 0, -1).applyQuaternion(new Quaternion().fromArray(pose, 3));
  return { place: new Vector3().fromArray(pose), facing };
}

describe('the floor of a headset', () => {
  it('takes poses to the world by a turn about +Y and a shift', () => {
    const next = random(31);
    for (let round = 0; round < 100; round += 1) {
      const floor = new Floor();
      Object.assign(floor, { x: next(), z: next(), yaw: 6 * next() });
      const eyes = randomEyes(next);
      const turn = new Quaternion().setFromAxisAngle(UP, floor.yaw);
      const wanted = new Vector3().fromArray(eyes).applyQuaternion(turn);
      wanted.add(new Vector3(floor.x, 0, floor.z));
      const { place, facing } = worldEyes(floor, eyes);
      expect(place.distanceTo(wanted)).toBeLessThan(1e-12);
      turn.multiply(new Quaternion().fromArray(eyes, 3));
      expect(facing.distanceTo(new Vector3(0, 0, -1).applyQuaternion(turn))).toBeLessThan(1e-12);
    }
  });

  it('places eyes where asked, facing there, and changes no height', () => {
    const next = random(32);
    for (let round = 0; round < 100; round += 1) {
      const floor = new Floor();
      const eyes = randomEyes(next);
      const wanted = { x: 9 * next(), z: -9 * next(), yaw: 3 * (next() - 0.5) };
      floor.place(eyes, wanted);
      const { x, z, yaw } = floor.standing(eyes);
      expect([x, z]).toEqual([expect.closeTo(wanted.x, 12), expect.closeTo(wanted.z, 12)]);
      expect(Math.cos(yaw - wanted.yaw)).toBeCloseTo(1, 12);
      expect(worldEyes(floor, eyes).place.y).toBe(eyes[1]);
    }
  });

  it('turns the world about the eyes, which stay where they are', () => {
    const next = random(33);
    for (let round = 0; round < 100; round += 1) {
      const floor = new Floor();
      Object.assign(floor, { x: next(), z: next(), yaw: 6 * next() });
      const eyes = randomEyes(next);
      const before = worldEyes(floor, eyes);
      floor.turn(eyes, 0.5);
      const after = worldEyes(floor, eyes);
      expect(after.place.distanceTo(before.place)).toBeLessThan(1e-12);
      expect(after.facing.distanceTo(before.facing.applyAxisAngle(UP, 0.5))).toBeLessThan(1e-12);
    }
  });

  it('knows the yaw of a head that looks straight down', () => {
    const down = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2);
    const turned = new Quaternion().setFromAxisAngle(UP, 0.7).multiply(down);
    expect(yawOf(turned.toArray())).toBeCloseTo(0.7, 12);
    expect(yawOf([1, 0, 0, 0])).toBe(0);
  });
});
