/**
 * Owns where a person at a desk stands and looks in the room: walking, turning, crouching, and the
 * trunk that turns after the head. Every step is exact for wishes that stay the same over it, so
 * that a walk is as long at 30 frames a second as at 144.
 */

import { LENGTH, type Floats } from '../motion/bones';

/** What moves a person; a DesktopIntent has it all. */
export interface WalkWish {
  /** −1…1 each, of length 1 together at the most. */
  readonly forward: number;
  readonly aside: number;
  /** −1…1, to the left and up. */
  readonly turn: number;
  readonly tilt: number;
  readonly fast: boolean;
  readonly crouch: boolean;
  /** Radians to the left and up, taken and put back to 0. */
  lookYaw: number;
  lookPitch: number;
}

/** Nobody walks further than this from the middle of the room, along either axis. */
export const ROOM_M = 50;

const WALK_M_S = 1.5;
const FAST_M_S = 3.2;
const CROUCHED_SHARE = 0.5;
const START_S = 0.12;
const TURN_RAD_S = 1.7;
const TILT_RAD_S = 1.1;
const TURN_START_S = 0.06;
const PITCH_LIMIT = 1.25;
/** Of the eyes' height when upright. */
const CROUCH_SHARE = 0.3;
const CROUCH_S = 0.13;
const STRIDE_M = 1.45;
const SWING_S = 0.18;
/** A standing trunk leaves this much to the neck, then comes after the head until it is there. */
const NECK_RAD = 0.6;
const NECK_BUSY_RAD = 0.25;
const NECK_LIMIT_RAD = 1.1;
const THERE_RAD = 0.03;
const TRUNK_S = 0.16;
const MOVING_M_S = 0.25;
/** Trunks lean with the head's pitch, more once it is lowered: the solver's habits for chests. */
const LEAN_LOOK = 0.1;
const LEAN_BENT = 0.77;
const LEAN_LIMIT = 0.9;
/** What of the eyes' height lies above the chest's origin when upright. */
const LENGTHS_ABOVE = [LENGTH.sternumDown, LENGTH.neck, LENGTH.eyesUp] as const;

export class Walk {
  x = 0;
  z = 0;
  /** Of the head; to the left and up, radians. Yaw 0 looks along −Z. */
  yaw = 0;
  pitch = 0;
  trunkYaw = 0;
  /** 0 upright, 1 crouched. */
  lowered = 0;
  /** Phase of the stride, radians, and how much the arms swing with it, 0…1. */
  stride = 0;
  swing = 0;
  private speedX = 0;
  private speedZ = 0;
  private turnSpeed = 0;
  private tiltSpeed = 0;
  private turning = false;

  /** Stands somewhere else at once, upright, facing `yaw`. */
  standAt(x: number, z: number, yaw: number): void {
    this.x = inRoom(x);
    this.z = inRoom(z);
    this.yaw = this.trunkYaw = Number.isFinite(yaw) ? wrapped(yaw) : 0;
    this.pitch = this.swing = 0;
    this.speedX = this.speedZ = this.turnSpeed = this.tiltSpeed = 0;
    this.turning = false;
  }

  /** How far the trunk leans forward, radians. */
  get lean(): number {
    const lean = -this.pitch * (LEAN_LOOK + LEAN_BENT * this.lowered);
    return Math.min(Math.max(lean, -0.3), LEAN_LIMIT);
  }

  get speed(): number {
    return Math.sqrt(this.speedX ** 2 + this.speedZ ** 2); // Math.hypot allocates
  }

  /** How high the chest is, metres, for these lengths. */
  chestHeight(lengths: Floats): number {
    const eyes = lengths[LENGTH.eyeHeight] ?? 0;
    let height = eyes * (1 - CROUCH_SHARE * this.lowered);
    for (const index of LENGTHS_ABOVE) height -= lengths[index] ?? 0;
    return Math.max(height, 0.2);
  }

