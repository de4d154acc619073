/**
 * Owns the fingers of a drawn body: twenty angles a hand (the protocol's finger joints) to the turns
 * of fifteen bones.
 *
 * Zero is the flat hand: fingers straight ahead, the thumb 45° off them in the palm's plane. A finger
 * spreads about the hand's normal, to the thumb's side, and then bends towards the palm. The thumb
 * turns about the normal to the fingers, is lifted towards the palm from there, and its further joints
 * bend about the normal as those two carry it.
 */

import { Quaternion, Vector3 } from 'three';
import type { Floats, WritableFloats } from '../motion/bones';
import { positionOf, restOf, rotationOf, write } from './rigid';
import { ALONG, BONE, BONE_SIZE, type SideBones, type Skeleton } from './skeleton';

/** Angles of one hand, radians, in the protocol's order. */
export const HAND_ANGLES = 20;

const D = Math.PI / 180;
/** A hand that does nothing: a little closed, the little finger most. */
export const RELAXED: readonly number[] = [
  ...[6, 20, 12, 12],
  ...[16, 3, 24, 12],
  ...[21, 0, 28, 14],
  ...[25, -2, 31, 16],
  ...[28, -5, 32, 17],
].map((degrees) => degrees * D);

const FINGERS = 5;
const JOINTS = 3;

const _turn = new Quaternion();
const _step = new Quaternion();
const _handTurn = new Quaternion();
const _place = new Vector3();
const _offset = new Vector3();
const _rest = new Vector3();
const _straight = new Quaternion();

interface Axes {
  readonly bones: SideBones;
  readonly first: number;
  /** In the T-pose: bends a finger to the palm; moves it to the thumb's side. */
  readonly bend: Vector3;
  readonly aside: Vector3;
  /** Turns the thumb to the fingers; lifts it out of the palm's plane, to the palm's side. */
  readonly thumbBend: Vector3;
  readonly thumbLift: Vector3;
}

function axes(side: 'left' | 'right'): Axes {
  const sign = side === 'right' ? 1 : -1;
  return {
    bones: BONE[side],
    first: side === 'right' ? HAND_ANGLES : 0,
    bend: new Vector3(0, 0, -sign),
    aside: new Vector3(0, sign, 0),
    thumbBend: new Vector3(0, -sign, 0),
    thumbLift: new Vector3(sign, 0, -1).normalize().cross(new Vector3(0, -1, 0)),
  };
}

const HANDS = [axes('left'), axes('right')] as const;

/** Writes all fingers; `angles` holds forty, left then right. The hands must be there already. */
export function solveFingers(skeleton: Skeleton, angles: Floats, bones: WritableFloats): void {
  for (const hand of HANDS) {
    rotationOf(bones, hand.bones.hand, _handTurn);
    solveThumb(skeleton, hand, angles, bones);
    for (let finger = 1; finger < FINGERS; finger += 1) {
      const at = hand.first + 4 * finger;
      _turn.copy(_handTurn);
      turn(hand.aside, angles, at + 1);
      turn(hand.bend, angles, at);
      const bone = hand.bones.fingers + JOINTS * finger;
      place(skeleton, hand.bones.hand, bone, _handTurn, bones);
      turn(hand.bend, angles, at + 2);
      place(skeleton, bone, bone + 1, previous(bones, bone), bones);
      turn(hand.bend, angles, at + 3);
      place(skeleton, bone + 1, bone + 2, previous(bones, bone + 1), bones);
    }
  }
}

function solveThumb(
  skeleton: Skeleton,
  hand: Axes,
  angles: Floats,
  bones: WritableFloats,
): void {
  const at = hand.first;
  const bone = hand.bones.fingers;
  _turn.copy(_handTurn);
  turn(hand.thumbBend, angles, at);
  turn(hand.thumbLift, angles, at + 1);
  place(skeleton, hand.bones.hand, bone, _handTurn, bones);
  turn(hand.thumbBend, angles, at + 2);
  place(skeleton, bone, bone + 1, previous(bones, bone), bones);
  turn(hand.thumbBend, angles, at + 3);
  place(skeleton, bone + 1, bone + 2, previous(bones, bone + 1), bones);
}

/** Turns _turn about an axis that it carries along, by one of the angles. */
function turn(axis: Vector3, angles: Floats, index: number): void {
  const half = (angles[index] ?? 0) / 2;
  const sine = Math.sin(half);
  _turn.multiply(_step.set(axis.x * sine, axis.y * sine, axis.z * sine, Math.cos(half)));
}

function previous(bones: Floats, bone: number): Quaternion {
  return rotationOf(bones, bone, _previous);
}

const _previous = new Quaternion();

/** Writes a finger's bone, turned as _turn, at the end of the bone before it. */
function place(
  skeleton: Skeleton,
  parent: number,
  bone: number,
  parentTurn: Quaternion,
  bones: WritableFloats,
): void {
  // A hand is scaled as a whole: every finger has its parent's scale.
  const scale = bones[BONE_SIZE * parent + ALONG] ?? 1;
  _offset.copy(restOf(skeleton, bone, _rest)).sub(restOf(skeleton, parent, _place));
  _offset.multiplyScalar(scale).applyQuaternion(parentTurn);
  positionOf(bones, parent, _place).add(_offset);
  _straight.fromArray(skeleton.straight, 4 * bone);
  write(bones, bone, _place, _straight.premultiply(_turn), scale, scale);
}

