/**
 * Owns the palm's frame as a headset tells it: from a controller's grip, or from a hand's joints.
 * Palm frame: origin at the palm's centre, −Z to the fingers, +Y out of the back of the hand.
 */

import { HAND_JOINTS, JOINT_PLACE, JOINT_SIZE, type HandJoint, type Side } from './hand_joints';

type Floats = ArrayLike<number>;

/**
 * The palm's centre lies this share of the way from the wrist to the middle finger's knuckle. A hand
 * 0.19 m long has its palm 0.08 m from the wrist (conventions) and that knuckle at 0.095 m, which is
 * also what a headset's own hand measures (0.0957 m of 0.191 m); so it grows with the hand.
 */
export const PALM_SHARE = 0.84;

/** Where a joint's position begins in a row of 25 matrices. */
function placeOf(joint: HandJoint): number {
  return JOINT_SIZE * HAND_JOINTS.indexOf(joint) + JOINT_PLACE;
}

const WRIST = placeOf('wrist');
const MIDDLE = placeOf('middle-finger-phalanx-proximal');
const INDEX = placeOf('index-finger-phalanx-proximal');
const LITTLE = placeOf('pinky-finger-phalanx-proximal');
const THUMB_TIP = placeOf('thumb-tip');
const INDEX_TIP = placeOf('index-finger-tip');
/** Below this two directions say nothing about a third. */
const TINY_M = 1e-5;

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

/**
 * Turns a grip's rotation (xyzw, in place at `offset`) into the palm's: a right palm's X, Y, Z are the
 * grip's +Z, +X, +Y, a left one's −Z, −X, +Y. The origin is the same.
 */
export function palmFromGrip(side: Side, pose: Float64Array, offset: number): void {
  const m = side === 'left' ? 1 : -1;
  const x = at(pose, offset + 3);
  const y = at(pose, offset + 4);
  const z = at(pose, offset + 5);
  const w = at(pose, offset + 6);
  // Times (−½, ½, ½, ½) on the left and (−½, −½, −½, ½) on the right.
  pose[offset + 3] = 0.5 * (x + m * y - m * z - w);
  pose[offset + 4] = 0.5 * (y + m * w - z - m * x);
  pose[offset + 5] = 0.5 * (z + m * w + m * x + y);
  pose[offset + 6] = 0.5 * (w + x - m * y - m * z);
}

const _along = new Float64Array(3);
const _across = new Float64Array(3);
const _back = new Float64Array(3);

/**
 * Writes the palm's pose (position, rotation) at `offset`, from where wrist and knuckles are: headsets
 * agree on those better than on how a joint is turned. False if they are no hand.
 */
export function palmFromJoints(side: Side, joints: Floats, out: Float64Array, offset: number): boolean {
  const thumbwards = side === 'left' ? 1 : -1;
  for (let axis = 0; axis < 3; axis += 1) {
    const wrist = joints[WRIST + axis] ?? 0;
    const along = (joints[MIDDLE + axis] ?? 0) - wrist;
    out[offset + axis] = wrist + PALM_SHARE * along;
    _along[axis] = -along; // the frame's +Z
    _across[axis] = thumbwards * ((joints[INDEX + axis] ?? 0) - (joints[LITTLE + axis] ?? 0));
  }
  if (!normalise(_along)) return false;
  cross(_along, _across, _back);
  if (!normalise(_back)) return false;
  cross(_back, _along, _across);
  rotationOf(_across, _back, _along, out, offset + 3);
  return true;
}

/** Metres between the tips of thumb and index finger. */
export function tipGap(joints: Floats): number {
  const x = (joints[THUMB_TIP] ?? 0) - (joints[INDEX_TIP] ?? 0);
  const y = (joints[THUMB_TIP + 1] ?? 0) - (joints[INDEX_TIP + 1] ?? 0);
  const z = (joints[THUMB_TIP + 2] ?? 0) - (joints[INDEX_TIP + 2] ?? 0);
  return Math.sqrt(x * x + y * y + z * z); // Math.hypot allocates
}

function normalise(vector: Float64Array): boolean {
  const length = Math.sqrt(at(vector, 0) ** 2 + at(vector, 1) ** 2 + at(vector, 2) ** 2);
  if (!(length > TINY_M)) return false;
  for (let axis = 0; axis < 3; axis += 1) vector[axis] = at(vector, axis) / length;
  return true;
}

function cross(a: Floats, b: Floats, out: Float64Array): void {
  const x = at(a, 1) * at(b, 2) - at(a, 2) * at(b, 1);
  const y = at(a, 2) * at(b, 0) - at(a, 0) * at(b, 2);
  const z = at(a, 0) * at(b, 1) - at(a, 1) * at(b, 0);
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

/** Writes as xyzw the rotation whose columns are three orthonormal axes. */
function rotationOf(x: Floats, y: Floats, z: Floats, out: Float64Array, offset: number): void {
  // The largest of the four squares is at least 1, so no root here is of a small difference.
  const squares0 = 1 + at(x, 0) - at(y, 1) - at(z, 2);
  const squares1 = 1 - at(x, 0) + at(y, 1) - at(z, 2);
  const squares2 = 1 - at(x, 0) - at(y, 1) + at(z, 2);
  const squares3 = 1 + at(x, 0) + at(y, 1) + at(z, 2);
  const xy = at(y, 0) + at(x, 1);
  const xz = at(z, 0) + at(x, 2);
  const yz = at(z, 1) + at(y, 2);
  const xw = at(y, 2) - at(z, 1);
  const yw = at(z, 0) - at(x, 2);
  const zw = at(x, 1) - at(y, 0);
  const largest = Math.max(squares0, squares1, squares2, squares3);
  const half = 0.5 / Math.sqrt(largest);
  if (largest === squares3) write(out, offset, xw, yw, zw, largest, half);
  else if (largest === squares0) write(out, offset, largest, xy, xz, xw, half);
  else if (largest === squares1) write(out, offset, xy, largest, yz, yw, half);
  else write(out, offset, xz, yz, largest, zw, half);
}

function write(out: Float64Array, offset: number, x: number, y: number, z: number, w: number, by: number): void {
  out[offset] = x * by;
  out[offset + 1] = y * by;
  out[offset + 2] = z * by;
  out[offset + 3] = w * by;
}
