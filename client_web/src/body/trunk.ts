/**
 * Owns the trunk, the neck and the head of a drawn body: from where shoulders and eyes are, down to
 * the pelvis.
 *
 * The shoulders and the eyes are given. The lean that the head asks for is shared along the spine: a
 * third of it in the pelvis, all of it at the shoulders. What the legs then need the pelvis to be
 * lower is taken up by the spine.
 */

import { Quaternion, Vector3 } from 'three';
import { LENGTH, PLACE, ROTATION, type Floats, type WritableFloats } from '../motion/bones';
import type { Measures } from './measures';
import { axisOf, carried, carry, positionOf, restOf, rotationOf, write } from './rigid';
import { BONE, BONE_SIZE, type Skeleton } from './skeleton';
import { aim, facing } from './turns';

/** How much of the trunk's lean is in the pelvis, and of the rest in spine and chest. */
const PELVIS_LEAN = 0.36;
/** How far the pelvis turns with the feet. */
const PELVIS_TURN = 0.4;
const SPINE_SHARE = 0.36;
const CHEST_SHARE = 0.72;
/** How the spine takes up a lower pelvis: the share of it that each bone goes down. */
const GIVES = [
  [BONE.spine, 0.8],
  [BONE.chest, 0.45],
] as const;
/** A neck is drawn at most this many times its length at rest. */
const LONGEST_NECK = 2.5;

const _pelvis = new Quaternion();
const _chest = new Quaternion();
const _shoulders = new Quaternion();
const _between = new Quaternion();
const _place = new Vector3();
const _offset = new Vector3();
const _next = new Vector3();
const _axis = new Vector3();
const _way = new Vector3();
const _heading = new Vector3();
const _forward = new Vector3(0, 0, -1);
const _x = new Vector3(1, 0, 0);

/**
 * Writes upperChest, chest, spine and hips, hanging from the shoulders. `yaw` is where the chest faces,
 * radians about +Y from −Z, and `feetTurn` how much further the feet point.
 */
export function solveTrunk(
  skeleton: Skeleton,
  measures: Measures,
  lengths: Floats,
  pose: Floats,
  yaw: number,
  feetTurn: number,
  bones: WritableFloats,
): void {
  _chest.fromArray(pose as number[], ROTATION.chest);
  _shoulders.fromArray(pose as number[], ROTATION.upperChest);
  _between.setFromAxisAngle(_offset.set(0, 1, 0), yaw + PELVIS_TURN * feetTurn);
  _pelvis.setFromAxisAngle(_offset, yaw).invert().premultiply(_chest); // the lean alone
  _pelvis.slerpQuaternions(_identity, _pelvis, PELVIS_LEAN).multiply(_between);
  _offset.set(0, lengths[LENGTH.shoulderUp] ?? 0, 0).applyQuaternion(_shoulders);
  _place.fromArray(pose as number[], 0).add(_offset);
  restShoulders(skeleton, _next);
  hang(skeleton, measures.lateral, measures.trunk, BONE.upperChest, _shoulders, bones);
  _between.slerpQuaternions(_pelvis, _shoulders, CHEST_SHARE);
  const lateral = (2 * measures.lateral + measures.body) / 3;
  hang(skeleton, lateral, measures.trunk, BONE.chest, _between, bones);
  _between.slerpQuaternions(_pelvis, _shoulders, SPINE_SHARE);
  hang(skeleton, (measures.lateral + measures.body) / 2, measures.trunk, BONE.spine, _between, bones);
  hang(skeleton, measures.body, measures.body, BONE.hips, _pelvis, bones);
}

const _identity = new Quaternion();

/** Hangs a bone on _place, which is its point _next of the rest skeleton; both then become its root. */
function hang(
  skeleton: Skeleton,
  along: number,
  across: number,
  bone: number,
  rotation: Quaternion,
  bones: WritableFloats,
): void {
  restOf(skeleton, bone, _offset);
  _way.copy(_offset).sub(_next);
  _next.copy(_offset);
  _place.add(carry(_way, _x, rotation, along, across));
  write(bones, bone, _place, rotation, along, across);
}

/** Writes the middle of the shoulders at rest. */
export function restShoulders(skeleton: Skeleton, out: Vector3): Vector3 {
  restOf(skeleton, BONE.left.upperArm, out);
  restOf(skeleton, BONE.right.upperArm, _axis);
  return out.add(_axis).multiplyScalar(0.5);
}

/** Lowers the pelvis by `down` (negative: raises it); the spine takes it up. */
export function lowerPelvis(down: number, bones: WritableFloats): void {
  shift(BONE.hips, down, bones);
  for (const [bone, share] of GIVES) shift(bone, share * down, bones);
}

function shift(bone: number, down: number, bones: WritableFloats): void {
  const height = BONE_SIZE * bone + 1;
  bones[height] = (bones[height] ?? 0) - down;
}

/** Writes head, eyes and neck: the model's eyes where the person's are, the neck between. */
export function solveHead(
  skeleton: Skeleton,
  measures: Measures,
  pose: Floats,
  places: Floats,
  bones: WritableFloats,
): void {
  const { head, neck, upperChest } = BONE;
  _chest.fromArray(pose as number[], ROTATION.head);
  _offset.fromArray(skeleton.eyes).sub(restOf(skeleton, head, _next)).multiplyScalar(measures.head);
  _place.fromArray(places as number[], PLACE.eyes).sub(_offset.applyQuaternion(_chest));
  write(bones, head, _place, _chest, measures.head, measures.head);
  for (const side of SIDES) {
    restOf(skeleton, side.eye, _next);
    write(bones, side.eye, carried(skeleton, bones, head, _next), _chest, measures.head, measures.head);
  }
  carried(skeleton, bones, upperChest, restOf(skeleton, neck, _next));
  positionOf(bones, head, _way).sub(_next);
  const length = Math.max(_way.length(), 1e-4);
  rotationOf(bones, upperChest, _between).slerp(_chest, 0.5);
  axisOf(skeleton, neck, _axis);
  aim(_between, _axis, _way.divideScalar(length));
  const rest = restOf(skeleton, head, _offset).distanceTo(_place.fromArray(skeleton.rest, 3 * neck));
  const along = Math.min(length / Math.max(rest, 1e-3), LONGEST_NECK * measures.head);
  write(bones, neck, _next, _between, along, (measures.head + measures.trunk) / 2);
}

const SIDES = [BONE.left, BONE.right] as const;

/** The turn of the chest about the vertical, radians from −Z; what it was when it faces nowhere. */
export function headingOf(pose: Floats, previous: number): number {
  _chest.fromArray(pose as number[], ROTATION.chest);
  if (!facing(_chest, _heading)) return previous;
  return Math.atan2(-_heading.x, -_heading.z);
}

/** Writes the horizontal direction of a heading. */
export function headingTo(yaw: number, out: Vector3): Vector3 {
  return out.copy(_forward).applyAxisAngle(_yAxis, yaw);
}

const _yAxis = new Vector3(0, 1, 0);
