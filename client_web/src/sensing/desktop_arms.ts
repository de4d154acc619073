/**
 * Owns a desktop person's two hands: at rest beside the body, reaching under the pointer, or
 * pointing. All in the trunk's frame, so that hands go along with a walk without lagging, and
 * never further from the shoulder than the arm is long.
 */

import { Quaternion, Vector3 } from 'three';
import type { DesktopBody } from './desktop_body';
import type { Hand } from './desktop_intent';
import { turnHand } from './hand_pose';

/** An arm is never quite straight: the solver keeps something to bend. */
const STRAIGHT = 0.95;
const POINT_STRAIGHT = 0.9;
const NEAREST_M = 0.2;
const REACH_ROLL = 0.7;
const POINT_ROLL = 0.8;
/** How much the look bends the wrist from the forearm's direction. */
const BY_LOOK = 0.5;
const ELBOW_OUT = 0.8;
const ELBOW_BACK = 0.25;
/** Fingertips stop short of what is pointed at. */
const SHORT_OF_M = 0.14;
/** How far back of the shoulders' plane a hand may go, as the third part of a unit direction. */
const BEHIND = 0.15;
/** A hand follows its goal in two steps of this length each: no jump in speed. */
const FOLLOW_S = 0.035;

const SIDES = [0, 1] as const;
const MIRROR = [-1, 1] as const;

const _origin = new Vector3();
const _direction = new Vector3();
const _arm = new Vector3();
const _fingers = new Vector3();
const _elbow = new Vector3();

interface HandState {
  readonly goal: Vector3;
  readonly goalTurn: Quaternion;
  readonly between: Vector3;
  readonly betweenTurn: Quaternion;
  readonly position: Vector3;
  readonly rotation: Quaternion;
}

function handState(): HandState {
  return {
    goal: new Vector3(),
    goalTurn: new Quaternion(),
    between: new Vector3(),
    betweenTurn: new Quaternion(),
    position: new Vector3(),
    rotation: new Quaternion(),
  };
}

export class Arms {
  private readonly hands = [handState(), handState()] as const;
  private fresh = true;

  /** Puts the hands where they belong at once: the person jumped. */
  settle(): void {
    this.fresh = true;
  }

  /** A hand's place in the trunk's frame. */
  position(side: Hand): Vector3 {
    return this.hands[side].position;
  }

  rotation(side: Hand): Quaternion {
    return this.hands[side].rotation;
  }

  /** Sends a hand to rest, on its way since the last frame. */
  hang(side: Hand, body: DesktopBody): void {
    this.hands[side].goal.copy(body.atRest[side].position);
    this.hands[side].goalTurn.copy(body.atRest[side].rotation);
  }

  /** Puts a hand under the pointer: on its ray, so far from the shoulder. World ray of 6 numbers. */
  reach(side: Hand, body: DesktopBody, ray: Float64Array, reachM: number): void {
    const { goal, goalTurn } = this.hands[side];
    const shoulder = body.shoulders[side];
    const most = STRAIGHT * body.armLength;
    body.intoTrunk(_origin.fromArray(ray, 0));
    body.turnIntoTrunk(_direction.fromArray(ray, 3));
    onSphere(_origin, _direction, shoulder, Math.min(Math.max(reachM, NEAREST_M), most), goal);
    keepOffTrunk(goal);
    clampLength(goal, shoulder, most);
    alongForearm(body, side, goal, _fingers);
    _fingers.addScaledVector(_direction, BY_LOOK);
    turnHand(_fingers.normalize(), REACH_ROLL, MIRROR[side], goalTurn);
  }

