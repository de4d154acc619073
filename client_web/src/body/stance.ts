/**
 * Owns where a body's feet stand: planted while the body moves above them, one of them stepping once
 * the body has gone or turned too far. Everything that changes is in the state, and time is an
 * argument: the same calls give the same steps.
 */

import { smoothstep, wrapped } from './turns';

/** What the body asks of its feet this frame; metres, radians from −Z, already scaled to the person. */
export interface Stand {
  /** The point of the floor below the body, and where it faces. */
  x: number;
  z: number;
  yaw: number;
  /** 0 standing, 1 sitting or crouching low. */
  low: number;
  /** The person's size over a model of ordinary size. */
  size: number;
}

export interface Foot {
  x: number;
  z: number;
  yaw: number;
  /** How high the step is just now. */
  lift: number;
  /** Share of the step done, or −1 while planted. */
  step: number;
  fromX: number;
  fromZ: number;
  fromYaw: number;
}

const APART_M = 0.085;
/** Sitting or crouching, feet are further apart and before the body. */
const LOW_APART_M = 0.05;
const LOW_AHEAD_M = 0.26;
const TOES_OUT = 0.12;
const LOW_TOES_OUT = 0.16;
/** A foot this far from its place steps, while moving and after standing still. */
const STRAYED_M = 0.15;
const UNTIDY_M = 0.05;
const TURNED = 0.6;
const UNTIDY_TURNED = 0.28;
const STILL_AFTER_S = 0.5;
const STILL_MPS = 0.1;
/** Jumps: nobody walks so far between two frames. */
const JUMP_M = 0.45;
const JUMP_TURN = 1.2;
const SLOW_STEP_S = 0.4;
const FAST_STEP_S = 0.24;
const LONGEST_LEAD_M = 0.45;
const LIFT_M = 0.055;
const SPEED_S = 0.12;
/** How far the other foot's step must be done for this one to begin: walking, and running. */
const FAST_MPS = 2;

function newFoot(): Foot {
  return { x: 0, z: 0, yaw: 0, lift: 0, step: -1, fromX: 0, fromZ: 0, fromYaw: 0 };
}

export class Stance {
  readonly left = newFoot();
  readonly right = newFoot();
  private placed = false;
  private x = 0;
  private z = 0;
  private yaw = 0;
  private speedX = 0;
  private speedZ = 0;
  private turning = 0;
  private stillS = 0;
  private readonly place = { x: 0, z: 0, yaw: 0 };

  /** The feet are put anew with the next frame: a discontinuity, or the first appearance. */
  reset(): void {
    this.placed = false;
  }

  /** Where the feet point, radians from −Z: the middle of both. */
  get heading(): number {
    return this.left.yaw + 0.5 * wrapped(this.right.yaw - this.left.yaw);
  }

  get isPlaced(): boolean {
    return this.placed;
  }

  /** Moves the feet on by a frame of `passedS`. */
  advance(stand: Stand, passedS: number): void {
    const awayX = stand.x - this.x;
    const awayZ = stand.z - this.z;
    const away = Math.sqrt(awayX * awayX + awayZ * awayZ);
    const turned = Math.abs(wrapped(stand.yaw - this.yaw));
    if (!this.placed || away > JUMP_M || turned > JUMP_TURN) {
      this.put(stand);
      return;
    }
    this.measureSpeed(stand, passedS);
    this.carryOn(stand, this.left, -1, passedS);
    this.carryOn(stand, this.right, 1, passedS);
    this.begin(stand);
  }

  private put(stand: Stand): void {
    this.placed = true;
    this.speedX = this.speedZ = this.turning = 0;
    this.stillS = 0;
    this.remember(stand);
    for (const [foot, sign] of [
      [this.left, -1],
      [this.right, 1],
    ] as const) {
      this.aimAt(stand, sign, 0);
      foot.x = this.place.x;
      foot.z = this.place.z;
      foot.yaw = this.place.yaw;
      foot.lift = 0;
      foot.step = -1;
    }
  }

  private remember(stand: Stand): void {
    this.x = stand.x;
    this.z = stand.z;
    this.yaw = stand.yaw;
  }

