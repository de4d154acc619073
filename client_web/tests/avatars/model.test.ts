import { Quaternion, Vector3, type BufferGeometry } from 'three';
import { describe, expect, it } from 'vitest';
import bodiesText from '../../../tests/golden/forward_kinematics.json?raw';
import { LENGTH, PLACE, ROTATION } from '../../src/motion/bones';
import { BONE, BONE_COUNT } from '../../src/body/skeleton';
import { GlbError } from '../../src/avatars/glb';
import { readModel } from '../../src/avatars/model';
import { writeMatrix } from '../../src/avatars/skinning';
import { readList } from '../../src/avatars/wardrobe';
import { poseFromAngles } from '../../src/motion/kinematics';
import { Person, uprightChest } from '../body/people';
import { SHIPPED, shippedFile, shippedModel } from './shipped';

const SIDES = ['left', 'right'] as const;
/** What the skin of a palm may be off; the plainest level has too little skin there to tell. */
const PALM_M = [0.002, 0.02] as const;

/** The skin as the graphics card draws it. */
class Skin {
  private readonly matrices = new Float64Array(12 * BONE_COUNT);

  constructor(private readonly geometry: BufferGeometry) {}

  pose(person: Person): this {
    for (let bone = 0; bone < BONE_COUNT; bone += 1) {
      writeMatrix(person.skeleton, person.body.bones, bone, this.matrices, 12 * bone);
    }
    return this;
  }

  /** How much a vertex hangs on the bones of a range. */
  share(vertex: number, first: number, last: number): number {
    let sum = 0;
    for (let slot = 0; slot < 4; slot += 1) {
      const bone = this.geometry.getAttribute('bones').getComponent(vertex, slot);
      if (bone >= first && bone <= last) sum += this.geometry.getAttribute('weights').getComponent(vertex, slot);
    }
    return sum;
  }

  vertex(index: number): Vector3 {
    const rest = new Vector3().fromBufferAttribute(this.geometry.getAttribute('position'), index);
    const out = new Vector3();
    for (let slot = 0; slot < 4; slot += 1) {
      const m = 12 * this.geometry.getAttribute('bones').getComponent(index, slot);
      const weight = this.geometry.getAttribute('weights').getComponent(index, slot);
      const row = (line: number) => {
        const [a = 0, b = 0, c = 0, d = 0] = this.matrices.subarray(m + 4 * line, m + 4 * line + 4);
        return a * rest.x + b * rest.y + c * rest.z + d;
      };
      out.x += weight * row(0);
      out.y += weight * row(1);
      out.z += weight * row(2);
    }
    return out;
  }

  get triangles(): number[][] {
    const index = this.geometry.getIndex();
    return Array.from({ length: (index?.count ?? 0) / 3 }, (_, at) => [0, 1, 2].map((corner) => index?.getX(3 * at + corner) ?? 0));
  }

  get count(): number {
    return this.geometry.getAttribute('position').count;
  }
}

/**
 * Where the drawn hand's middle is in the tracked palm's frame: the skin is cut by the plane
 * through the palm across the hand, and the cut's box has a middle. The thumb does not count.
 */
function palmOff(skin: Skin, person: Person, side: 'left' | 'right', triangles: readonly number[][]): Vector3 {
  const palm = new Vector3().fromArray(person.places, PLACE[`${side}Palm`]);
  const intoPalm = new Quaternion().fromArray(person.pose, ROTATION[`${side}Hand`]).invert();
  const [low, high] = [new Vector3(9, 9, 0), new Vector3(-9, -9, 0)];
  for (const triangle of triangles) {
    const corners = triangle.map((vertex) => skin.vertex(vertex).sub(palm).applyQuaternion(intoPalm));
    corners.forEach((a, at) => {
      const b = corners[(at + 1) % 3] as Vector3;
      if (a.z < 0 === b.z < 0) return;
      const cut = a.clone().lerp(b, a.z / (a.z - b.z)).setZ(0);
      low.min(cut);
      high.max(cut);
    });
  }
  return low.add(high).multiplyScalar(0.5);
}

/** Triangles of one hand without the thumb. */
function handTriangles(skin: Skin, side: 'left' | 'right'): number[][] {
  const { hand, fingers } = BONE[side];
  return skin.triangles.filter((triangle) =>
    triangle.every((vertex) => skin.share(vertex, hand, hand) >= 0.3 && skin.share(vertex, fingers, fingers + 2) <= 0.2),
  );
}

interface BodyCase {
  readonly lengths: number[];
  readonly world_from_chest: number[];
  readonly joint_angles: number[];
}
const golden = (JSON.parse(bodiesText) as { cases: BodyCase[] }).cases;

