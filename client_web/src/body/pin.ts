/**
 * Owns one's own body at this very moment: the newest body that the server made, moved so that the
 * eyes and palms are exactly where the sensors are now, and not where they were a round trip ago.
 *
 * The body shifts with the eyes. Of each tracked hand the arm is bent anew between its shoulder and
 * the wrist that the palm asks for: two bones and a hinge about the upper arm's X, which is carried
 * along the shortest way, so the elbow stays on its side. Where the palm is out of reach the arm points
 * at it, stretched. Poses as in motion/bones.ts; nothing allocates.
 */

import { Quaternion, Vector3 } from 'three';
import { LENGTH, PLACE, PLACES_SIZE, ROTATION, type Floats, type WritableFloats } from '../motion/bones';
import { placesFromPose } from '../motion/kinematics';

/** Of the sensors what is needed here (see sensing/sensors.ts). */
export interface PinTarget {
  /** Bit 0 head, 1 left hand, 2 right hand. */
  readonly tracked: number;
  /** Eyes, left palm, right palm: position xyz, rotation xyzw each; world. */
  readonly poses: Floats;
}

const ARMS = [
  {
    shoulder: PLACE.leftShoulder,
    wrist: PLACE.leftWrist,
    upper: ROTATION.leftUpperArm,
    lower: ROTATION.leftLowerArm,
    hand: ROTATION.leftHand,
  },
  {
    shoulder: PLACE.rightShoulder,
    wrist: PLACE.rightWrist,
    upper: ROTATION.rightUpperArm,
    lower: ROTATION.rightLowerArm,
    hand: ROTATION.rightHand,
  },
] as const;
type Arm = (typeof ARMS)[number];

const POSE = 7;
/**
 * The head may be so far ahead of the body in its turning: a round trip of a quick turn. What is
 * beyond comes from a jump, and the whole body turns with it.
 */
const AHEAD_RAD = 0.17;
/** An arm is never folded quite flat. */
const FOLDED_M = 1e-4;
const TINY = 1e-9;

const _places = new Float64Array(PLACES_SIZE);
const _turn = new Quaternion();
const _rotation = new Quaternion();
const _point = new Vector3();
const _eyes = new Vector3();
const _shoulder = new Vector3();
const _wrist = new Vector3();
const _old = new Vector3();
const _axis = new Vector3();
const _hinge = new Vector3();
const _bone = new Vector3();
const _aim = new Vector3();

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

/** Moves a body in place to where the sensors are. `lengths` are the person's eleven, metres. */
export function pinBody(target: PinTarget, lengths: Floats, pose: WritableFloats): void {
  const { tracked, poses } = target;
  if (tracked & 1) pinEyes(poses, lengths, pose);
  else placesFromPose(lengths, pose, _places);
  for (let side = 0; side < 2; side += 1) {
    const arm = ARMS[side === 0 ? 0 : 1];
    if (tracked & (2 << side)) pinArm(arm, poses, POSE * (side + 1), lengths, pose);
  }
}

/** Turns the head as tracked, and shifts the body so that the eyes are where they are. */
function pinEyes(poses: Floats, lengths: Floats, pose: WritableFloats): void {
  turnAlong(poses, pose);
  copyRotation(poses, 3, pose, ROTATION.head);
  placesFromPose(lengths, pose, _places);
  _eyes.set(at(poses, 0), at(poses, 1), at(poses, 2));
  _point.fromArray(_places, PLACE.eyes);
  _eyes.sub(_point);
  for (let axis = 0; axis < 3; axis += 1) {
    const shift = _eyes.getComponent(axis);
    pose[axis] = at(pose, axis) + shift;
    for (let place = axis; place < PLACES_SIZE; place += 3) _places[place] = at(_places, place) + shift;
  }
}

/** Copies a sensor's rotation, which is a unit only nearly; leaves it in _rotation. */
function copyRotation(from: Floats, offset: number, pose: WritableFloats, rotation: number): void {
  _rotation.set(at(from, offset), at(from, offset + 1), at(from, offset + 2), at(from, offset + 3));
  _rotation.normalize().toArray(pose as number[], rotation);
}

