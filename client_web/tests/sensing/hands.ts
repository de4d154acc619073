/** Owns synthetic hands: 25 joints built from finger angles, as a headset would tell them. */

import { Matrix4, Quaternion, Vector3 } from 'three';
import { bonesFromAngles, BONES_SIZE } from '../../src/sensing/hand_angles';
import { HAND_JOINTS, JOINT_SIZE, type HandJoint, type Side } from '../../src/sensing/hand_joints';
import { PALM_SHARE } from '../../src/sensing/headset_palm';

const DIGITS = ['thumb', 'index-finger', 'middle-finger', 'ring-finger', 'pinky-finger'] as const;
/** Metres, in the palm's frame with +X to the little finger: where digits begin, by digit. */
const BASES: readonly (readonly [number, number])[] = [
  [-0.025, 0.05],
  [-0.028, -0.013],
  [0, -0.0152],
  [0.022, -0.01],
  [0.042, 0],
];
const LENGTHS: readonly (readonly [number, number, number])[] = [
  [0.045, 0.032, 0.025],
  [0.044, 0.025, 0.022],
  [0.048, 0.028, 0.023],
  [0.044, 0.027, 0.023],
  [0.035, 0.02, 0.02],
];
const KNUCKLE_M = 0.095;

const _matrix = new Matrix4();

/**
 * A hand with its palm at a place and with a rotation, and its fingers bent: 25 column-major
 * matrices. The middle knuckle lies on the palm's −Z, so that the palm is found exactly.
 */
export function handJoints(
  side: Side,
  place: Vector3,
  rotation: Quaternion,
  angles: ArrayLike<number>,
  scale = 1,
): Float32Array {
  const mirror = side === 'right' ? 1 : -1;
  const joints = new Float32Array(HAND_JOINTS.length * JOINT_SIZE);
  const bones = new Float64Array(BONES_SIZE);
  bonesFromAngles(side, angles, 0, bones);
  const put = (name: string, x: number, y: number, z: number): void => {
    const at = new Vector3(x, y, z).multiplyScalar(scale).applyQuaternion(rotation).add(place);
    const joint = HAND_JOINTS.indexOf(name as HandJoint);
    _matrix.makeRotationFromQuaternion(rotation).setPosition(at).toArray(joints, JOINT_SIZE * joint);
  };
  const wrist = PALM_SHARE * KNUCKLE_M;
  put('wrist', 0, 0, wrist);
  DIGITS.forEach((digit, index) => {
    const [x, z] = BASES[index] ?? [0, 0];
    const names =
      digit === 'thumb'
        ? ['metacarpal', 'phalanx-proximal', 'phalanx-distal', 'tip']
        : ['phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip'];
    if (digit !== 'thumb') put(`${digit}-metacarpal`, 0.4 * mirror * x, 0, 0.5 * wrist);
    const at = [mirror * x, 0, z];
    put(`${digit}-${names[0]}`, at[0] ?? 0, 0, at[2] ?? 0);
    for (let bone = 0; bone < 3; bone += 1) {
      for (let axis = 0; axis < 3; axis += 1) {
        at[axis] = (at[axis] ?? 0) + (LENGTHS[index]?.[bone] ?? 0) * (bones[9 * index + 3 * bone + axis] ?? 0);
      }
      put(`${digit}-${names[bone + 1]}`, at[0] ?? 0, at[1] ?? 0, at[2] ?? 0);
    }
  });
  return joints;
}
