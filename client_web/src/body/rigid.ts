/** Owns reading and writing one bone of a solved body (see skeleton.ts for the layout). */

import { Quaternion, Vector3 } from 'three';
import type { Floats, WritableFloats } from '../motion/bones';
import { ACROSS, ALONG, BONE_SIZE, TURN, type Skeleton } from './skeleton';

const _turn = new Quaternion();
const _axis = new Vector3();

export function restOf(skeleton: Skeleton, bone: number, out: Vector3): Vector3 {
  return out.fromArray(skeleton.rest, 3 * bone);
}

export function axisOf(skeleton: Skeleton, bone: number, out: Vector3): Vector3 {
  return out.fromArray(skeleton.axis, 3 * bone);
}

export function write(
  bones: WritableFloats,
  bone: number,
  position: Vector3,
  rotation: Quaternion,
  along: number,
  across: number,
): void {
  const offset = BONE_SIZE * bone;
  position.toArray(bones as number[], offset);
  rotation.toArray(bones as number[], offset + TURN);
  bones[offset + ALONG] = along;
  bones[offset + ACROSS] = across;
}

export function positionOf(bones: Floats, bone: number, out: Vector3): Vector3 {
  return out.fromArray(bones as number[], BONE_SIZE * bone);
}

export function rotationOf(bones: Floats, bone: number, out: Quaternion): Quaternion {
  return out.fromArray(bones as number[], BONE_SIZE * bone + TURN);
}

/** Turns and stretches an offset of the rest skeleton as a bone does, in place. */
export function carry(
  offset: Vector3,
  axis: Vector3,
  rotation: Quaternion,
  along: number,
  across: number,
): Vector3 {
  const stretched = (along - across) * offset.dot(axis);
  return offset.multiplyScalar(across).addScaledVector(axis, stretched).applyQuaternion(rotation);
}

/** Writes where a bone takes a point of the rest skeleton. */
export function carried(skeleton: Skeleton, bones: Floats, bone: number, point: Vector3): Vector3 {
  const offset = BONE_SIZE * bone;
  const { rest } = skeleton;
  point.x -= rest[3 * bone] ?? 0;
  point.y -= rest[3 * bone + 1] ?? 0;
  point.z -= rest[3 * bone + 2] ?? 0;
  axisOf(skeleton, bone, _axis);
  rotationOf(bones, bone, _turn);
  carry(point, _axis, _turn, bones[offset + ALONG] ?? 1, bones[offset + ACROSS] ?? 1);
  point.x += bones[offset] ?? 0;
  point.y += bones[offset + 1] ?? 0;
  point.z += bones[offset + 2] ?? 0;
  return point;
}
