/**
 * Owns the finger angles of a hand: from WebXR's joints, back to the directions of bones, and made
 * up from what a controller's buttons say. Radians, 20 a hand, in the protocol's order: of the thumb
 * cmc flexion, cmc abduction, mcp flexion, ip flexion; then of index, middle, ring and little finger
 * mcp flexion, mcp spread, pip flexion, dip flexion.
 *
 * In the palm's frame (−Z to the fingers, +Y out of the back) with *t* the thumb's side (−X on a right
 * hand, +X on a left one):
 * - A finger moves in a plane that holds Y. Spread turns that plane about Y, to *t*; flexions add up
 *   within it, from −Z to −Y: with their sum so far b and the spread s, a bone points along
 *   sin s·cos b·t − sin b·Y − cos s·cos b·Z.
 * - The thumb's first bone lies 45° off −Z to *t*. Cmc flexion turns it about Y to the fingers, abduction
 *   lifts it from there to −Y, and its further joints bend about the axis that those two carry along
 *   (Y at zero).
 */

import { HAND_JOINTS, JOINT_PLACE, JOINT_SIZE, type Side } from './hand_joints';
import { FINGER_COUNT } from './sensors';

type Floats = ArrayLike<number>;

/** Directions of the bones of a hand: 5 digits × 3 bones × xyz, thumb first. */
export const BONES_SIZE = 45;
/** Between the thumb at rest and the fingers. */
const THUMB_REST = Math.PI / 4;
/** Below this (of 3) what is seen of a finger from above does not say how it is spread. */
const SEEN_ENOUGH = 0.05;
const TINY_M = 1e-6;

const FIRST_JOINTS = [
  'thumb-metacarpal',
  'index-finger-phalanx-proximal',
  'middle-finger-phalanx-proximal',
  'ring-finger-phalanx-proximal',
  'pinky-finger-phalanx-proximal',
] as const;
const FIRST = FIRST_JOINTS.map((name) => HAND_JOINTS.indexOf(name));

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

/** Of the three bones of a digit: to the thumb's side, to the palm, and forward. */
const _side = new Float64Array(3);
const _down = new Float64Array(3);
const _ahead = new Float64Array(3);

/**
 * Writes 20 angles at `offset` from a row of 25 joint matrices and the palm's pose (7) found from
 * them. False, with nothing written, where joints coincide.
 */
export function anglesFromJoints(
  side: Side,
  joints: Floats,
  palm: Floats,
  out: Float64Array,
  offset: number,
): boolean {
  for (let digit = 0; digit < 5; digit += 1) {
    if (!readDigit(side, joints, palm, FIRST[digit] ?? 0)) return false;
    if (digit === 0) thumbAngles(out, offset);
    else fingerAngles(out, offset + 4 * digit);
  }
  return true;
}

/** Leaves the directions of a digit's bones in _side, _down and _ahead. */
function readDigit(side: Side, joints: Floats, palm: Floats, first: number): boolean {
  const thumbwards = side === 'left' ? 1 : -1;
  const qx = at(palm, 3);
  const qy = at(palm, 4);
  const qz = at(palm, 5);
  const qw = at(palm, 6);
  for (let bone = 0; bone < 3; bone += 1) {
    const from = JOINT_SIZE * (first + bone) + JOINT_PLACE;
    const to = from + JOINT_SIZE;
    const x = (joints[to] ?? 0) - (joints[from] ?? 0);
    const y = (joints[to + 1] ?? 0) - (joints[from + 1] ?? 0);
    const z = (joints[to + 2] ?? 0) - (joints[from + 2] ?? 0);
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > TINY_M)) return false;
    // v + 2q×(q×v + wv) with q conjugated: from the world into the palm.
    const tx = 2 * (qz * y - qy * z);
    const ty = 2 * (qx * z - qz * x);
    const tz = 2 * (qy * x - qx * y);
    _side[bone] = (thumbwards * (x + qw * tx + qz * ty - qy * tz)) / length;
    _down[bone] = -(y + qw * ty + qx * tz - qz * tx) / length;
    _ahead[bone] = -(z + qw * tz + qy * tx - qx * ty) / length;
  }
  return true;
}

function fingerAngles(out: Float64Array, offset: number): void {
  // Seen from above all three bones lie on one line: its direction is the first principal axis.
  let crossed = 0;
  let along = 0;
  let seen = 0;
  for (let bone = 0; bone < 3; bone += 1) {
    const u = at(_side, bone);
    const v = at(_ahead, bone);
    crossed += u * v;
    along += v * v - u * u;
    seen += v * v + u * u;
  }
  const spread = 0.5 * Math.atan2(2 * crossed, along) * Math.min(seen / SEEN_ENOUGH, 1);
  const sine = Math.sin(spread);
  const cosine = Math.cos(spread);
  out[offset + 1] = spread;
  let before = 0;
  for (let bone = 0; bone < 3; bone += 1) {
    const bent = Math.atan2(at(_down, bone), sine * at(_side, bone) + cosine * at(_ahead, bone));
    out[offset + (bone === 0 ? 0 : bone + 1)] = wrapped(bent - before);
    before = bent;
  }
}

