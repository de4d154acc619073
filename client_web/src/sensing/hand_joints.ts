/** Owns the order of a hand's joints: WebXR's 25, as an XRHand iterates them. */

export type Side = 'left' | 'right';
export const SIDES: readonly [Side, Side] = ['left', 'right'];

export const HAND_JOINTS = [
  'wrist',
  'thumb-metacarpal',
  'thumb-phalanx-proximal',
  'thumb-phalanx-distal',
  'thumb-tip',
  'index-finger-metacarpal',
  'index-finger-phalanx-proximal',
  'index-finger-phalanx-intermediate',
  'index-finger-phalanx-distal',
  'index-finger-tip',
  'middle-finger-metacarpal',
  'middle-finger-phalanx-proximal',
  'middle-finger-phalanx-intermediate',
  'middle-finger-phalanx-distal',
  'middle-finger-tip',
  'ring-finger-metacarpal',
  'ring-finger-phalanx-proximal',
  'ring-finger-phalanx-intermediate',
  'ring-finger-phalanx-distal',
  'ring-finger-tip',
  'pinky-finger-metacarpal',
  'pinky-finger-phalanx-proximal',
  'pinky-finger-phalanx-intermediate',
  'pinky-finger-phalanx-distal',
  'pinky-finger-tip',
] as const;

export type HandJoint = (typeof HAND_JOINTS)[number];

/** A joint is a column-major 4×4 matrix, as `XRFrame.fillPoses` writes them. */
export const JOINT_SIZE = 16;
/** Where its position begins within it. */
export const JOINT_PLACE = 12;
