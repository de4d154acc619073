import { describe, expect, it } from 'vitest';
import eyesText from '../../../tests/golden/eyes_from_chest.json?raw';
import bodiesText from '../../../tests/golden/forward_kinematics.json?raw';
import {
  PLACE,
  PLACES_SIZE,
  POSE_SIZE,
  ROTATION,
  type Bone,
  type Place,
} from '../../src/motion/bones';
import { placesFromPose, poseFromAngles } from '../../src/motion/kinematics';

interface BodyCase {
  readonly lengths: number[];
  readonly world_from_chest: number[];
  readonly joint_angles: number[];
  readonly torso_rotation: number[];
  readonly shoulder_position: number[][];
  readonly elbow_position: number[][];
  readonly wrist_position: number[][];
  readonly palm_position: number[][];
  readonly upper_arm_rotation: number[][];
  readonly forearm_rotation: number[][];
  readonly hand_rotation: number[][];
}

interface EyesCase {
  readonly lengths: number[];
  readonly world_from_chest: number[];
  readonly head_rotation: number[];
  readonly eyes_position: number[];
}

const bodies = (JSON.parse(bodiesText) as { cases: BodyCase[] }).cases;
const eyes = (JSON.parse(eyesText) as { cases: EyesCase[] }).cases;
const TOLERANCE = 1e-9;
const IDENTITY = [0, 0, 0, 1];
const UPRIGHT = [0, 1.3, 0, ...IDENTITY];
const HANGING = new Array<number>(15).fill(0);

const pose = new Float64Array(POSE_SIZE);
const places = new Float64Array(PLACES_SIZE);

function farthest(values: ArrayLike<number>, offset: number, expected: readonly number[]): number {
  return Math.max(...expected.map((value, index) => Math.abs((values[offset + index] ?? NaN) - value)));
}

function expectPlace(place: Place, expected: readonly number[] | undefined): void {
  expect(farthest(places, PLACE[place], expected ?? []), place).toBeLessThan(TOLERANCE);
}

function expectRotation(bone: Bone, expected: readonly number[] | undefined): void {
  const q = expected ?? [];
  const same = farthest(pose, ROTATION[bone], q);
  const negative = farthest(pose, ROTATION[bone], q.map((value) => -value));
  expect(Math.min(same, negative), bone).toBeLessThan(TOLERANCE);
}

describe('forward kinematics', () => {
  it('agrees with the solver’s golden bodies', () => {
    expect(bodies.length).toBeGreaterThan(10);
    for (const body of bodies) {
      poseFromAngles(body.world_from_chest, IDENTITY, body.joint_angles, 0, pose);
      placesFromPose(body.lengths, pose, places);
      expectRotation('upperChest', body.torso_rotation);
      for (const [index, side] of (['left', 'right'] as const).entries()) {
        expectPlace(`${side}Shoulder`, body.shoulder_position[index]);
        expectPlace(`${side}Elbow`, body.elbow_position[index]);
        expectPlace(`${side}Wrist`, body.wrist_position[index]);
        expectPlace(`${side}Palm`, body.palm_position[index]);
        expectRotation(`${side}UpperArm`, body.upper_arm_rotation[index]);
        expectRotation(`${side}LowerArm`, body.forearm_rotation[index]);
        expectRotation(`${side}Hand`, body.hand_rotation[index]);
      }
    }
  });

  it('puts the eyes where the solver’s golden eyes are', () => {
    expect(eyes.length).toBeGreaterThan(10);
    for (const each of eyes) {
      poseFromAngles(each.world_from_chest, each.head_rotation, HANGING, 0, pose);
      placesFromPose(each.lengths, pose, places);
      expectPlace('eyes', each.eyes_position);
    }
  });

  it('mirrors: swapped arms and a mirrored torso give the mirrored body', () => {
    const mirrored = new Float64Array(PLACES_SIZE);
    for (const { lengths, joint_angles: angles } of bodies) {
      const [yaw = 0, ...arms] = angles;
      const swapped = [-yaw, ...arms.slice(7), ...arms.slice(0, 7)];
      poseFromAngles(UPRIGHT, IDENTITY, angles, 0, pose);
      placesFromPose(lengths, pose, places);
      poseFromAngles(UPRIGHT, IDENTITY, swapped, 0, pose);
      placesFromPose(lengths, pose, mirrored);
      for (const [here, there] of [
        [PLACE.leftPalm, PLACE.rightPalm],
        [PLACE.rightElbow, PLACE.leftElbow],
      ] as const) {
        const [x = 0, y = 0, z = 0] = places.subarray(here, here + 3);
        expect(farthest(mirrored, there, [-x, y, z])).toBeLessThan(TOLERANCE);
      }
    }
  });
});
