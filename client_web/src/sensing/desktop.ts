/**
 * Owns a person without a headset: what keyboard, mouse or touch say becomes head, hands, fingers
 * and what is pointed at, as a headset would tell them. Pure: the intent holds what is wanted, the
 * outlook tells what lies under the pointer, time is passed in.
 */

import { Quaternion, Vector3 } from 'three';
import type { Floats } from '../motion/bones';
import { Arms } from './desktop_arms';
import { DesktopBody } from './desktop_body';
import { Fingers, INDEX_OUT, OPEN, PINCH, RELAXED } from './desktop_fingers';
import { DesktopIntent, POINT, REACH, REST, type Hand } from './desktop_intent';
import { Walk } from './desktop_walk';
import { FINGER_COUNT, jump, SENSOR_SIZE, type Sensors, type SensorSource } from './sensors';

/** What the scene tells of the picture; both write into `out` and allocate nothing. */
export interface Outlook {
  /** The ray behind a point of the picture (−1…1, right and up): origin, unit direction, world. */
  ray(x: number, y: number, out: Float64Array): void;
  /** The first thing that a ray meets, world metres; false where it meets nothing. */
  hit(ray: Float64Array, out: Float64Array): boolean;
}

export interface DesktopOptions {
  /** Whether to leave out motion that is only for show. */
  readonly still?: () => boolean;
}

/** Longer frames than this were no frames: the tab was hidden. */
const LONGEST_FRAME_S = 0.25;
/** Where a ray that meets nothing is pointed to. */
const FAR_M = 15;
/** Points lie within what the protocol takes, with room for rounding. */
const POINT_LIMIT_M = 99;
const PINCH_S = 0.05;
const ALL = 0b111;

const HANDS = [0, 1] as const;
const PINCH_INPUT = [1, 5] as const;

const _position = new Vector3();
const _target = new Vector3();
const _rotation = new Quaternion();
const _eyesBefore = new Vector3();
const _headBefore = new Quaternion();

export class Desktop implements SensorSource {
  readonly intent = new DesktopIntent();
  readonly walk = new Walk();
  readonly body = new DesktopBody();
  private readonly arms = new Arms();
  private readonly fingers = [new Fingers(), new Fingers()] as const;
  private readonly pinch = new Float64Array(2);
  private readonly ray = new Float64Array(6);
  private readonly hit = new Float64Array(3);
  private readonly still: () => boolean;
  private jumped = false;

  constructor(
    private readonly outlook: Outlook,
    options: DesktopOptions = {},
  ) {
    this.still = options.still ?? (() => false);
  }

  /** Stands somewhere else at once, facing `yaw` (0 looks along −Z, positive to the left). */
  standAt(x: number, z: number, yaw: number): void {
    this.walk.standAt(x, z, yaw);
    this.arms.settle();
    this.jumped = true;
  }

  /** The person's eleven lengths, in the protocol's order. */
  measure(lengths: Floats): void {
    this.body.measure(lengths);
  }

  read(nowMs: number, passedS: number, out: Sensors): void {
    const stepS = Math.min(Math.max(passedS, 0), LONGEST_FRAME_S);
    const { intent, walk, body } = this;
    intent.update(stepS);
    const busy = intent.tasks[0] !== REST || intent.tasks[1] !== REST;
    walk.update(intent, busy, stepS);
    _eyesBefore.copy(body.eyes);
    _headBefore.copy(body.head);
    body.update(walk, this.still());
    out.pointing = 0;
    out.fingersKnown = 0;
    for (const side of HANDS) this.use(side, stepS, out);
    this.arms.update(stepS);
    if (this.jumped) jump(out);
    this.jumped = false;
    out.tracked = ALL;
    out.sampleTimeUs = Math.round(1000 * nowMs);
    put(body.eyes, body.head, 0, out);
    for (const side of HANDS) {
      body.intoWorld(_position.copy(this.arms.position(side)));
      put(_position, this.arms.rotation(side), side + 1, out, body.trunk);
    }
  }

  /** Sets one hand's goal, and writes its fingers and what it points at. */
  private use(side: Hand, stepS: number, out: Sensors): void {
    const { intent, body, arms } = this;
    const task = intent.tasks[side];
    const led = side === intent.driving;
    if (task === REST) {
      arms.hang(side, body);
    } else if (led) {
      this.look(intent.pointerX, intent.pointerY);
      if (task === REACH) arms.reach(side, body, this.ray, intent.reachM);
    }
    if (task === POINT) {
      if (led) this.aim(_target);
      else _target.fromArray(out.points, 3 * side);
      arms.point(side, body, _target);
      _target.toArray(out.points, 3 * side);
      out.pointing |= 1 << side;
    }
    this.close(side, stepS, out);
  }

  private close(side: Hand, stepS: number, out: Sensors): void {
    const task = this.intent.tasks[side];
    const pinching = this.intent.pinching[side] === true;
    const goal = task === POINT ? INDEX_OUT : pinching ? PINCH : task === REACH ? OPEN : RELAXED;
    const fingers = this.fingers[side];
    if (fingers.update(goal, stepS)) out.fingersKnown |= 1 << side;
    out.fingers.set(fingers.angles, FINGER_COUNT * side);
    const wanted = pinching ? 1 : 0;
    const pinch = wanted + ((this.pinch[side] ?? 0) - wanted) * Math.exp(-stepS / PINCH_S);
    this.pinch[side] = pinch;
    out.inputs[PINCH_INPUT[side]] = Math.round(255 * pinch);
  }

  /**
   * Reads the ray behind a point of the picture; straight ahead if there is no picture to ask. The
   * picture is the last frame's: the ray goes along with the head since then.
   */
  private look(x: number, y: number): void {
    const { ray } = this;
    const { eyes, head } = this.body;
    this.outlook.ray(x, y, ray);
    if (!areFinite(ray)) {
      eyes.toArray(ray, 0);
      _position.set(0, 0, -1).applyQuaternion(head).toArray(ray, 3);
      return;
    }
    _rotation.copy(_headBefore).conjugate().premultiply(head);
    _position.fromArray(ray, 0).sub(_eyesBefore).applyQuaternion(_rotation).add(eyes).toArray(ray, 0);
    _position.fromArray(ray, 3).applyQuaternion(_rotation).normalize().toArray(ray, 3);
  }

  /** Writes what the ray meets, or a far point of it; always a point that the protocol takes. */
  private aim(out: Vector3): void {
    if (this.outlook.hit(this.ray, this.hit) && areFinite(this.hit)) {
      out.fromArray(this.hit);
    } else {
      out.fromArray(this.ray, 3).multiplyScalar(FAR_M);
      out.add(_position.fromArray(this.ray, 0));
    }
    const furthest = Math.max(Math.abs(out.x), Math.abs(out.y), Math.abs(out.z));
    if (furthest > POINT_LIMIT_M) out.multiplyScalar(POINT_LIMIT_M / furthest);
  }
}

/** Writes a pose; `rotation` is in the frame that `frame` turns into the world, if there is one. */
function put(position: Vector3, rotation: Quaternion, sensor: number, out: Sensors, frame?: Quaternion): void {
  const first = SENSOR_SIZE * sensor;
  position.toArray(out.poses, first);
  if (frame === undefined) _rotation.copy(rotation);
  else _rotation.copy(frame).multiply(rotation);
  _rotation.normalize().toArray(out.poses, first + 3);
}

function areFinite(numbers: Float64Array): boolean {
  for (let index = 0; index < numbers.length; index += 1) {
    if (!Number.isFinite(numbers[index])) return false;
  }
  return true;
}
