/**
 * Owns the body of a person at a desk as far as sensors would see it: trunk, eyes, shoulders, and
 * where the hands are while nobody uses them. Anatomy is the session's own forward kinematics, so
 * that what is sent is what the solver finds.
 */

import { Quaternion, Vector3 } from 'three';
import {
  ARM_JOINTS,
  DEFAULT_LENGTHS,
  JOINT_COUNT,
  LENGTH,
  PLACE,
  PLACES_SIZE,
  POSE_SIZE,
  ROTATION,
  type Floats,
} from '../motion/bones';
import { placesFromPose, poseFromAngles } from '../motion/kinematics';
import type { Walk } from './desktop_walk';

/** Shoulder flexion, abduction, rotation, elbow, pronation, wrist flexion, deviation: at rest. */
const AT_REST = [0.04, 0.13, 0.1, 0.38, 0.25, 0.08, 0] as const;
const SWING_SHOULDER = 0.3;
const SWING_ELBOW = 0.16;

const PLACES_OF = [
  { shoulder: PLACE.leftShoulder, palm: PLACE.leftPalm, hand: ROTATION.leftHand },
  { shoulder: PLACE.rightShoulder, palm: PLACE.rightPalm, hand: ROTATION.rightHand },
] as const;
const SIDES = [0, 1] as const;
const FIRST_JOINT = [ARM_JOINTS.left, ARM_JOINTS.right] as const;

const UP = new Vector3(0, 1, 0);
const ACROSS = new Vector3(1, 0, 0);
const _turn = new Quaternion();
const _rotation = new Quaternion();

/** One hand's place: in the trunk's frame. */
export interface RestPose {
  readonly position: Vector3;
  readonly rotation: Quaternion;
}

export class DesktopBody {
  /** The trunk's frame in the world. */
  readonly chest = new Vector3();
  readonly trunk = new Quaternion();
  readonly eyes = new Vector3();
  readonly head = new Quaternion();
  /** In the trunk's frame, left and right. */
  readonly shoulders = [new Vector3(), new Vector3()] as const;
  readonly atRest: readonly [RestPose, RestPose] = [
    { position: new Vector3(), rotation: new Quaternion() },
    { position: new Vector3(), rotation: new Quaternion() },
  ];
  private lengths: Floats = DEFAULT_LENGTHS;
  private readonly pose = new Float64Array(POSE_SIZE);
  private readonly places = new Float64Array(PLACES_SIZE);
  private readonly chestFrame = new Float64Array(7);
  private readonly headRotation = new Float64Array(4);
  private readonly angles = new Float64Array(JOINT_COUNT);
  private readonly toTrunk = new Quaternion();

  /** From shoulder to elbow, metres. */
  get upperArm(): number {
    return this.lengths[LENGTH.upperArm] ?? 0;
  }

  /** From elbow to palm. */
  get forearm(): number {
    return (this.lengths[LENGTH.forearm] ?? 0) + (this.lengths[LENGTH.palm] ?? 0);
  }

  /** From shoulder to palm. */
  get armLength(): number {
    return this.upperArm + this.forearm;
  }

  /** Eleven lengths in the protocol's order. */
  measure(lengths: Floats): void {
    this.lengths = lengths;
  }

  /** Stands as `walk` says. `still`: the arms do not swing. */
  update(walk: Walk, still: boolean): void {
    this.chest.set(walk.x, walk.chestHeight(this.lengths), walk.z);
    this.trunk.setFromAxisAngle(UP, walk.trunkYaw);
    this.trunk.multiply(_turn.setFromAxisAngle(ACROSS, -walk.lean));
    this.head.setFromAxisAngle(UP, walk.yaw);
    this.head.multiply(_turn.setFromAxisAngle(ACROSS, walk.pitch));
    this.hang(walk, still);
    this.chest.toArray(this.chestFrame);
    this.trunk.toArray(this.chestFrame, 3);
    this.head.toArray(this.headRotation);
    poseFromAngles(this.chestFrame, this.headRotation, this.angles, 0, this.pose);
    placesFromPose(this.lengths, this.pose, this.places);
    this.eyes.fromArray(this.places, PLACE.eyes);
    this.toTrunk.copy(this.trunk).conjugate();
    for (const side of SIDES) {
      const { shoulder, palm, hand } = PLACES_OF[side];
      const rest = this.atRest[side];
      this.intoTrunk(this.shoulders[side].fromArray(this.places, shoulder));
      this.intoTrunk(rest.position.fromArray(this.places, palm));
      rest.rotation.copy(this.toTrunk).multiply(_rotation.fromArray(this.pose, hand));
    }
  }

  /** Takes a point of the world into the trunk's frame. */
  intoTrunk(point: Vector3): Vector3 {
    return point.sub(this.chest).applyQuaternion(this.toTrunk);
  }

  /** Takes a direction of the world into the trunk's frame. */
  turnIntoTrunk(direction: Vector3): Vector3 {
    return direction.applyQuaternion(this.toTrunk);
  }

  /** Takes a point of the trunk's frame into the world. */
  intoWorld(point: Vector3): Vector3 {
    return point.applyQuaternion(this.trunk).add(this.chest);
  }

  /** Arms that hang, whatever the trunk leans, and swing against each other in a walk. */
  private hang(walk: Walk, still: boolean): void {
    const swing = still ? 0 : walk.swing * Math.sin(walk.stride);
    for (const side of SIDES) {
      const first = FIRST_JOINT[side];
      const forward = side === 0 ? swing : -swing;
      this.angles.set(AT_REST, first);
      this.angles[first] = AT_REST[0] + walk.lean + SWING_SHOULDER * forward;
      this.angles[first + 3] = AT_REST[3] + SWING_ELBOW * Math.max(forward, 0);
    }
  }
}