describe.each(SHIPPED.map(({ name }) => name))('the shipped model %s', (name) => {
  const model = shippedModel(name);

  it('draws the palm of its skin where the palm is tracked', () => {
    PALM_M.forEach((tolerance, level) => {
      const skin = new Skin(model.levels[level] as BufferGeometry);
      const hands = SIDES.map((side) => [side, handTriangles(skin, side)] as const);
      for (const { lengths, world_from_chest, joint_angles } of golden.slice(0, 8)) {
        const person = new Person(model.skeleton, lengths);
        poseFromAngles(world_from_chest, [0, 0, 0, 1], joint_angles, 0, person.pose);
        skin.pose(person.showPose(person.pose));
        const hand = (lengths[LENGTH.hand] ?? 0) / 0.19;
        for (const [side, triangles] of hands) {
          expect(triangles.length).toBeGreaterThan(4);
          expect(palmOff(skin, person, side, triangles).length(), `${side} of level ${level}`).toBeLessThan(hand * tolerance);
        }
      }
    });
  });

  it('stands with the soles of its shoes on the floor', () => {
    const person = new Person(model.skeleton).show({ chest: [0, uprightChest(), 0] });
    for (const geometry of model.levels) {
      const skin = new Skin(geometry).pose(person);
      let lowest = Number.POSITIVE_INFINITY;
      for (let vertex = 0; vertex < skin.count; vertex += 1) lowest = Math.min(lowest, skin.vertex(vertex).y);
      expect(Math.abs(lowest)).toBeLessThan(0.012);
    }
  });

  it('has levels that get plainer by at least a half each, and bind every vertex wholly', () => {
    const triangles = model.levels.map((geometry) => (geometry.getIndex()?.count ?? 0) / 3);
    expect(triangles[0]).toBeLessThanOrEqual(12_500);
    triangles.slice(1).forEach((count, level) => expect(count).toBeLessThan((triangles[level] ?? 0) / 2));
    for (const geometry of model.levels) {
      const skin = new Skin(geometry);
      for (let vertex = 0; vertex < skin.count; vertex += 1) {
        expect(skin.share(vertex, 0, BONE_COUNT)).toBeCloseTo(1, 3);
      }
    }
  });

  it('keeps its forearms thick when they are turned: no skin is wrung out', () => {
    const angles = new Array<number>(15).fill(0);
    const skin = new Skin(model.levels[0] as BufferGeometry);
    const person = new Person(model.skeleton);
    const girth = (pronation: number) => {
      angles[5] = angles[12] = pronation;
      skin.pose(person.show({ chest: [0, uprightChest(), 0], angles }));
      const elbow = new Vector3().fromArray(person.places, PLACE.rightElbow);
      const wrist = new Vector3().fromArray(person.places, PLACE.rightWrist);
      const way = wrist.sub(elbow).normalize();
      const { lowerArm, lowerArmEnd, hand } = BONE.right;
      let thinnest = Number.POSITIVE_INFINITY;
      const slices = new Array<number>(8).fill(0);
      for (let vertex = 0; vertex < skin.count; vertex += 1) {
        const ours = skin.share(vertex, lowerArm, lowerArm) + skin.share(vertex, lowerArmEnd, lowerArmEnd) + skin.share(vertex, hand, hand);
        if (ours < 0.99) continue;
        const from = skin.vertex(vertex).sub(elbow);
        const along = from.dot(way);
        const slice = Math.floor((along / 0.26) * 10) - 1;
        if (slice < 0 || slice > 7) continue;
        slices[slice] = Math.max(slices[slice] ?? 0, from.addScaledVector(way, -along).length());
      }
      for (const radius of slices) if (radius > 0) thinnest = Math.min(thinnest, radius);
      return thinnest;
    };
    expect(girth(1.35)).toBeGreaterThan(0.8 * girth(0));
    expect(girth(-1.35)).toBeGreaterThan(0.8 * girth(0));
  });
});

describe('a model’s file', () => {
  it('is refused, not half read, when it is cut off anywhere', () => {
    const file = shippedFile('woman.2.vrm');
    for (const length of [0, 11, 40, 2000, file.length >> 1, file.length - 1]) {
      expect(() => readModel([file.subarray(0, length)])).toThrow(GlbError);
    }
    expect(() => readModel([])).toThrow(GlbError);
  });
});

describe('the list of avatars', () => {
  it('gives what can be used of it, whatever it holds', () => {
    expect(SHIPPED.length).toBeGreaterThan(1);
    for (const wrong of [null, 7, 'x', [], {}, { avatars: 3 }, { avatars: [null, 3, { name: 4 }, { name: 'a', files: [] }, { name: 'b', files: [1] }] }]) {
      expect(readList(wrong)).toEqual([]);
    }
    expect(readList({ avatars: [{ name: 'a', files: ['a.vrm'] }, {}] })).toEqual([{ name: 'a', title: 'a', files: ['a.vrm'] }]);
  });
});

