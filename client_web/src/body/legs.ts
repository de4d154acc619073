/**
 * Owns the legs of a drawn body: the pelvis goes down as far as the legs need, heels rise before a
 * foot leaves the floor, knees bend forward. A leg is never longer than the person's.
 */

import { Quaternion, Vector3 } from 'three';
import type { Floats, WritableFloats } from '../motion/bones';
import type { Measures } from './measures';
import { axisOf, carried, positionOf, restOf, write } from './rigid';
import { BONE, type SideBones, type Skeleton } from './skeleton';
import type { Foot, Stance } from './stance';
import { headingTo, lowerPelvis } from './trunk';
import { aim, softly, wrapped } from './turns';

/** A knee is never quite straight: it would snap. */
const STRAIGHTEST = 0.9985;
/** Over this the pelvis eases into what the legs allow, m for a person of ordinary size. */
const EASE_M = 0.008;
/** The spine gives way by at most this much. */
const GIVE_M = 0.045;
const HIGHEST_HEEL = 0.95;
const LOWEST_PELVIS_M = 0.11;
const BISECTIONS = 12;

const _hip = new Vector3();
const _knee = new Vector3();
const _ankle = new Vector3();
const _ball = new Vector3();
const _back = new Vector3();
const _way = new Vector3();
const _pole = new Vector3();
const _axis = new Vector3();
const _side = new Vector3();
const _offset = new Vector3();
const _foot = new Quaternion();
const _flat = new Quaternion();
const _leg = new Quaternion();
const _turn = new Quaternion();
const _up = new Vector3(0, 1, 0);

interface Lengths {
  upper: number;
  lower: number;
  /** The ankle above the floor when the foot is flat. */
  ankle: number;
}

const _lengths: Lengths = { upper: 0, lower: 0, ankle: 0 };

function measureLeg(skeleton: Skeleton, side: SideBones, size: number): Lengths {
  restOf(skeleton, side.upperLeg, _hip);
  restOf(skeleton, side.lowerLeg, _knee);
  restOf(skeleton, side.foot, _ankle);
  _lengths.upper = Math.max(size * _hip.distanceTo(_knee), 1e-3);
  _lengths.lower = Math.max(size * _knee.distanceTo(_ankle), 1e-3);
  _lengths.ankle = size * _ankle.y;
  return _lengths;
}

/**
 * Puts the pelvis at a height that the legs reach, and writes the legs onto the feet of the stance.
 * Notes in the stance which planted foot its leg no longer reaches.
 */
export function solveLegs(
  skeleton: Skeleton,
  measures: Measures,
  stance: Stance,
  yaw: number,
  bones: WritableFloats,
): void {
  const size = measures.body;
  const over = settlePelvis(skeleton, size, stance, bones);
  solveLeg(skeleton, size, BONE.left, stance.left, yaw, over, bones);
  solveLeg(skeleton, size, BONE.right, stance.right, yaw, over, bones);
}

/** Lowers or raises the pelvis; returns how far above the feet's reach it still is. */
function settlePelvis(
  skeleton: Skeleton,
  size: number,
  stance: Stance,
  bones: WritableFloats,
): number {
  const over = Math.max(
    excess(skeleton, size, BONE.left, stance.left, bones),
    excess(skeleton, size, BONE.right, stance.right, bones),
  );
  const wanted = softly(over, EASE_M * size);
  const give = GIVE_M * size;
  const down = give * (1 - Math.exp(-wanted / give));
  positionOf(bones, BONE.hips, _hip);
  const lowest = LOWEST_PELVIS_M * size;
  const raised = softly(lowest - (_hip.y - down), 0.03 * size);
  lowerPelvis(down - raised, bones);
  return over - down;
}

/** How much too high a hip is for a flat foot: negative when the knee can bend. */
function excess(
  skeleton: Skeleton,
  size: number,
  side: SideBones,
  foot: Foot,
  bones: Floats,
): number {
  const { upper, lower, ankle } = measureLeg(skeleton, side, size);
  carried(skeleton, bones, BONE.hips, restOf(skeleton, side.upperLeg, _hip));
  const longest = STRAIGHTEST * (upper + lower);
  // A stride's far foot stands on its ball: only what is left of the leg's length counts.
  const across = Math.min(Math.hypot(_hip.x - foot.x, _hip.z - foot.z), 0.45 * longest);
  return _hip.y - (ankle + Math.sqrt(longest * longest - across * across));
}

function solveLeg(
  skeleton: Skeleton,
  size: number,
  side: SideBones,
  foot: Foot,
  yaw: number,
  over: number,
  bones: WritableFloats,
): void {
  const { upper, lower } = measureLeg(skeleton, side, size);
  carried(skeleton, bones, BONE.hips, restOf(skeleton, side.upperLeg, _hip));
  const longest = STRAIGHTEST * (upper + lower);
  _flat.setFromAxisAngle(_up, foot.yaw);
  footAt(skeleton, size, side, foot);
  const heel = raiseHeel(longest, foot.yaw);
  const away = _ankle.distanceTo(_hip);
  if (away > longest) {
    // Beyond reach even on the toes: a planted foot must step, unless the whole body is in the air.
    foot.pulled = foot.step < 0 && over < 0.1 * size;
    _way.copy(_ankle).sub(_hip).multiplyScalar(longest / away).add(_hip).sub(_ankle);
    _ankle.add(_way);
    _ball.add(_way);
  }
  bendKnee(upper, lower, yaw + 0.5 * wrapped(foot.yaw - yaw));
  writeLeg(skeleton, size, side, heel, bones);
}