  private measureSpeed(stand: Stand, passedS: number): void {
    if (passedS > 0) {
      const share = 1 - Math.exp(-passedS / SPEED_S);
      this.speedX += share * ((stand.x - this.x) / passedS - this.speedX);
      this.speedZ += share * ((stand.z - this.z) / passedS - this.speedZ);
      this.turning += share * (wrapped(stand.yaw - this.yaw) / passedS - this.turning);
    }
    this.stillS = this.speed < STILL_MPS * stand.size ? this.stillS + passedS : 0;
    this.remember(stand);
  }

  private get speed(): number {
    return Math.sqrt(this.speedX * this.speedX + this.speedZ * this.speedZ);
  }

  private stepS(size: number): number {
    const fast = smoothstep(0.2, 1.4, this.speed / Math.max(size, 0.1));
    return SLOW_STEP_S + fast * (FAST_STEP_S - SLOW_STEP_S);
  }

  /** Leaves in `place` where a foot belongs when the body is where it will be in `aheadS`. */
  private aimAt(stand: Stand, sign: number, aheadS: number): void {
    const { size, low } = stand;
    const speed = this.speed;
    const lead = speed > 1e-6 ? Math.min(aheadS, (LONGEST_LEAD_M * size) / speed) : 0;
    const turn = Math.min(Math.max(this.turning * aheadS, -0.5), 0.5);
    const yaw = stand.yaw + turn;
    const aside = sign * size * (APART_M + LOW_APART_M * low);
    const ahead = size * (LOW_AHEAD_M * low - 0.02);
    const cos = Math.cos(yaw);
    const sin = Math.sin(yaw);
    this.place.x = stand.x + lead * this.speedX + aside * cos - ahead * sin;
    this.place.z = stand.z + lead * this.speedZ - aside * sin - ahead * cos;
    this.place.yaw = yaw - sign * (TOES_OUT + LOW_TOES_OUT * low);
  }

  private carryOn(stand: Stand, foot: Foot, sign: number, passedS: number): void {
    if (foot.step < 0) return;
    const durationS = this.stepS(stand.size);
    foot.step = Math.min(foot.step + passedS / durationS, 1);
    const left = (1 - foot.step) * durationS;
    // It stands until the body has passed over it: half a step's time beyond the landing.
    this.aimAt(stand, sign, left + 0.5 * durationS);
    const done = smoothstep(0, 1, foot.step);
    foot.x = foot.fromX + done * (this.place.x - foot.fromX);
    foot.z = foot.fromZ + done * (this.place.z - foot.fromZ);
    foot.yaw = foot.fromYaw + done * wrapped(this.place.yaw - foot.fromYaw);
    const rise = Math.sin(Math.PI * foot.step);
    foot.lift = LIFT_M * stand.size * rise * rise;
    if (foot.step < 1) return;
    foot.step = -1;
    foot.lift = 0;
  }

  /** Lets the foot step that is further from its place, if it is far enough. */
  private begin(stand: Stand): void {
    const left = this.need(stand, this.left, -1);
    const right = this.need(stand, this.right, 1);
    const first = left >= right ? this.left : this.right;
    const second = first === this.left ? this.right : this.left;
    const quick = smoothstep(0.8, FAST_MPS, this.speed / Math.max(stand.size, 0.1));
    const free = second.step < 0 || second.step > 1 - 0.6 * quick;
    if (Math.max(left, right) >= 1 && free) beginStep(first);
  }

  /** How far a planted foot is from its place; 1 and more: it has to step. */
  private need(stand: Stand, foot: Foot, sign: number): number {
    if (foot.step >= 0) return 0;
    this.aimAt(stand, sign, 0);
    const x = this.place.x - foot.x;
    const z = this.place.z - foot.z;
    const away = Math.sqrt(x * x + z * z) / stand.size;
    const turned = Math.abs(wrapped(this.place.yaw - foot.yaw));
    const still = this.stillS > STILL_AFTER_S;
    return Math.max(
      away / (still ? UNTIDY_M : STRAYED_M),
      turned / (still ? UNTIDY_TURNED : TURNED),
    );
  }
}

/** Lets a planted foot go. */
export function beginStep(foot: Foot): void {
  foot.step = 0;
  foot.fromX = foot.x;
  foot.fromZ = foot.z;
  foot.fromYaw = foot.yaw;
}
