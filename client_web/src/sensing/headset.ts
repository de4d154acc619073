/**
 * Owns a person in a headset as a source of sensors: enters and leaves, and reads head, hands, fingers
 * and buttons in every frame of the headset, in the world's coordinates.
 */

import { Floor, type Standing } from './headset_floor';
import { HandReading } from './headset_hand';
import { Loss } from './headset_loss';
import { writePose } from './headset_pose';
import { Visit, type Presenter } from './headset_session';
import { Stature } from './headset_stature';
import { Travel } from './headset_travel';
import { FINGER_COUNT, HEAD, LEFT, RIGHT, SENSOR_SIZE, jump, type SensorSource, type Sensors } from './sensors';

export interface HeadsetEvents {
  /** Entered, left, seen again or no longer: read the sensors once more now, frames may stop. */
  readonly changed: () => void;
  /** The person has stood still for a while, with the eyes so high above the floor; told once. */
  readonly measured: (eyeHeightM: number) => void;
  /** The button for the voice (B or Y of a controller) went down, or up. */
  readonly voice: (pressed: boolean) => void;
}

/** What lies in the way of a laser; writes into `out` and allocates nothing. */
export interface Scenery {
  /** The first thing that a ray (origin, unit direction) meets, world metres; false where it meets nothing. */
  hit(ray: Float64Array, out: Float64Array): boolean;
}

/** A ray that meets nothing within this ends in the air, so far away. */
const FARTHEST_POINT_M = 15;
const IN_THE_AIR_M = 4;
/** The sixth button of xr-standard: B of the right controller, Y of the left one. */
const VOICE_BUTTON = 1 << 5;

const _ray = new Float64Array(6);
const _hit = new Float64Array(3);

export class Headset implements SensorSource {
  readonly floor = new Floor();
  readonly travel = new Travel();
  readonly stature = new Stature();
  /** The eyes in the floor's frame, as last seen. */
  private readonly eyes = new Float64Array(SENSOR_SIZE);
  private readonly hands = [new HandReading('left'), new HandReading('right')] as const;
  private readonly losses = [new Loss(), new Loss(), new Loss()] as const;
  private visit: Visit | undefined;
  private entering = false;
  /** Whether one went, maybe while the browser was still asking for the headset. */
  private gone = false;
  private voicePressed = false;
  /** Where the eyes are to stand when they are seen next; undefined: the floor stays where it is. */
  private standNext: Standing | undefined;

  /** `xr` is `navigator.xr`. */
  constructor(
    private readonly xr: XRSystem | undefined,
    private readonly presenter: Presenter,
    private readonly scenery: Scenery,
    private readonly events: HeadsetEvents,
  ) {
    this.eyes[1] = 1.6;
    this.eyes[6] = 1;
  }

  /** Whether the headset is the source of sensors now. */
  get entered(): boolean {
    return this.visit !== undefined;
  }

  /** Where the person stands in the world: as seen last. */
  get standing(): Standing {
    return this.floor.standing(this.eyes);
  }

  /** Enters, and stands where asked. Call it in a click. Raises HeadsetRefused. */
  async enter(at: Standing): Promise<void> {
    this.gone = false;
    if (this.entered || this.entering) return;
    this.entering = true;
    try {
      this.stand(at);
      this.forget();
      const visit = await Visit.begin(this.xr, this.presenter, {
        changed: () => this.events.changed(),
        recentred: () => this.keepPlace(),
        ended: () => this.ended(),
      });
      if (this.gone) await visit.end();
      else if (!visit.ended) this.visit = visit;
    } finally {
      this.entering = false;
    }
    this.events.changed();
  }

  /** Stands elsewhere, from the next frame on; a recentring leads there too. */
  stand(at: Standing): void {
    this.standNext = this.travel.home = at;
  }

  async leave(): Promise<void> {
    this.gone = true;
    await this.visit?.end();
  }

  /** Back to where one came in or went last, and looking ahead again. */
  recentre(): void {
    this.standNext = this.travel.home;
  }

  read(nowMs: number, passedS: number, out: Sensors): void {
    const { visit } = this;
    const frame = this.presenter.frame();
    const watched = visit?.seen === true;
    if (watched && frame?.session !== visit.session) return; // between two frames: nothing is new
    out.sampleTimeUs = Math.round(1000 * nowMs);
    if (!watched || frame === undefined) {
      this.forget();
      for (const hand of this.hands) hand.miss();
      this.readVoice();
      this.write(false, nowMs, out);
      return;
    }
    const seen = this.readEyes(frame, visit.space);
    this.readHands(frame, visit, passedS);
    this.readVoice();
    if (seen && this.move(visit, passedS)) jump(out);
    this.write(seen, nowMs, out);
    if (seen && visit.knowsFloor) this.measure(passedS);
  }

