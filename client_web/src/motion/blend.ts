/** Owns arithmetic on whole poses (see bones.ts): blending two, and fading a remaining difference. */

import { POSE_SIZE, type Floats, type WritableFloats } from './bones';

/** Below this angle between quaternions slerp and normalised lerp are the same to 1e-7. */
const NEARLY_PARALLEL = 0.9999;

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

/**
 * Writes the rotation `t` of the way from `a` to `b` along the shorter arc; t outside 0…1
 * goes on turning at the same rate. Rotations are xyzw at the given offsets; `out` may be either.
 */
export function slerp(
  a: Floats,
  aOffset: number,
  b: Floats,
  bOffset: number,
  t: number,
  out: WritableFloats,
  outOffset: number,
): void {
  const ax = at(a, aOffset);
  const ay = at(a, aOffset + 1);
  const az = at(a, aOffset + 2);
  const aw = at(a, aOffset + 3);
  const bx = at(b, bOffset);
  const by = at(b, bOffset + 1);
  const bz = at(b, bOffset + 2);
  const bw = at(b, bOffset + 3);
  const dot = ax * bx + ay * by + az * bz + aw * bw;
  const cosine = Math.abs(dot);
  let fromA = 1 - t;
  let fromB = t;
  if (cosine < NEARLY_PARALLEL) {
    const angle = Math.acos(cosine);
    const sine = Math.sin(angle);
    fromA = Math.sin(fromA * angle) / sine;
    fromB = Math.sin(fromB * angle) / sine;
  }
  if (dot < 0) fromB = -fromB;
  const x = fromA * ax + fromB * bx;
  const y = fromA * ay + fromB * by;
  const z = fromA * az + fromB * bz;
  const w = fromA * aw + fromB * bw;
  const scale = 1 / Math.sqrt(x * x + y * y + z * z + w * w); // Math.hypot allocates
  out[outOffset] = x * scale;
  out[outOffset + 1] = y * scale;
  out[outOffset + 2] = z * scale;
  out[outOffset + 3] = w * scale;
}

/** Writes the pose `t` of the way from one pose to another; `out` may be either. */
export function blendPoses(
  a: Floats,
  aOffset: number,
  b: Floats,
  bOffset: number,
  t: number,
  out: WritableFloats,
): void {
  for (let axis = 0; axis < 3; axis += 1) {
    const from = at(a, aOffset + axis);
    out[axis] = from + t * (at(b, bOffset + axis) - from);
  }
  for (let part = 3; part < POSE_SIZE; part += 4) {
    slerp(a, aOffset + part, b, bOffset + part, t, out, part);
  }
}

const _identity: Floats = [0, 0, 0, 1];
const _faded = new Float64Array(4);

function multiply(a: Floats, b: Floats, bOffset: number, out: WritableFloats, to: number): void {
  const ax = at(a, 0);
  const ay = at(a, 1);
  const az = at(a, 2);
  const aw = at(a, 3);
  const bx = at(b, bOffset);
  const by = at(b, bOffset + 1);
  const bz = at(b, bOffset + 2);
  const bw = at(b, bOffset + 3);
  out[to] = aw * bx + ax * bw + ay * bz - az * by;
  out[to + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[to + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[to + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

const _wanted = new Float64Array(4);

/** Writes what takes `actual` to `shown`: shown = difference applied to actual. */
export function poseDifference(shown: Floats, actual: Floats, out: WritableFloats): void {
  for (let axis = 0; axis < 3; axis += 1) out[axis] = at(shown, axis) - at(actual, axis);
  for (let part = 3; part < POSE_SIZE; part += 4) {
    for (let term = 0; term < 4; term += 1) _wanted[term] = at(shown, part + term);
    _faded[0] = -at(actual, part);
    _faded[1] = -at(actual, part + 1);
    _faded[2] = -at(actual, part + 2);
    _faded[3] = at(actual, part + 3);
    multiply(_wanted, _faded, 0, out, part);
  }
}

/** Adds `share` (0…1) of a difference to a pose, in place. */
export function addDifference(difference: Floats, share: number, pose: WritableFloats): void {
  for (let axis = 0; axis < 3; axis += 1) {
    pose[axis] = at(pose, axis) + share * at(difference, axis);
  }
  for (let part = 3; part < POSE_SIZE; part += 4) {
    slerp(_identity, 0, difference, part, share, _faded, 0);
    multiply(_faded, pose, part, pose, part);
  }
}
