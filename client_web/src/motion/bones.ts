/**
 * Owns the layout of a pose as the client keeps it: where the chest is, and how nine bones are
 * turned in the world. Names are VRM's humanoid bone names.
 *
 * A pose is POSE_SIZE floats: chest position xyz, then one rotation xyzw a bone, in BONES' order.
 * It holds no length, so a person's new lengths apply to poses that arrived before them.
 */

import { JOINTS, LENGTHS, type Lengths } from '../protocol/generated';

export const BONES = [
  'chest',
  'upperChest',
  'head',
  'leftUpperArm',
  'leftLowerArm',
  'leftHand',
  'rightUpperArm',
  'rightLowerArm',
  'rightHand',
] as const;

export type Bone = (typeof BONES)[number];

export const POSE_SIZE = 3 + 4 * BONES.length;

/** Where each bone's rotation starts in a pose. */
export const ROTATION = {
  chest: 3,
  upperChest: 7,
  head: 11,
  leftUpperArm: 15,
  leftLowerArm: 19,
  leftHand: 23,
  rightUpperArm: 27,
  rightLowerArm: 31,
  rightHand: 35,
} as const satisfies Record<Bone, number>;

/** Places of a body that are drawn or compared, in the order of a places array (three floats each). */
export const PLACES = [
  'chest',
  'neckBase',
  'skullBase',
  'eyes',
  'leftShoulder',
  'leftElbow',
  'leftWrist',
  'leftPalm',
  'rightShoulder',
  'rightElbow',
  'rightWrist',
  'rightPalm',
] as const;

export type Place = (typeof PLACES)[number];

export const PLACES_SIZE = 3 * PLACES.length;

/** Where each place starts in a places array. */
export const PLACE = Object.fromEntries(
  PLACES.map((name, index) => [name, 3 * index]),
) as Record<Place, number>;

/** Indices of the fifteen joint angles, in the protocol's order. */
export const JOINT_COUNT = JOINTS.length;
export const TORSO_YAW = 0;
export const ARM_JOINTS = { left: 1, right: 8 } as const;

/** Indices of the eleven lengths, in the protocol's order; metres. */
export const LENGTH = {
  shoulderLateral: 0,
  shoulderUp: 1,
  upperArm: 2,
  forearm: 3,
  palm: 4,
  hand: 5,
  eyesUp: 6,
  eyesForward: 7,
  neck: 8,
  sternumDown: 9,
  eyeHeight: 10,
} as const;

export const DEFAULT_LENGTHS: readonly number[] = LENGTHS.map((length) => length.default);

/** A person's lengths as an array in the protocol's order. */
export function lengthsOf(lengths: Lengths): readonly number[] {
  return LENGTHS.map((length) => lengths[length.name]);
}

/** Whatever can be indexed by a number: plain and typed arrays. */
export type Floats = ArrayLike<number>;
export type WritableFloats = Float32Array | Float64Array | number[];
