/**
 * Owns how a hand is turned when it reaches or points along a direction, and where on it the index
 * finger ends. The hand's frame is WebXR's: −Z to the fingers, +Y out of its back.
 */

import { Matrix4, Vector3, type Quaternion } from 'three';
import type { Floats } from '../motion/bones';

/** Where the tip of an outstretched index finger is, in the palm's frame of a right hand of average size. */
const INDEX_TIP = [-0.024, 0.004, -0.098] as const;

const ACROSS = new Vector3(1, 0, 0);
const _across = new Vector3();
const _back = new Vector3();
const _towards = new Vector3();
const _side = new Vector3();
const _matrix = new Matrix4();

/**
 * Writes the rotation of a hand whose fingers go along `fingers` (unit), all in the trunk's frame:
 * palm down when it goes forward, forward when it goes up, backward when it hangs. `roll` turns the
 * thumb's side up from there, radians. `mirror`: 1 right hand, −1 left hand.
 */
export function turnHand(fingers: Vector3, roll: number, mirror: 1 | -1, out: Quaternion): void {
  // The axis across: the trunk's for what goes up and down, that of the heading for the rest.
  const level = Math.sqrt(fingers.x * fingers.x + fingers.z * fingers.z);
  const share = smooth((level - 0.15) / 0.55);
  _across.set(-fingers.z, 0, fingers.x).multiplyScalar(level > 0 ? share / level : 0);
  _across.addScaledVector(ACROSS, 1 - share);
  _back.crossVectors(_across, fingers);
  if (_back.lengthSq() < 1e-6) _back.set(0, 1, 0).addScaledVector(fingers, -fingers.y);
  _back.normalize();
  _side.crossVectors(_back, _towards.copy(fingers).negate());
  _back.multiplyScalar(Math.cos(roll)).addScaledVector(_side, mirror * Math.sin(roll));
  _side.crossVectors(_back, _towards);
  out.setFromRotationMatrix(_matrix.makeBasis(_side, _back, _towards));
}

/**
 * Moves a palm's centre to the tip of that hand's outstretched index finger. `rotation` holds the
 * hand's xyzw from `offset` on.
 */
export function toIndexTip(palm: Vector3, rotation: Floats, offset: number, side: 0 | 1): Vector3 {
  const mirror = side === 1 ? 1 : -1;
  _across.set(mirror * INDEX_TIP[0], INDEX_TIP[1], INDEX_TIP[2]);
  const at = offset;
  turn(_across, rotation[at] ?? 0, rotation[at + 1] ?? 0, rotation[at + 2] ?? 0, rotation[at + 3] ?? 1);
  return palm.add(_across);
}

/** Rotates by a unit quaternion given as numbers. */
function turn(v: Vector3, x: number, y: number, z: number, w: number): void {
  const tx = 2 * (y * v.z - z * v.y);
  const ty = 2 * (z * v.x - x * v.z);
  const tz = 2 * (x * v.y - y * v.x);
  v.set(
    v.x + w * tx + y * tz - z * ty,
    v.y + w * ty + z * tx - x * tz,
    v.z + w * tz + x * ty - y * tx,
  );
}

function smooth(share: number): number {
  const clamped = Math.min(Math.max(share, 0), 1);
  return clamped * clamped * (3 - 2 * clamped);
}
