/**
 * Owns the arms of a drawn body: clavicles, arms, hands.
 *
 * Shoulder and elbow joints are where the kinematics have them, the hand is where its palm is the
 * tracked one, and the forearm reaches from elbow to wrist. Twist is spread over the skin: the root
 * of the upper arm turns less than the elbow, the end of the forearm nearly as far as the hand.
 */

import { Quaternion, Vector3 } from 'three';
import { PLACE, ROTATION, type Floats, type WritableFloats } from '../motion/bones';
import type { Measures } from './measures';
import { axisOf, carried, restOf, rotationOf, write } from './rigid';
import { BONE, type SideBones, type Skeleton } from './skeleton';
import { aim, shortest, smoothstep, softly, twistAbout } from './turns';

interface Arm {
  readonly bones: SideBones;
  /** +1 right, −1 left. */
  readonly sign: number;
  readonly palm: number;
  /** Where the pose has this arm's rotations, and the places its joints. */
  readonly upper: number;
  readonly lower: number;
  readonly hand: number;
  readonly shoulderPlace: number;
  readonly elbowPlace: number;
  readonly palmPlace: number;
  /** From the T-pose to the arm that hangs, and to the hand's own frame. */
  readonly hanging: Quaternion;
  readonly handFrame: Quaternion;
  /** Where an arm is mostly, and how its skin is turned there: the chest's frame. */
  readonly middleWay: Vector3;
  readonly middleTurn: Quaternion;
}

const HALF = Math.SQRT1_2;

function middle(sign: number): { way: Vector3; turn: Quaternion } {
  const way = new Vector3(0.62 * sign, -0.5, -0.6).normalize();
  const rest = new Vector3(sign, 0, 0);
  // From the T-pose with its palms down, the way there; then a little towards palms that face inward.
  const turn = shortest(rest, way, new Quaternion());
  return { way, turn: turn.premultiply(new Quaternion().setFromAxisAngle(way, 0.5 * sign)) };
}

function arm(side: 'left' | 'right'): Arm {
  const sign = side === 'right' ? 1 : -1;
  const { way, turn } = middle(sign);
  return {
    bones: BONE[side],
    sign,
    palm: side === 'right' ? 3 : 0,
    upper: ROTATION[`${side}UpperArm`],
    lower: ROTATION[`${side}LowerArm`],
    hand: ROTATION[`${side}Hand`],
    shoulderPlace: PLACE[`${side}Shoulder`],
    elbowPlace: PLACE[`${side}Elbow`],
    palmPlace: PLACE[`${side}Palm`],
    hanging: new Quaternion(0, 0, -sign * HALF, HALF),
    handFrame: new Quaternion(0, sign * HALF, 0, HALF),
    middleWay: way,
    middleTurn: turn,
  };
}

const ARMS = [arm('left'), arm('right')] as const;

/** The share of the pronation that the forearm's skin has at the elbow, and at the wrist. */
const ELBOW_PRONATION = 0.12;
const WRIST_PRONATION = 0.85;
/** How far the root of the upper arm goes along with its twist, at the most (rad). */
const ROOT_TWIST = 0.3;
/** From this elevation on the clavicle rises, by this share of it. */
const CLAVICLE_FROM = 0.5;
const CLAVICLE_SHARE = 0.24;
/** How far it goes forward with an arm that reaches forward or across, rad. */
const CLAVICLE_FORWARD = 0.22;

const _shoulders = new Quaternion();
const _upper = new Quaternion();
const _lower = new Quaternion();
const _hand = new Quaternion();
const _turn = new Quaternion();
const _root = new Quaternion();
const _shoulder = new Vector3();
const _elbow = new Vector3();
const _wrist = new Vector3();
const _way = new Vector3();
const _offset = new Vector3();
const _axis = new Vector3();
const _y = new Vector3(0, 1, 0);

/** Writes both arms from shoulder to hand; the trunk must be there already. */
export function solveArms(
  skeleton: Skeleton,
  measures: Measures,
  pose: Floats,
  places: Floats,
  bones: WritableFloats,
): void {
  rotationOf(bones, BONE.upperChest, _shoulders);
  for (const each of ARMS) {
    solveHand(skeleton, measures, each, pose, places, bones);
    solveUpperArm(skeleton, measures, each, pose, places, bones);
    solveForearm(skeleton, measures, each, pose, bones);
    solveClavicle(skeleton, measures, each, bones);
  }
}

/** Writes the hand, and leaves in _wrist where it begins and in _hand its turn. */
function solveHand(
  skeleton: Skeleton,
  { hand: scale }: Measures,
  arm: Arm,
  pose: Floats,
  places: Floats,
  bones: WritableFloats,
): void {
  _hand.fromArray(pose as number[], arm.hand).multiply(arm.handFrame);
  _offset.fromArray(skeleton.palms, arm.palm).sub(restOf(skeleton, arm.bones.hand, _axis));
  _offset.multiplyScalar(scale).applyQuaternion(_hand);
  _wrist.fromArray(places as number[], arm.palmPlace).sub(_offset);
  write(bones, arm.bones.hand, _wrist, _hand, scale, scale);
}

