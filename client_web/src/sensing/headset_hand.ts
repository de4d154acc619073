/**
 * Owns what a headset says of one hand in a frame: where the palm is, what is pressed, how the fingers
 * are bent, and where it points. It reads a controller or 25 joints, whichever there is.
 */

import { anglesFromHold, anglesFromJoints, followAngles, type Hold } from './hand_angles';
import { HAND_JOINTS, JOINT_SIZE, type Side } from './hand_joints';
import { palmFromGrip, palmFromJoints, tipGap } from './headset_palm';
import { writePose } from './headset_pose';
import { Pinch } from './headset_stick';
import { FINGER_COUNT, SENSOR_SIZE } from './sensors';

/** `fillPoses` of the WebXR hand input module; not every browser has it. */
interface PoseFiller {
  fillPoses?(spaces: Iterable<XRSpace>, base: XRSpace, transforms: Float32Array): boolean;
}

const TRIGGER = 0;
const SQUEEZE = 1;
const STICK_BUTTON = 3;
/** The first eight of xr-standard travel as bits; thumbs rest on those from the touchpad on. */
const BUTTONS = 8;
const FIRST_OF_THUMB = 2;
const ALL = 255;

export class HandReading {
  /** Palm's pose in the headset's floor frame; the last known one while `seen` is false. */
  readonly palm = new Float64Array(SENSOR_SIZE);
  /** Buttons, pinch, grip, trigger: 0 to 255. */
  readonly inputs = new Uint8Array(4);
  readonly fingers = new Float64Array(FINGER_COUNT);
  seen = false;
  /** Whether `ray` holds: origin and direction of pointing, floor frame. */
  aims = false;
  readonly ray = new Float64Array(6);
  stickX = 0;
  stickY = 0;
  stickPressed = false;
  /** Whether joints, and not a controller, told this. */
  bare = false;
  private readonly joints = new Float32Array(HAND_JOINTS.length * JOINT_SIZE);
  private readonly spaces: XRJointSpace[] = [];
  private spacesOf: XRHand | undefined;
  /** The controller whose position was measured at least once. */
  private located: XRInputSource | undefined;
  private readonly pinch = new Pinch();
  private readonly hold: Hold = { trigger: 0, squeeze: 0, indexRests: false, thumbRests: false };
  private readonly wanted = new Float64Array(FINGER_COUNT);

  constructor(readonly side: Side) {
    this.palm[6] = 1;
  }

  get pinched(): boolean {
    return this.pinch.pinched;
  }

  /** Whether it points at something on purpose: trigger drawn, or thumb and index together. */
  get points(): boolean {
    return this.aims && (this.bare ? this.pinched : (this.inputs[3] ?? 0) > ALL / 2);
  }

  /** Nothing is known of this hand now. */
  miss(): void {
    this.seen = false;
    this.aims = false;
    this.stickX = this.stickY = 0;
    this.stickPressed = false;
    this.inputs.fill(0);
    this.pinch.reset();
  }

  /** Reads what one source says in a frame. */
  read(frame: XRFrame, source: XRInputSource, base: XRReferenceSpace, passedS: number): void {
    this.readRay(frame, source, base);
    this.bare = source.hand !== undefined && source.hand !== null;
    if (source.hand) this.readJoints(frame, source.hand, base);
    else this.readController(frame, source, base, passedS);
    if (!this.seen) this.miss();
  }

  private readRay(frame: XRFrame, source: XRInputSource, base: XRReferenceSpace): void {
    const pose = frame.getPose(source.targetRaySpace, base);
    this.aims = pose !== null && pose !== undefined;
    if (!pose) return;
    const { position, orientation } = pose.transform;
    const { x, y, z, w } = orientation;
    this.ray[0] = position.x;
    this.ray[1] = position.y;
    this.ray[2] = position.z;
    this.ray[3] = -2 * (x * z + w * y);
    this.ray[4] = 2 * (w * x - y * z);
    this.ray[5] = 2 * (x * x + y * y) - 1;
  }

  private readJoints(frame: XRFrame, hand: XRHand, base: XRReferenceSpace): void {
    this.stickX = this.stickY = 0;
    this.stickPressed = false;
    this.seen =
      this.locate(frame, hand, base) &&
      palmFromJoints(this.side, this.joints, this.palm, 0) &&
      anglesFromJoints(this.side, this.joints, this.palm, this.fingers, 0);
    if (!this.seen) return;
    this.inputs.fill(0);
    this.inputs[1] = this.pinch.read(tipGap(this.joints));
  }

  /** Fills the joints' matrices; false unless all of them are known. */
  private locate(frame: XRFrame & PoseFiller, hand: XRHand, base: XRReferenceSpace): boolean {
    if (this.spacesOf !== hand) {
      this.spacesOf = hand;
      this.spaces.length = 0;
      for (const name of HAND_JOINTS) {
        const space = hand.get(name);
        if (space !== undefined) this.spaces.push(space);
      }
    }
    if (this.spaces.length < HAND_JOINTS.length) return false;
    if (frame.fillPoses !== undefined) return frame.fillPoses(this.spaces, base, this.joints);
    for (let joint = 0; joint < this.spaces.length; joint += 1) {
      const space = this.spaces[joint];
      const pose = space && frame.getJointPose?.(space, base);
      if (!pose) return false;
      this.joints.set(pose.transform.matrix, JOINT_SIZE * joint);
    }
    return true;
  }

  private readController(frame: XRFrame, source: XRInputSource, base: XRReferenceSpace, passedS: number): void {
    this.pinch.reset();
    const pose = source.gripSpace ? frame.getPose(source.gripSpace, base) : undefined;
    if (pose && !pose.emulatedPosition) this.located = source;
    // A controller that was seen and is now guessed at is lost; of one that has no place of its own
    // (a pointer with three degrees of freedom) the guess is all there is.
    this.seen = pose !== null && pose !== undefined && !(pose.emulatedPosition && this.located === source);
    if (!pose || !this.seen) return;
    writePose(pose.transform, this.palm);
    palmFromGrip(this.side, this.palm, 0);
    this.readButtons(source.gamepad ?? undefined);
    anglesFromHold(this.hold, this.wanted, 0);
    followAngles(this.wanted, this.fingers, 0, passedS);
  }

  private readButtons(gamepad: Gamepad | undefined): void {
    const { inputs, hold } = this;
    inputs.fill(0);
    const axes = gamepad?.axes ?? [];
    const first = axes.length >= 4 ? 2 : 0; // a touchpad's come before the stick's
    this.stickX = axes[first] ?? 0;
    this.stickY = axes[first + 1] ?? 0;
    hold.trigger = gamepad?.buttons[TRIGGER]?.value ?? 0;
    hold.squeeze = gamepad?.buttons[SQUEEZE]?.value ?? 0;
    hold.indexRests = gamepad?.buttons[TRIGGER]?.touched ?? false;
    hold.thumbRests = false;
    let bits = 0;
    for (let button = 0; button < BUTTONS; button += 1) {
      const state = gamepad?.buttons[button];
      if (state?.pressed) bits |= 1 << button;
      if (button >= FIRST_OF_THUMB && state?.touched) hold.thumbRests = true;
    }
    this.stickPressed = (bits & (1 << STICK_BUTTON)) !== 0;
    inputs[0] = bits;
    inputs[2] = Math.round(ALL * hold.squeeze);
    inputs[3] = Math.round(ALL * hold.trigger);
  }
}
