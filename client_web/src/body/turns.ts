/** Owns the few turns that bodies are put together from. Quaternions and vectors are three's. */

import { Quaternion, Vector3 } from 'three';

const _from = new Vector3();
const _turn = new Quaternion();
const _side = new Vector3();

/** Turns `rotation` further, the short way, until its image of `direction` (unit) points to `to` (unit). */
export function aim(rotation: Quaternion, direction: Vector3, to: Vector3): Quaternion {
  _from.copy(direction).applyQuaternion(rotation);
  return rotation.premultiply(shortest(_from, to, _turn));
}

/** The shortest turn from one unit vector to another; half a turn about anything when opposite. */
export function shortest(from: Vector3, to: Vector3, out: Quaternion): Quaternion {
  const cosine = from.dot(to);
  if (cosine < -0.999999) {
    _side.set(0, from.z, -from.y);
    if (_side.lengthSq() < 1e-6) _side.set(-from.z, 0, from.x);
    _side.normalize();
    return out.set(_side.x, _side.y, _side.z, 0);
  }
  _side.crossVectors(from, to);
  return out.set(_side.x, _side.y, _side.z, 1 + cosine).normalize();
}

/** The angle of `rotation` about an axis (unit), −π…π: its twist, whatever else it does. */
export function twistAbout(rotation: Quaternion, axis: Vector3): number {
  const { x, y, z, w } = rotation;
  const along = x * axis.x + y * axis.y + z * axis.z;
  if (along === 0 && w === 0) return 0;
  const angle = 2 * Math.atan2(along, w);
  return angle > Math.PI ? angle - 2 * Math.PI : angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}

/** Writes the turn by an angle about an axis (unit). */
export function about(axis: Vector3, angle: number, out: Quaternion): Quaternion {
  return out.setFromAxisAngle(axis, angle);
}

const UP = new Vector3(0, 1, 0);

/** Writes the horizontal unit direction that a rotation faces (−Z), also when it faces up or down. */
export function facing(rotation: Quaternion, out: Vector3): boolean {
  out.set(0, 0, -1).applyQuaternion(rotation);
  const down = -out.y;
  _side.copy(UP).applyQuaternion(rotation);
  out.addScaledVector(_side, down);
  out.y = 0;
  const length = out.length();
  if (length < 1e-4) return false;
  out.divideScalar(length);
  return true;
}

/** An angle in −π…π. */
export function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

/** 0 below `low`, 1 above `high`, smooth between. */
export function smoothstep(low: number, high: number, value: number): number {
  const t = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return t * t * (3 - 2 * t);
}

/** Near max(value, 0), but smooth: `width` is where it bends. */
export function softly(value: number, width: number): number {
  const scaled = value / width;
  if (scaled > 30) return value;
  return width * Math.log1p(Math.exp(scaled));
}