/** Leaves the ankle and the ball of a flat foot in _ankle and _ball, and in _back from ball to ankle. */
function footAt(skeleton: Skeleton, size: number, side: SideBones, foot: Foot): void {
  restOf(skeleton, side.foot, _ankle);
  restOf(skeleton, side.toes, _ball);
  _back.subVectors(_ankle, _ball).multiplyScalar(size).applyQuaternion(_flat);
  _ankle.set(foot.x, size * _ankle.y + foot.lift, foot.z);
  _ball.subVectors(_ankle, _back);
}

/** Raises the heel about the ball until the leg reaches the ankle, or as far as it goes; the angle. */
function raiseHeel(longest: number, footYaw: number): number {
  if (_ankle.distanceTo(_hip) <= longest) return 0;
  _side.set(-1, 0, 0).applyAxisAngle(_up, footYaw);
  let low = 0;
  let high = HIGHEST_HEEL;
  ankleAt(high);
  if (_ankle.distanceTo(_hip) > longest) return high;
  for (let time = 0; time < BISECTIONS; time += 1) {
    const angle = 0.5 * (low + high);
    ankleAt(angle);
    if (_ankle.distanceTo(_hip) > longest) low = angle;
    else high = angle;
  }
  ankleAt(high);
  return high;
}

function ankleAt(angle: number): void {
  _ankle.copy(_back).applyAxisAngle(_side, angle).add(_ball);
}

/** Leaves in _knee where the knee is, forward of the line from hip to ankle. */
function bendKnee(upper: number, lower: number, poleYaw: number): void {
  _way.subVectors(_ankle, _hip);
  const away = Math.max(_way.length(), 1e-4);
  _way.divideScalar(away);
  headingTo(poleYaw, _pole).addScaledVector(_up, 0.15);
  _pole.addScaledVector(_way, -_pole.dot(_way));
  if (_pole.lengthSq() < 1e-6) _pole.copy(_up).addScaledVector(_way, -_way.y);
  if (_pole.lengthSq() < 1e-6) headingTo(poleYaw, _pole);
  _pole.normalize();
  const along = (upper * upper - lower * lower + away * away) / (2 * away);
  const inside = Math.min(Math.max(along, -upper), upper);
  const out = Math.sqrt(Math.max(upper * upper - inside * inside, 0));
  _knee.copy(_hip).addScaledVector(_way, inside).addScaledVector(_pole, out);
}

function writeLeg(
  skeleton: Skeleton,
  size: number,
  side: SideBones,
  heel: number,
  bones: WritableFloats,
): void {
  writeBone(skeleton, size, side.upperLeg, _hip, _knee, bones);
  writeBone(skeleton, size, side.lowerLeg, _knee, _ankle, bones);
  _foot.copy(_flat);
  if (heel > 0) _foot.premultiply(_turn.setFromAxisAngle(_side, heel));
  write(bones, side.foot, _ankle, _foot, size, size);
  _offset.copy(_back).negate();
  if (heel > 0) _offset.applyAxisAngle(_side, heel);
  _ball.copy(_ankle).add(_offset);
  write(bones, side.toes, _ball, _flat, size, size);
}

/** A thigh or shin between two joints, its front to the pole. */
function writeBone(
  skeleton: Skeleton,
  size: number,
  bone: number,
  from: Vector3,
  to: Vector3,
  bones: WritableFloats,
): void {
  _way.subVectors(to, from).normalize();
  axisOf(skeleton, bone, _axis);
  // Upright with its front to the pole, then tilted within the plane of both.
  _offset.copy(_pole).addScaledVector(_way, -_pole.dot(_way));
  if (_offset.lengthSq() < 1e-8) _offset.copy(_pole);
  frame(_way, _offset.normalize());
  write(bones, bone, from, aim(_leg, _axis, _way), size, size);
}

/** Leaves in _leg the turn that takes down to `way` and forward (−Z) to `front`; both unit and square. */
function frame(way: Vector3, front: Vector3): void {
  _leg.setFromUnitVectors(_down, way);
  _axisFront.set(0, 0, -1).applyQuaternion(_leg);
  const cos = _axisFront.dot(front);
  const sin = _axisCross.crossVectors(_axisFront, front).dot(way);
  _leg.premultiply(_turn.setFromAxisAngle(way, Math.atan2(sin, cos)));
}

const _down = new Vector3(0, -1, 0);
const _axisFront = new Vector3();
const _axisCross = new Vector3();