function thumbAngles(out: Float64Array, offset: number): void {
  const level = Math.sqrt(at(_side, 0) ** 2 + at(_ahead, 0) ** 2);
  const azimuth = level < 1e-6 ? THUMB_REST : Math.atan2(at(_side, 0), at(_ahead, 0));
  const lifted = Math.atan2(at(_down, 0), level);
  out[offset] = wrapped(THUMB_REST - azimuth);
  out[offset + 1] = lifted;
  // In the plane of the thumb's bending: `_` along the first bone, and a quarter turn on from it.
  let before = 0;
  for (let bone = 1; bone < 3; bone += 1) {
    const forward = Math.cos(azimuth) * at(_ahead, bone) + Math.sin(azimuth) * at(_side, bone);
    const inward = Math.sin(azimuth) * at(_ahead, bone) - Math.cos(azimuth) * at(_side, bone);
    const ahead = Math.cos(lifted) * forward + Math.sin(lifted) * at(_down, bone);
    const bent = Math.atan2(inward, ahead);
    out[offset + 1 + bone] = wrapped(bent - before);
    before = bent;
  }
}

function wrapped(angle: number): number {
  if (angle > Math.PI) return angle - 2 * Math.PI;
  return angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}

/** Writes the directions of a hand's bones (BONES_SIZE, unit, palm's frame) from 20 angles at `offset`. */
export function bonesFromAngles(side: Side, angles: Floats, offset: number, out: Float64Array): void {
  const thumbwards = side === 'left' ? 1 : -1;
  for (let digit = 0; digit < 5; digit += 1) {
    const first = offset + 4 * digit;
    for (let bone = 0; bone < 3; bone += 1) {
      if (digit === 0) thumbBone(angles, first, bone);
      else fingerBone(angles, first, bone);
      const to = 9 * digit + 3 * bone;
      out[to] = thumbwards * at(_side, bone);
      out[to + 1] = -at(_down, bone);
      out[to + 2] = -at(_ahead, bone);
    }
  }
}

function fingerBone(angles: Floats, first: number, bone: number): void {
  let bent = at(angles, first);
  for (let joint = 1; joint <= bone; joint += 1) bent += at(angles, first + 1 + joint);
  const spread = at(angles, first + 1);
  _side[bone] = Math.sin(spread) * Math.cos(bent);
  _down[bone] = Math.sin(bent);
  _ahead[bone] = Math.cos(spread) * Math.cos(bent);
}

function thumbBone(angles: Floats, first: number, bone: number): void {
  const azimuth = THUMB_REST - at(angles, first);
  const lifted = at(angles, first + 1);
  let bent = 0;
  for (let joint = 1; joint <= bone; joint += 1) bent += at(angles, first + 1 + joint);
  const forward = Math.cos(bent) * Math.cos(lifted);
  const inward = Math.sin(bent);
  _side[bone] = Math.sin(azimuth) * forward - Math.cos(azimuth) * inward;
  _down[bone] = Math.cos(bent) * Math.sin(lifted);
  _ahead[bone] = Math.cos(azimuth) * forward + Math.sin(azimuth) * inward;
}

/** What a controller says of the fingers that hold it; all 0 to 1. */
export interface Hold {
  trigger: number;
  squeeze: number;
  /** Whether the index finger lies on the trigger, and the thumb on a button or the stick. */
  indexRests: boolean;
  thumbRests: boolean;
}

/** A hand around a controller, and the same hand pressed shut; degrees. */
const THUMB_UP = [0, 5, 0, 5] as const;
const THUMB_DOWN = [30, 25, 25, 30] as const;
const INDEX_OFF = [15, 3, 20, 10] as const;
const INDEX_ON = [40, 3, 45, 20] as const;
const INDEX_SHUT = [55, 3, 75, 35] as const;
const REST_OPEN = [45, 0, 55, 25] as const;
const REST_SHUT = [70, 0, 90, 50] as const;

/** Writes 20 angles at `offset` of a hand that holds a controller so. */
export function anglesFromHold(hold: Hold, out: Float64Array, offset: number): void {
  const { trigger, squeeze, indexRests, thumbRests } = hold;
  const thumb = thumbRests ? THUMB_DOWN : THUMB_UP;
  const index = indexRests || trigger > 0 ? INDEX_ON : INDEX_OFF;
  mix(thumb, thumb, 0, out, offset);
  mix(index, INDEX_SHUT, trigger, out, offset + 4);
  for (let finger = 2; finger < 5; finger += 1) {
    mix(REST_OPEN, REST_SHUT, squeeze, out, offset + 4 * finger);
  }
}

function mix(a: Floats, b: Floats, share: number, out: Float64Array, offset: number): void {
  for (let joint = 0; joint < 4; joint += 1) {
    const degrees = at(a, joint) + share * (at(b, joint) - at(a, joint));
    out[offset + joint] = (degrees * Math.PI) / 180;
  }
}

/** How fast made-up fingers follow the buttons: nobody's jump from one posture to the next. */
const FOLLOW_S = 0.06;

/** Draws `shown` (20 at `offset`) towards `wanted` (20 at 0) over a frame of `passedS`. */
export function followAngles(wanted: Floats, shown: Float64Array, offset: number, passedS: number): void {
  const share = 1 - Math.exp(-Math.max(passedS, 0) / FOLLOW_S);
  for (let joint = 0; joint < FINGER_COUNT; joint += 1) {
    const from = at(shown, offset + joint);
    shown[offset + joint] = from + share * (at(wanted, joint) - from);
  }
}