  private readEyes(frame: XRFrame, space: XRReferenceSpace): boolean {
    const pose = frame.getViewerPose(space);
    if (!pose) return false;
    writePose(pose.transform, this.eyes);
    return true;
  }

  private readHands(frame: XRFrame, { session, space, attended }: Visit, passedS: number): void {
    for (const hand of this.hands) {
      const source = attended ? sourceOf(session.inputSources, hand) : undefined;
      if (source === undefined) hand.miss();
      else hand.read(frame, source, space, passedS);
    }
  }

  private readVoice(): void {
    const [left, right] = this.hands;
    const pressed = (((left.inputs[0] ?? 0) | (right.inputs[0] ?? 0)) & VOICE_BUTTON) !== 0;
    if (pressed === this.voicePressed) return;
    this.voicePressed = pressed;
    this.events.voice(pressed);
  }

  /** Moves the floor as asked; true if the person jumped. */
  private move(visit: Visit, passedS: number): boolean {
    if (this.standNext !== undefined) {
      this.floor.place(this.eyes, this.standNext);
      this.standNext = undefined;
      return true;
    }
    const [left, right] = this.hands;
    return visit.attended && this.travel.update(this.floor, this.eyes, left, right, passedS);
  }

  private write(eyesSeen: boolean, nowMs: number, out: Sensors): void {
    const [left, right] = this.hands;
    let returned = this.note(HEAD, eyesSeen, this.eyes, nowMs, out);
    returned = this.note(LEFT, left.seen, left.palm, nowMs, out) || returned;
    returned = this.note(RIGHT, right.seen, right.palm, nowMs, out) || returned;
    if (returned) jump(out);
    out.fingersKnown = (out.tracked >> 1) & 0b11;
    out.pointing = 0;
    for (let side = 0; side < 2; side += 1) {
      const hand = side === 0 ? left : right;
      out.inputs.set(hand.inputs, 4 * side);
      if (hand.seen) out.fingers.set(hand.fingers, FINGER_COUNT * side);
      if (hand.points && !(side === 0 && this.travel.aiming)) this.point(hand, side, out);
    }
  }

  /** Writes one sensor; true if it has come back from a loss. */
  private note(sensor: number, seen: boolean, pose: Float64Array, nowMs: number, out: Sensors): boolean {
    const state = this.losses[sensor]?.note(seen, nowMs) ?? 'lost';
    if (state === 'lost') {
      out.tracked &= ~(1 << sensor);
      return false;
    }
    out.tracked |= 1 << sensor;
    this.floor.poseToWorld(pose, 0, out.poses, SENSOR_SIZE * sensor);
    return state === 'returned';
  }

  /** Writes what a hand points at: a person, the floor, or a place in the air. */
  private point(hand: HandReading, side: number, out: Sensors): void {
    this.floor.pointToWorld(hand.ray, 0, _ray, 0);
    this.floor.directionToWorld(hand.ray, 3, _ray, 3);
    const met = this.scenery.hit(_ray, _hit);
    let far = 0;
    for (let axis = 0; axis < 3; axis += 1) far += ((_hit[axis] ?? 0) - (_ray[axis] ?? 0)) ** 2;
    const there = met && far <= FARTHEST_POINT_M ** 2;
    for (let axis = 0; axis < 3; axis += 1) {
      const inTheAir = (_ray[axis] ?? 0) + IN_THE_AIR_M * (_ray[3 + axis] ?? 0);
      out.points[3 * side + axis] = there ? (_hit[axis] ?? 0) : inTheAir;
    }
    out.pointing |= 1 << side;
  }

  private measure(passedS: number): void {
    const eyeHeightM = this.stature.read(this.eyes[1] ?? 0, passedS);
    if (eyeHeightM !== undefined) this.events.measured(eyeHeightM);
  }

  /** What is seen next continues nothing. */
  private forget(): void {
    for (const loss of this.losses) loss.reset();
  }

  /** The headset moved its own floor: the person stays where they were in the world. */
  private keepPlace(): void {
    this.standNext ??= this.standing;
  }

  private ended(): void {
    this.visit = undefined;
    this.travel.reset();
    this.forget();
    this.events.changed();
  }
}

/** The source of a side; joints before a controller that lies about. */
function sourceOf(sources: XRInputSourceArray, { side }: HandReading): XRInputSource | undefined {
  let found: XRInputSource | undefined;
  for (let index = 0; index < sources.length; index += 1) {
    const source = sources[index];
    if (source?.handedness !== side) continue;
    if (source.hand) return source;
    if (source.gripSpace) found ??= source;
  }
  return found;
}