/** Writes the upper arm and its root; leaves in _upper its turn, in _shoulder and _elbow its ends. */
function solveUpperArm(
  skeleton: Skeleton,
  measures: Measures,
  arm: Arm,
  pose: Floats,
  places: Floats,
  bones: WritableFloats,
): void {
  const { upperArm, upperArmRoot } = arm.bones;
  _shoulder.fromArray(places as number[], arm.shoulderPlace);
  _elbow.fromArray(places as number[], arm.elbowPlace);
  _upper.fromArray(pose as number[], arm.upper).multiply(arm.hanging);
  _way.subVectors(_elbow, _shoulder).normalize();
  axisOf(skeleton, upperArm, _axis);
  aim(_upper, _axis, _way);
  write(bones, upperArm, _shoulder, _upper, measures.upperArm, measures.girth);
  // How the skin would lie if it only followed the arm's direction, and the twist beyond that.
  _offset.copy(arm.middleWay).applyQuaternion(_shoulders);
  _root.copy(_shoulders).multiply(arm.middleTurn).premultiply(shortest(_offset, _way, _turn));
  aim(_root, _axis, _way);
  const twist = twistAbout(_turn.copy(_root).invert().premultiply(_upper), _way);
  _root.premultiply(_turn.setFromAxisAngle(_way, ROOT_TWIST * Math.sin(twist)));
  write(bones, upperArmRoot, _shoulder, _root, measures.upperArm, measures.girth);
}

function solveForearm(
  skeleton: Skeleton,
  measures: Measures,
  arm: Arm,
  pose: Floats,
  bones: WritableFloats,
): void {
  const { lowerArm, lowerArmEnd, hand } = arm.bones;
  _way.subVectors(_wrist, _elbow);
  const length = _way.length();
  if (length > 1e-6) _way.divideScalar(length);
  _lower.fromArray(pose as number[], arm.lower);
  _turn.fromArray(pose as number[], arm.upper).invert().multiply(_lower);
  const pronation = twistAbout(_turn, _y);
  axisOf(skeleton, lowerArm, _axis);
  const rest = restOf(skeleton, hand, _offset).distanceTo(restOf(skeleton, lowerArm, _shoulder));
  const along = Math.max(length, 1e-4) / Math.max(rest, 1e-3);
  write(bones, lowerArm, _elbow, forearm(arm, (ELBOW_PRONATION - 1) * pronation), along, measures.girth);
  const end = forearm(arm, (WRIST_PRONATION - 1) * pronation);
  write(bones, lowerArmEnd, _elbow, end, along, measures.girth);
}

/** The forearm's turn with so much more pronation than the pose has, aimed at the wrist. */
function forearm({ hanging }: Arm, more: number): Quaternion {
  _root.setFromAxisAngle(_y, more).premultiply(_lower).multiply(hanging);
  return aim(_root, _axis, _way);
}

/** The clavicle: from the sternum to the shoulder joint, its skin up and forward with the arm. */
function solveClavicle(
  skeleton: Skeleton,
  measures: Measures,
  arm: Arm,
  bones: WritableFloats,
): void {
  const { shoulder: bone, upperArm } = arm.bones;
  carried(skeleton, bones, BONE.upperChest, restOf(skeleton, bone, _wrist));
  carried(skeleton, bones, upperArm, restOf(skeleton, upperArm, _shoulder));
  _way.subVectors(_shoulder, _wrist);
  const length = Math.max(_way.length(), 1e-4);
  axisOf(skeleton, bone, _axis);
  aim(_root.copy(_shoulders), _axis, _way.divideScalar(length));
  const rest = restOf(skeleton, upperArm, _offset).distanceTo(restOf(skeleton, bone, _shoulder));
  raise(arm);
  write(bones, bone, _wrist, _root, length / Math.max(rest, 1e-3), measures.trunk);
}

/** Turns _root by what the arm's direction asks of the clavicle. */
function raise(arm: Arm): void {
  _turn.copy(_shoulders).invert();
  _offset.set(arm.sign, 0, 0).applyQuaternion(_upper).applyQuaternion(_turn);
  const elevation = Math.acos(Math.min(Math.max(-_offset.y, -1), 1));
  const up = CLAVICLE_SHARE * softly(elevation - CLAVICLE_FROM, 0.15);
  const forward = CLAVICLE_FORWARD * smoothstep(0, 1, -_offset.z - 0.3 * arm.sign * _offset.x);
  _axis.set(0, 0, 1).applyQuaternion(_shoulders);
  _root.premultiply(_turn.setFromAxisAngle(_axis, arm.sign * up));
  _axis.set(0, 1, 0).applyQuaternion(_shoulders);
  _root.premultiply(_turn.setFromAxisAngle(_axis, arm.sign * forward));
}

const _averaged = new Quaternion();

/** Writes the middle of a bone's two ends of twist: for models whose skin is not parted among them. */
export function averageTwist(bones: Floats, near: number, far: number, out: Quaternion): Quaternion {
  return rotationOf(bones, near, out).slerp(rotationOf(bones, far, _averaged), 0.5);
}