  /** Stretches an arm towards a point of the world. */
  point(side: Hand, body: DesktopBody, target: Vector3): void {
    const { goal, goalTurn } = this.hands[side];
    const shoulder = body.shoulders[side];
    body.intoTrunk(_origin.copy(target));
    _arm.subVectors(_origin, shoulder);
    const away = _arm.length();
    if (away < 1e-6) _arm.set(0, 0, -1);
    else _arm.divideScalar(away);
    _arm.z = Math.min(_arm.z, BEHIND);
    _arm.normalize();
    const stretch = Math.min(POINT_STRAIGHT * body.armLength, Math.max(away - SHORT_OF_M, NEAREST_M));
    goal.copy(shoulder).addScaledVector(_arm, stretch);
    keepOffTrunk(goal);
    clampLength(goal, shoulder, STRAIGHT * body.armLength);
    _fingers.subVectors(_origin, goal);
    // What is nearer than the hand can not be pointed at straight: then along the arm.
    if (_fingers.dot(_arm) < 0.3 * _fingers.length()) _fingers.copy(_arm);
    turnHand(_fingers.normalize(), POINT_ROLL, MIRROR[side], goalTurn);
  }

  /** Moves both hands towards their goals. */
  update(passedS: number): void {
    const share = this.fresh ? 1 : 1 - Math.exp(-passedS / FOLLOW_S);
    this.fresh = false;
    for (const side of SIDES) {
      const hand = this.hands[side];
      hand.between.lerp(hand.goal, share);
      hand.betweenTurn.slerp(hand.goalTurn, share).normalize();
      hand.position.lerp(hand.between, share);
      hand.rotation.slerp(hand.betweenTurn, share).normalize();
    }
  }
}

/**
 * Writes where a ray leaves the sphere around `centre`; of a ray that misses it, the point of the
 * sphere that is next to the ray.
 */
function onSphere(origin: Vector3, direction: Vector3, centre: Vector3, radius: number, out: Vector3): void {
  out.subVectors(origin, centre);
  const along = -out.dot(direction);
  const missed = out.lengthSq() - along * along;
  const half = Math.sqrt(Math.max(radius * radius - missed, 0));
  out.addScaledVector(direction, Math.max(along + half, 0));
  const away = out.length();
  if (away < 1e-6) out.copy(direction).multiplyScalar(radius);
  else out.multiplyScalar(radius / away);
  out.add(centre);
}

/**
 * Writes the direction of the forearm of an arm whose palm is at `palm` and whose elbow hangs, a
 * little outwards: where a relaxed wrist lets the fingers point.
 */
function alongForearm(body: DesktopBody, side: Hand, palm: Vector3, out: Vector3): void {
  const { upperArm, forearm } = body;
  _arm.subVectors(palm, body.shoulders[side]);
  const away = Math.max(_arm.length(), 1e-3);
  _arm.divideScalar(away);
  const along = (upperArm * upperArm - forearm * forearm + away * away) / (2 * away);
  const aside = Math.sqrt(Math.max(upperArm * upperArm - along * along, 0));
  _elbow.set(MIRROR[side] * ELBOW_OUT, -1, ELBOW_BACK);
  _elbow.addScaledVector(_arm, -_elbow.dot(_arm));
  if (_elbow.lengthSq() < 1e-4) _elbow.set(0, 0, 1);
  _elbow.setLength(aside);
  out.copy(_arm).multiplyScalar(away - along).sub(_elbow).normalize();
}

const TRUNK_HALF_M = 0.17;
const CLEAR_M = 0.34;
const BEFORE_TRUNK_M = 0.19;

/** Brings a hand before the trunk, or beside it. */
function keepOffTrunk(hand: Vector3): void {
  const beside = Math.min(Math.max((Math.abs(hand.x) - TRUNK_HALF_M) / (CLEAR_M - TRUNK_HALF_M), 0), 1);
  hand.z = Math.min(hand.z, -BEFORE_TRUNK_M * (1 - beside) + 0.08 * beside);
}

function clampLength(hand: Vector3, shoulder: Vector3, most: number): void {
  hand.sub(shoulder).clampLength(0, most).add(shoulder);
}
