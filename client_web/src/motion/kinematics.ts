/**
 * Owns forward kinematics: joint angles to bone rotations, and bone rotations to places.
 *
 * Axes and signs are those of the skeleton's conventions: right-handed, +Y up, −Z forward; the
 * right arm turns about +X, +Z, +Y (shoulder), +X (elbow), +Y (forearm), −Z, +X (wrist), and the
 * left arm is its mirror image. Nothing here allocates; rotations are xyzw.
 */

import { Quaternion, Vector3 } from 'three';
import {
  ARM_JOINTS,
  JOINT_COUNT,
  LENGTH,
  PLACE,
  ROTATION,
  TORSO_YAW,
  type Floats,
  type WritableFloats,
} from './bones';

const _turn = new Quaternion();
const _rotation = new Quaternion();
const _offset = new Vector3();
const _place = new Vector3();

/** Palm frames in the zero posture: X, Y, Z along the chest's ±Z, ±X, +Y. */
const REST_HAND = {
  left: new Quaternion(-0.5, 0.5, 0.5, 0.5),
  right: new Quaternion(-0.5, -0.5, -0.5, 0.5),
} as const;

const SIDES = ['left', 'right'] as const;
const BONES_OF = {
  left: { upper: ROTATION.leftUpperArm, lower: ROTATION.leftLowerArm, hand: ROTATION.leftHand },
  right: { upper: ROTATION.rightUpperArm, lower: ROTATION.rightLowerArm, hand: ROTATION.rightHand },
} as const;
const PLACES_OF = {
  left: {
    shoulder: PLACE.leftShoulder,
    elbow: PLACE.leftElbow,
    wrist: PLACE.leftWrist,
    palm: PLACE.leftPalm,
  },
  right: {
    shoulder: PLACE.rightShoulder,
    elbow: PLACE.rightElbow,
    wrist: PLACE.rightWrist,
    palm: PLACE.rightPalm,
  },
} as const;

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

function turnX(angle: number): void {
  _rotation.multiply(_turn.set(Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)));
}

function turnY(angle: number): void {
  _rotation.multiply(_turn.set(0, Math.sin(angle / 2), 0, Math.cos(angle / 2)));
}

function turnZ(angle: number): void {
  _rotation.multiply(_turn.set(0, 0, Math.sin(angle / 2), Math.cos(angle / 2)));
}

/**
 * Writes a pose (see bones.ts) from row `row` of arrays as snapshots hold them: chest frames of 7
 * (position, rotation), head rotations of 4, joint angles of 15.
 */
export function poseFromAngles(
  worldFromChest: Floats,
  headRotation: Floats,
  jointAngles: Floats,
  row: number,
  pose: WritableFloats,
): void {
  for (let axis = 0; axis < 3; axis += 1) pose[axis] = at(worldFromChest, 7 * row + axis);
  for (let part = 0; part < 4; part += 1) {
    pose[ROTATION.chest + part] = at(worldFromChest, 7 * row + 3 + part);
    pose[ROTATION.head + part] = at(headRotation, 4 * row + part);
  }
  const first = JOINT_COUNT * row;
  _rotation.fromArray(pose, ROTATION.chest);
  turnY(at(jointAngles, first + TORSO_YAW));
  _rotation.toArray(pose, ROTATION.upperChest);
  for (const side of SIDES) {
    const joint = first + ARM_JOINTS[side];
    const bones = BONES_OF[side];
    const mirror = side === 'right' ? 1 : -1;
    _rotation.fromArray(pose, ROTATION.upperChest);
    turnX(at(jointAngles, joint));
    turnZ(mirror * at(jointAngles, joint + 1));
    turnY(mirror * at(jointAngles, joint + 2));
    _rotation.toArray(pose, bones.upper);
    turnX(at(jointAngles, joint + 3));
    turnY(mirror * at(jointAngles, joint + 4));
    _rotation.toArray(pose, bones.lower);
    turnZ(-mirror * at(jointAngles, joint + 5));
    turnX(at(jointAngles, joint + 6));
    _rotation.multiply(REST_HAND[side]).toArray(pose, bones.hand);
  }
}

function readRotation(pose: Floats, offset: number): void {
  _rotation.set(at(pose, offset), at(pose, offset + 1), at(pose, offset + 2), at(pose, offset + 3));
}

/** Adds an offset, given in the frame of the bone at `rotation`, to the place at `from`. */
function step(
  pose: Floats,
  rotation: number,
  places: WritableFloats,
  from: number,
  to: number,
): void {
  readRotation(pose, rotation);
  _offset.applyQuaternion(_rotation);
  _place.set(at(places, from), at(places, from + 1), at(places, from + 2));
  _place.add(_offset).toArray(places, to);
}

/** Leaves in _offset the neck, `length` long between the trunk's up and the head's up. */
function neckOffset(length: number, pose: Floats): void {
  readRotation(pose, ROTATION.chest);
  _offset.set(0, 1, 0).applyQuaternion(_rotation);
  readRotation(pose, ROTATION.head);
  _place.set(0, 1, 0).applyQuaternion(_rotation);
  _offset.add(_place);
  // A head upside down on its trunk has no bisector: any direction serves.
  if (_offset.length() < 1e-6) _offset.copy(_place);
  _offset.setLength(length);
}

/** Writes the places of a body (see bones.ts), world metres, from its pose and its lengths. */
export function placesFromPose(lengths: Floats, pose: Floats, places: WritableFloats): void {
  for (let axis = 0; axis < 3; axis += 1) places[PLACE.chest + axis] = at(pose, axis);
  _offset.set(0, at(lengths, LENGTH.sternumDown), 0);
  step(pose, ROTATION.chest, places, PLACE.chest, PLACE.neckBase);
  neckOffset(at(lengths, LENGTH.neck), pose);
  _place.set(
    at(places, PLACE.neckBase),
    at(places, PLACE.neckBase + 1),
    at(places, PLACE.neckBase + 2),
  );
  _place.add(_offset).toArray(places, PLACE.skullBase);
  _offset.set(0, at(lengths, LENGTH.eyesUp), -at(lengths, LENGTH.eyesForward));
  step(pose, ROTATION.head, places, PLACE.skullBase, PLACE.eyes);
  for (const side of SIDES) {
    const mirror = side === 'right' ? 1 : -1;
    const bones = BONES_OF[side];
    const to = PLACES_OF[side];
    _offset.set(mirror * at(lengths, LENGTH.shoulderLateral), at(lengths, LENGTH.shoulderUp), 0);
    step(pose, ROTATION.upperChest, places, PLACE.chest, to.shoulder);
    _offset.set(0, -at(lengths, LENGTH.upperArm), 0);
    step(pose, bones.upper, places, to.shoulder, to.elbow);
    _offset.set(0, -at(lengths, LENGTH.forearm), 0);
    step(pose, bones.lower, places, to.elbow, to.wrist);
    _offset.set(0, 0, -at(lengths, LENGTH.palm));
    step(pose, bones.hand, places, to.wrist, to.palm);
  }
}
