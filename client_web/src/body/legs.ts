/**
 * Owns the legs of a drawn body: the pelvis goes down as far as the legs need, heels rise before a
 * foot leaves the floor, knees bend forward. A leg is never longer than the person's.
 */

import { Quaternion, Vector3 } from 'three';
import type { Floats, WritableFloats } from '../motion/bones';
import type { Measures } from './measures';
import { axisOf, carried, positionOf, restOf, write } from './rigid';
import { BONE, type SideBones, type Skeleton } from './skeleton';
import { beginStep, type Foot, type Stance } from './stance';
import { headingTo, lowerPelvis } from './trunk';
import { aim, softly, wrapped } from './turns';

/** A knee is never quite straight: it would snap. */
const STRAIGHTEST = 0.9985;
/** Over this the pelvis eases into what the legs allow, m for a person of ordinary size. */
const EASE_M = 0.008;
/** The spine gives way by at most this much. */
const GIVE_M = 0.045;
/** Over this a knee eases into the straight: while planted, and for each metre that the foot is lifted. */
const PLANTED_EASE_M = 0.003;
const SWING_EASE = 0.4;
/** With the pelvis so much above what the legs reach the person jumps. */
const IN_THE_AIR_M = 0.1;
const HIGHEST_HEEL = 0.95;
const LOWEST_PELVIS_M = 0.2;

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
 * A planted foot that its leg no longer reaches begins to step.
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
  const x = _hip.x - foot.x;
  const z = _hip.z - foot.z;
  const across = Math.min(Math.sqrt(x * x + z * z), 0.45 * longest);
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
  const reach = reachFor(longest, _ankle.distanceTo(_hip), size * (PLANTED_EASE_M + SWING_EASE * foot.lift));
  const heel = raiseHeel(reach, foot.yaw);
  const away = _ankle.distanceTo(_hip);
  // Beyond reach even on the toes: a planted foot must step, unless the whole body is in the air.
  if (away > longest && foot.step < 0 && over < IN_THE_AIR_M * size) beginStep(foot);
  if (away > reach + 1e-6) {
    _way.copy(_hip).sub(_ankle).multiplyScalar(1 - reach / away);
    _ankle.add(_way);
    _ball.add(_way);
  }
  bendKnee(upper, lower, yaw + 0.5 * wrapped(foot.yaw - yaw));
  writeLeg(skeleton, size, side, heel, bones);
}

/**
 * How far from the hip an ankle is put that should be `away`: a knee that comes out of the straight
 * starts gently, or it would leap.
 */
function reachFor(longest: number, away: number, ease: number): number {
  return longest - softly(longest - away, ease);
}

/** Leaves the ankle and the ball of a flat foot in _ankle and _ball, and in _back from ball to ankle. */
function footAt(skeleton: Skeleton, size: number, side: SideBones, foot: Foot): void {
  restOf(skeleton, side.foot, _ankle);
  restOf(skeleton, side.toes, _ball);
  _back.subVectors(_ankle, _ball).multiplyScalar(size).applyQuaternion(_flat);
  _ankle.set(foot.x, size * _ankle.y + foot.lift, foot.z);
  _ball.subVectors(_ankle, _back);
}

/**
 * Raises the heel about the ball until the ankle is `reach` from the hip, or as far as it goes; the
 * angle. With D from the hip to where the heel turns about, u from there to the ankle and n the axis,
 * |D|² + |u|² + 2 (cos θ D·u + sin θ D·(n×u)) = reach².
 */
function raiseHeel(reach: number, footYaw: number): number {
  if (_ankle.distanceTo(_hip) <= reach + 1e-7) return 0;
  _side.set(-1, 0, 0).applyAxisAngle(_up, footYaw);
  _offset.copy(_side).multiplyScalar(_back.dot(_side)).add(_ball);
  _way.subVectors(_ankle, _offset);
  _offset.sub(_hip);
  const a = _offset.dot(_way);
  const b = _offset.dot(_axis.crossVectors(_side, _way));
  const c = 0.5 * (reach * reach - _offset.lengthSq() - _way.lengthSq());
  const angle = Math.min(firstAngle(a, b, c), HIGHEST_HEEL);
  _ankle.copy(_back).applyAxisAngle(_side, angle).add(_ball);
  return angle;
}

/** The least angle from 0 to 2π at which a cos + b sin = c; 2π if there is none. */
function firstAngle(a: number, b: number, c: number): number {
  const length = Math.sqrt(a * a + b * b);
  if (length <= Math.abs(c)) return 2 * Math.PI;
  const middle = Math.atan2(b, a);
  const away = Math.acos(c / length);
  return Math.min(positive(middle - away), positive(middle + away));
}

function positive(angle: number): number {
  return angle < 0 ? angle + 2 * Math.PI : angle;
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