  /** One frame. `busy`: a hand reaches or points, and the trunk stays close behind the head. */
  update(wish: WalkWish, busy: boolean, passedS: number): void {
    this.look(wish, passedS);
    this.step(wish, passedS);
    const crouch = wish.crouch ? 1 : 0;
    this.lowered = crouch + (this.lowered - crouch) * Math.exp(-passedS / CROUCH_S);
    this.turnTrunk(busy, passedS);
  }

  private look(wish: WalkWish, passedS: number): void {
    const turnGoal = TURN_RAD_S * wish.turn;
    const tiltGoal = TILT_RAD_S * wish.tilt;
    const turned = travelled(this.turnSpeed, turnGoal, TURN_START_S, passedS);
    const tilted = travelled(this.tiltSpeed, tiltGoal, TURN_START_S, passedS);
    this.turnSpeed = approached(this.turnSpeed, turnGoal, TURN_START_S, passedS);
    this.tiltSpeed = approached(this.tiltSpeed, tiltGoal, TURN_START_S, passedS);
    this.yaw = wrapped(this.yaw + turned + wish.lookYaw);
    this.pitch = Math.min(Math.max(this.pitch + tilted + wish.lookPitch, -PITCH_LIMIT), PITCH_LIMIT);
    wish.lookYaw = 0;
    wish.lookPitch = 0;
  }

  private step(wish: WalkWish, passedS: number): void {
    const pace = wish.fast ? FAST_M_S : WALK_M_S;
    const most = pace * (1 - (1 - CROUCHED_SHARE) * this.lowered);
    const sine = Math.sin(this.yaw);
    const cosine = Math.cos(this.yaw);
    const goalX = most * (wish.aside * cosine - wish.forward * sine);
    const goalZ = most * (-wish.aside * sine - wish.forward * cosine);
    const x = this.x + travelled(this.speedX, goalX, START_S, passedS);
    const z = this.z + travelled(this.speedZ, goalZ, START_S, passedS);
    this.speedX = approached(this.speedX, goalX, START_S, passedS);
    this.speedZ = approached(this.speedZ, goalZ, START_S, passedS);
    this.stride += (2 * Math.PI * Math.sqrt((x - this.x) ** 2 + (z - this.z) ** 2)) / STRIDE_M;
    this.stride %= 2 * Math.PI;
    this.swing = approached(this.swing, Math.min(this.speed / WALK_M_S, 1.4), SWING_S, passedS);
    this.x = inRoom(x);
    this.z = inRoom(z);
    if (this.x !== x) this.speedX = 0;
    if (this.z !== z) this.speedZ = 0;
  }

  private turnTrunk(busy: boolean, passedS: number): void {
    const behind = wrapped(this.yaw - this.trunkYaw);
    const patience = busy ? NECK_BUSY_RAD : NECK_RAD;
    if (Math.abs(behind) > patience || this.speed > MOVING_M_S) this.turning = true;
    else if (Math.abs(behind) < THERE_RAD) this.turning = false;
    let left = this.turning ? behind * Math.exp(-passedS / TRUNK_S) : behind;
    left = Math.min(Math.max(left, -NECK_LIMIT_RAD), NECK_LIMIT_RAD);
    this.trunkYaw = wrapped(this.yaw - left);
  }
}

/** A value that goes to its goal by a share of the way in `timeS`, after `passedS`. */
function approached(value: number, goal: number, timeS: number, passedS: number): number {
  return goal + (value - goal) * Math.exp(-passedS / timeS);
}

/** The way that a speed makes meanwhile. */
function travelled(speed: number, goal: number, timeS: number, passedS: number): number {
  return goal * passedS + (speed - goal) * timeS * (1 - Math.exp(-passedS / timeS));
}

function inRoom(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, -ROOM_M), ROOM_M) : 0;
}

/** The same angle within −π…π. */
export function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
