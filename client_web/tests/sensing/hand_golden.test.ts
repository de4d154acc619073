import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import handText from '../../../tests/golden/hand.json?raw';
import { HAND_ANGLES, RELAXED, solveFingers } from '../../src/body/fingers';
import { positionOf, rotationOf, write } from '../../src/body/rigid';
import { BONE, BONE_COUNT, BONES_SIZE, type Skeleton } from '../../src/body/skeleton';
import { FINGER_JOINTS } from '../../src/protocol/tables';
import { anglesFromJoints } from '../../src/sensing/hand_angles';
import { HAND_JOINTS, JOINT_PLACE, JOINT_SIZE, type Side } from '../../src/sensing/hand_joints';
import { palmFromJoints } from '../../src/sensing/headset_palm';
import { random } from '../traces';

interface HandCase {
  readonly posture: string;
  readonly side: Side;
  readonly hand_length_m: number;
  readonly angles: number[];
  readonly joints: number[][];
}

const golden = JSON.parse(handText) as {
  angle_names: string[];
  joint_names: string[];
  cases: HandCase[];
};
const { cases } = golden;

/** First of a digit's bones among the joints: what a page draws of it are three from there on. */
const FIRST = [1, 6, 11, 16, 21];
/** How the palm's frame lies in the T-pose: fingers outward, the back up, thumbs ahead. */
const T_POSE: Record<Side, Quaternion> = {
  right: new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), -Math.PI / 2),
  left: new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2),
};

function placeOf(found: HandCase, joint: number): Vector3 {
  return new Vector3().fromArray(found.joints[joint] ?? []);
}

function turnOf(found: HandCase, joint: number): Quaternion {
  return new Quaternion().fromArray(found.joints[joint] ?? [], 3);
}

/** The joints as a headset would tell them of a hand anywhere: column-major matrices. */
function matrices(found: HandCase, place: Vector3, turn: Quaternion): Float64Array {
  const joints = new Float64Array(HAND_JOINTS.length * JOINT_SIZE);
  for (let joint = 0; joint < HAND_JOINTS.length; joint += 1) {
    const at = placeOf(found, joint).applyQuaternion(turn).add(place);
    at.toArray(joints as unknown as number[], JOINT_SIZE * joint + JOINT_PLACE);
  }
  return joints;
}

/** A skeleton whose hand at rest is a flat one of the golden file. */
function skeletonOf(flat: HandCase): Skeleton {
  const rest = new Float64Array(3 * BONE_COUNT);
  const straight = new Float64Array(4 * BONE_COUNT);
  for (let bone = 0; bone < BONE_COUNT; bone += 1) straight[4 * bone + 3] = 1;
  FIRST.forEach((first, digit) => {
    for (let bone = 0; bone < 3; bone += 1) {
      const at = placeOf(flat, first + bone).applyQuaternion(T_POSE[flat.side]);
      at.toArray(rest, 3 * (BONE[flat.side].fingers + 3 * digit + bone));
    }
  });
  const none = new Float64Array(3 * BONE_COUNT);
  return {
    rest,
    straight,
    axis: none,
    present: new Uint8Array(BONE_COUNT),
    carrier: new Uint8Array(BONE_COUNT),
    eyes: none,
    palms: none,
    handLength: flat.hand_length_m,
  };
}

function flatOf(found: HandCase): HandCase {
  const flat = cases.find((other) => other.posture === 'flat' && other.side === found.side);
  if (!flat) throw new Error('no flat hand');
  return flat;
}

describe('the golden hands', () => {
  it('name angles and joints as the page does', () => {
    const camel = golden.angle_names.map((name) =>
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    );
    expect(camel).toEqual(FINGER_JOINTS.map(({ name }) => name));
    expect(golden.joint_names).toEqual([...HAND_JOINTS]);
    expect(cases.length).toBeGreaterThan(30);
  });

  it('relax as drawn hands do', () => {
    const relaxed = cases.find(({ posture }) => posture === 'relaxed');
    relaxed?.angles.forEach((angle, joint) => expect(angle).toBeCloseTo(RELAXED[joint] ?? 9, 11));
    expect(relaxed).toBeDefined();
  });

  it('have their palm where the page finds it from the joints', () => {
    const next = random(19);
    for (const found of cases) {
      const place = new Vector3(next() - 0.5, next() + 0.5, next() - 0.5);
      const turn = new Quaternion(next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5);
      turn.normalize();
      const palm = new Float64Array(7);
      expect(palmFromJoints(found.side, matrices(found, place, turn), palm, 0)).toBe(true);
      expect(new Vector3().fromArray(palm).distanceTo(place)).toBeLessThan(1e-9);
      expect(new Quaternion().fromArray(palm, 3).angleTo(turn)).toBeLessThan(1e-5);
    }
  });

  it('give back the angles that they were made from', () => {
    const next = random(20);
    for (const found of cases) {
      const place = new Vector3(next(), next(), next());
      const turn = new Quaternion(next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5);
      const joints = matrices(found, place, turn.normalize());
      const palm = new Float64Array(7);
      const angles = new Float64Array(HAND_ANGLES);
      palmFromJoints(found.side, joints, palm, 0);
      expect(anglesFromJoints(found.side, joints, palm, angles, 0)).toBe(true);
      found.angles.forEach((angle, joint) => {
        expect(angles[joint], `${found.posture} ${golden.angle_names[joint]}`).toBeCloseTo(angle, 8);
      });
    }
  });

  it('are drawn with every bone where it is and turned as it is', () => {
    const expected = new Quaternion();
    for (const found of cases) {
      const flat = flatOf(found);
      const scale = found.hand_length_m / flat.hand_length_m;
      const bones = new Float64Array(BONES_SIZE);
      const angles = new Float64Array(2 * HAND_ANGLES);
      angles.set(found.angles, found.side === 'left' ? 0 : HAND_ANGLES);
      write(bones, BONE.left.hand, new Vector3(), new Quaternion(), scale, scale);
      write(bones, BONE.right.hand, new Vector3(), new Quaternion(), scale, scale);
      solveFingers(skeletonOf(flat), angles, bones);
      const tPose = T_POSE[found.side];
      FIRST.forEach((first, digit) => {
        for (let bone = 0; bone < 3; bone += 1) {
          const drawn = BONE[found.side].fingers + 3 * digit + bone;
          const at = placeOf(found, first + bone).applyQuaternion(tPose);
          expect(positionOf(bones, drawn, new Vector3()).distanceTo(at)).toBeLessThan(1e-9);
          expected.copy(tPose).multiply(turnOf(found, first + bone));
          expected.multiply(turnOf(flat, first + bone).invert()).multiply(tPose.clone().invert());
          const alike = Math.abs(rotationOf(bones, drawn, new Quaternion()).dot(expected));
          expect(Math.abs(1 - alike)).toBeLessThan(1e-9);
        }
      });
    }
  });
});