/** Turns the whole body about +Y by what the head has turned beyond AHEAD_RAD since the body was made. */
function turnAlong(poses: Floats, pose: WritableFloats): void {
  _turn.fromArray(pose as number[], ROTATION.head).conjugate();
  _rotation.set(at(poses, 3), at(poses, 4), at(poses, 5), at(poses, 6)).multiply(_turn);
  if (_rotation.w < 0) _rotation.set(-_rotation.x, -_rotation.y, -_rotation.z, -_rotation.w);
  const yaw = Math.abs(_rotation.y) + Math.abs(_rotation.w) < TINY ? 0 : 2 * Math.atan2(_rotation.y, _rotation.w);
  const beyond = Math.sign(yaw) * Math.max(Math.abs(yaw) - AHEAD_RAD, 0);
  if (beyond === 0) return;
  _turn.set(0, Math.sin(beyond / 2), 0, Math.cos(beyond / 2));
  for (const rotation of TURNED) turnBone(pose, rotation);
}

const TURNED = [
  ROTATION.chest, ROTATION.upperChest, ROTATION.leftUpperArm, ROTATION.leftLowerArm, ROTATION.leftHand,
  ROTATION.rightUpperArm, ROTATION.rightLowerArm, ROTATION.rightHand,
] as const;

/** Turns one bone by _turn, in the world. */
function turnBone(pose: WritableFloats, rotation: number): void {
  _rotation.fromArray(pose as number[], rotation).premultiply(_turn).normalize().toArray(pose as number[], rotation);
}

function pinArm(arm: Arm, poses: Floats, palm: number, lengths: Floats, pose: WritableFloats): void {
  copyRotation(poses, palm + 3, pose, arm.hand); // and leaves it in _rotation
  _wrist.set(0, 0, at(lengths, LENGTH.palm)).applyQuaternion(_rotation);
  _wrist.add(_point.set(at(poses, palm), at(poses, palm + 1), at(poses, palm + 2)));
  _shoulder.fromArray(_places, arm.shoulder);
  _axis.subVectors(_wrist, _shoulder);
  const far = _axis.length();
  if (far < TINY) return; // a wrist in the shoulder: no direction is better than the old one
  _axis.divideScalar(far);
  carryAlong(arm, pose);
  bend(arm, far, at(lengths, LENGTH.upperArm), at(lengths, LENGTH.forearm), pose);
}

/** Turns the arm the shortest way from where its wrist was to _axis; leaves the hinge in _hinge. */
function carryAlong(arm: Arm, pose: WritableFloats): void {
  _old.fromArray(_places, arm.wrist).sub(_shoulder);
  if (_old.length() > TINY) {
    _turn.setFromUnitVectors(_old.normalize(), _axis);
    turnBone(pose, arm.upper);
    turnBone(pose, arm.lower);
  }
  _rotation.fromArray(pose as number[], arm.upper);
  _hinge.set(1, 0, 0).applyQuaternion(_rotation).addScaledVector(_axis, -_axis.dot(_hinge));
  // Only an arm folded flat has its hinge along the axis; then any hinge across will do.
  if (_hinge.length() < 1e-6) _hinge.set(-_axis.y, _axis.x, 0).addScaledVector(_axis, TINY);
  _hinge.normalize();
}

/** Lays both bones into the plane across _hinge, so that they end `far` along _axis, or as near as they can. */
function bend(arm: Arm, far: number, upper: number, lower: number, pose: WritableFloats): void {
  const reach = Math.min(Math.max(far, Math.abs(upper - lower) + FOLDED_M), upper + lower);
  const along = (upper * upper - lower * lower + reach * reach) / (2 * reach);
  const out = Math.sqrt(Math.max(upper * upper - along * along, 0));
  // The elbow of a flexed arm lies to this side: flexion turns the forearm about +X.
  _aim.crossVectors(_axis, _hinge).multiplyScalar(out).addScaledVector(_axis, along);
  _point.copy(_axis).multiplyScalar(reach).sub(_aim); // from the elbow to the wrist
  aimBone(pose, arm.upper, _aim);
  aimBone(pose, arm.lower, _point);
}

/** Turns a bone the shortest way so that its −Y points along a direction. */
function aimBone(pose: WritableFloats, rotation: number, direction: Vector3): void {
  _rotation.fromArray(pose as number[], rotation);
  _bone.set(0, -1, 0).applyQuaternion(_rotation).normalize();
  _turn.setFromUnitVectors(_bone, _old.copy(direction).normalize());
  turnBone(pose, rotation);
}
