import { Matrix4, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LENGTHS } from '../../src/motion/bones';
import { poseFromAngles } from '../../src/motion/kinematics';
import { Provenance } from '../../src/protocol/generated';
import { Crowd, type PoseSource } from '../../src/scene/crowd';
import type { Appearance } from '../../src/scene/figure_slot';
import { snapshot } from '../traces';

const { LOST, INFERRED, TRACKED } = Provenance;

function look(provenance: readonly number[], connected = true): Appearance {
  return { colour: '#6093de', lengths: DEFAULT_LENGTHS, connected, provenance };
}

const rows = snapshot(1e6, [1]);
const standing: PoseSource = (_, pose) => {
  poseFromAngles(rows.worldFromChest, rows.headRotation, rows.jointAngles, 0, pose);
  return true;
};

function run(crowd: Crowd, frames: number, appearance: Appearance | undefined, poses = standing): void {
  for (let frame = 0; frame < frames; frame += 1) crowd.update([1], poses, () => appearance, 1 / 60);
}

function partOf(crowd: Crowd, name: string): { opacity: number } {
  const mesh = crowd.group.children.find((child) => child.name === name) as never as {
    geometry: { getAttribute(name: string): { getX(index: number): number } };
  };
  return { opacity: mesh.geometry.getAttribute('opacity').getX(0) };
}

describe('a figure', () => {
  it('is drawn where the pose is: hands at the palms, arms at their upper joints', () => {
    const crowd = new Crowd(4);
    run(crowd, 1, look([TRACKED, TRACKED, TRACKED]));
    const drawn = crowd.drawn(1);
    const figure = crowd.figure(1);
    for (const [part, place] of [
      ['leftHand', 'leftPalm'],
      ['rightHand', 'rightPalm'],
      ['leftUpperArm', 'leftShoulder'],
      ['rightLowerArm', 'rightElbow'],
      ['head', 'eyes'],
    ] as const) {
      const expected = figure?.placeOf(place, new Vector3()) ?? new Vector3();
      const actual = new Vector3(...(drawn[part]?.position ?? []));
      expect(actual.distanceTo(expected), part).toBeLessThan(1e-6);
    }
  });

  it('shows a tracked hand solid, an inferred one less so, a lost one hardly', () => {
    const crowd = new Crowd(4);
    run(crowd, 240, look([TRACKED, INFERRED, LOST]));
    const [head, left, right] = ['head', 'leftHand', 'rightHand'].map((part) => partOf(crowd, part).opacity);
    expect(head).toBeCloseTo(1, 2);
    expect(left).toBeGreaterThan(0.4);
    expect(left).toBeLessThan(0.7);
    expect(right).toBeLessThan(0.35);
  });

  it('fades when its person is away, and comes back', () => {
    const crowd = new Crowd(4);
    run(crowd, 120, look([TRACKED, TRACKED, TRACKED]));
    expect(crowd.figure(1)?.visibility).toBeGreaterThan(0.95);
    run(crowd, 120, look([TRACKED, TRACKED, TRACKED], false));
    expect(crowd.figure(1)?.visibility).toBeLessThan(0.4);
    run(crowd, 120, look([TRACKED, TRACKED, TRACKED]));
    expect(crowd.figure(1)?.visibility).toBeGreaterThan(0.95);
  });

  it('fades out where it was when its person leaves, and then makes room', () => {
    const crowd = new Crowd(1);
    run(crowd, 60, look([TRACKED, TRACKED, TRACKED]));
    const before = crowd.drawn(1).head?.position;
    run(crowd, 5, undefined, () => false);
    expect(crowd.drawn(1).head?.position).toEqual(before);
    run(crowd, 120, undefined, () => false);
    expect(crowd.figure(1)).toBeUndefined();
    crowd.update([2], standing, () => look([TRACKED, TRACKED, TRACKED]), 1 / 60);
    expect(crowd.figure(2)).toBeDefined();
  });

  it('is not drawn for anyone beyond the room there is', () => {
    const crowd = new Crowd(2);
    crowd.update([1, 2, 3], standing, () => look([TRACKED, TRACKED, TRACKED]), 1 / 60);
    expect([...crowd.shown()].map(([id]) => id)).toEqual([1, 2]);
    expect(crowd.drawn(3)).toEqual({});
  });
});

it('keeps matrices that are rigid but for the lengths', () => {
  const crowd = new Crowd(1);
  run(crowd, 1, look([TRACKED, TRACKED, TRACKED]));
  const mesh = crowd.group.children.find((child) => child.name === 'leftHand') as never as {
    getMatrixAt(index: number, matrix: Matrix4): void;
  };
  const matrix = new Matrix4();
  mesh.getMatrixAt(0, matrix);
  expect(matrix.determinant()).toBeCloseTo(1, 5);
});
