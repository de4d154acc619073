/**
 * Owns the bones of a drawn body: their names, the record of a model's rest skeleton, and the layout
 * of what the solver writes.
 *
 * A rest skeleton is the T-pose in the project's axes: right-handed, +Y up, facing −Z, feet on
 * y = 0, metres. VRM 1.0 models face +Z, so they are turned half around Y when they come in.
 */

export const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const;
export const THUMB = ['Metacarpal', 'Proximal', 'Distal'] as const;
export const FINGER = ['Proximal', 'Intermediate', 'Distal'] as const;
const TRUNK = ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head', 'leftEye', 'rightEye'] as const;
const LIMBS = [
  'Shoulder',
  'UpperArm',
  'LowerArm',
  'Hand',
  'UpperLeg',
  'LowerLeg',
  'Foot',
  'Toes',
] as const;
export const SIDES = ['left', 'right'] as const;

/** VRM's humanoid bones but for the jaw, and then four of ours that share the twist of the arms. */
export const HUMANOID_BONES: readonly string[] = [
  ...TRUNK,
  ...SIDES.flatMap((side) => LIMBS.map((limb) => side + limb)),
  ...SIDES.flatMap((side) =>
    FINGERS.flatMap((finger) =>
      (finger === 'Thumb' ? THUMB : FINGER).map((part) => side + finger + part),
    ),
  ),
];

/**
 * The skin near a shoulder turns less than the elbow does, that near a wrist more than the elbow:
 * models whose skin is parted among these bones do not wring out like a cloth.
 */
export const TWIST_BONES = [
  'leftUpperArmRoot',
  'leftLowerArmEnd',
  'rightUpperArmRoot',
  'rightLowerArmEnd',
] as const;

export const DRAWN_BONES: readonly string[] = [...HUMANOID_BONES, ...TWIST_BONES];
export const HUMANOID_COUNT = HUMANOID_BONES.length;
export const BONE_COUNT = DRAWN_BONES.length;

const INDEX: ReadonlyMap<string, number> = new Map(
  DRAWN_BONES.map((name, index) => [name, index]),
);

/** Index of a bone, or −1 for a name that is none. */
export function boneIndex(name: string): number {
  return INDEX.get(name) ?? -1;
}

export function known(name: string): number {
  const index = boneIndex(name);
  if (index < 0) throw new RangeError(`${name} is no bone of a body`);
  return index;
}

/** Indices of one side's bones. */
function sideOf(side: 'left' | 'right') {
  return {
    shoulder: known(`${side}Shoulder`),
    upperArm: known(`${side}UpperArm`),
    upperArmRoot: known(`${side}UpperArmRoot`),
    lowerArm: known(`${side}LowerArm`),
    lowerArmEnd: known(`${side}LowerArmEnd`),
    hand: known(`${side}Hand`),
    upperLeg: known(`${side}UpperLeg`),
    lowerLeg: known(`${side}LowerLeg`),
    foot: known(`${side}Foot`),
    toes: known(`${side}Toes`),
    eye: known(`${side}Eye`),
    /** The first of fifteen: thumb, index, middle, ring, little, each from the root to the tip. */
    fingers: known(`${side}ThumbMetacarpal`),
    middle: known(`${side}MiddleProximal`),
  } as const;
}

export const BONE = {
  hips: known('hips'),
  spine: known('spine'),
  chest: known('chest'),
  upperChest: known('upperChest'),
  neck: known('neck'),
  head: known('head'),
  left: sideOf('left'),
  right: sideOf('right'),
} as const;

export type SideBones = (typeof BONE)['left'];

/**
 * What the solver writes for each bone: where its origin is (xyz, world metres), how it is turned
 * from the T-pose (xyzw), and how much longer it is along its axis and across it.
 * A point p of the model at rest goes to
 *     position + rotation · (across · v + (along − across) · (axis · v) · axis),   v = p − rest.
 */
export const BONE_SIZE = 9;
export const BONES_SIZE = BONE_SIZE * BONE_COUNT;
export const TURN = 3;
export const ALONG = 7;
export const ACROSS = 8;

export interface Skeleton {
  /** Where each bone begins at rest, xyz. */
  readonly rest: Float64Array;
  /** Unit direction in which a bone is stretched, xyz: along limbs, across the trunk. */
  readonly axis: Float64Array;
  /** Whether the model has the bone itself. */
  readonly present: Uint8Array;
  /** The bone whose turn a bone takes: another one where the model has no bone further up. */
  readonly carrier: Uint8Array;
  /** Turns that make the fingers at rest the protocol's flat hand, xyzw; none for other bones. */
  readonly straight: Float64Array;
  /** Between the eyes, xyz. */
  readonly eyes: Float64Array;
  /** Centres of the palms, left then right, xyz. */
  readonly palms: Float64Array;
  /** Wrist to the tip of the middle finger. */
  readonly handLength: number;
}

/** The bones that VRM 1.0 asks of every humanoid. */
export const REQUIRED_BONES: readonly string[] = [
  'hips',
  'spine',
  'head',
  ...SIDES.flatMap((side) =>
    ['UpperArm', 'LowerArm', 'Hand', 'UpperLeg', 'LowerLeg', 'Foot'].map((limb) => side + limb),
  ),
];
