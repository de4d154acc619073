/**
 * Owns the bones of a drawn body: their names, how a model's rest skeleton is kept, and the layout
 * of what the solver writes.
 *
 * A rest skeleton is the T-pose in the project's axes: right-handed, +Y up, facing −Z, feet on
 * y = 0, metres. VRM 1.0 models face +Z, so they are turned half around Y when they come in.
 */

import { Quaternion, Vector3 } from 'three';
import { shortest } from './turns';

const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const;
const THUMB = ['Metacarpal', 'Proximal', 'Distal'] as const;
const FINGER = ['Proximal', 'Intermediate', 'Distal'] as const;
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
const SIDES = ['left', 'right'] as const;

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

function known(name: string): number {
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

/** What only the skin tells better than the bones. */
export interface SkinMarks {
  readonly palms: ArrayLike<number>;
  readonly handLength: number;
}

export class SkeletonError extends Error {}

/** The bones that VRM 1.0 asks of every humanoid. */
export const REQUIRED_BONES: readonly string[] = [
  'hips',
  'spine',
  'head',
  ...SIDES.flatMap((side) =>
    ['UpperArm', 'LowerArm', 'Hand', 'UpperLeg', 'LowerLeg', 'Foot'].map((limb) => side + limb),
  ),
];

type Places = Map<string, readonly [number, number, number]>;

function between(
  a: readonly [number, number, number],
  b: readonly [number, number, number],
  t: number,
): [number, number, number] {
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])];
}

function placeOf(places: Places, name: string): readonly [number, number, number] {
  const place = places.get(name);
  if (place === undefined) throw new SkeletonError(`the model has no bone ${name}`);
  if (!place.every(Number.isFinite)) throw new SkeletonError(`the bone ${name} is nowhere`);
  return place;
}

/** Puts the bones that a model may leave out where a body has them. */
function completed(given: ReadonlyMap<string, readonly [number, number, number]>): Places {
  const places: Places = new Map(given);
  const place = (name: string) => placeOf(places, name);
  const fill = (name: string, make: () => [number, number, number]) => {
    if (!places.has(name)) places.set(name, make());
  };
  for (const name of REQUIRED_BONES) place(name);
  const shoulders = between(place('leftUpperArm'), place('rightUpperArm'), 0.5);
  fill('neck', () => between(shoulders, place('head'), 0.35));
  fill('chest', () => between(place('spine'), place('neck'), 0.3));
  fill('upperChest', () => between(place('chest'), place('neck'), 0.4));
  for (const side of SIDES) {
    const sign = side === 'left' ? -1 : 1;
    const size = Math.abs(place(`${side}LowerArm`)[0] - place(`${side}Hand`)[0]) || 0.25;
    const head = place('head');
    fill(`${side}Eye`, () => [0.13 * sign * size, head[1] + 0.28 * size, head[2] - 0.35 * size]);
    fill(`${side}Shoulder`, () => between(shoulders, place(`${side}UpperArm`), 0.2));
    const foot = place(`${side}Foot`);
    fill(`${side}Toes`, () => [foot[0], 0.15 * foot[1], foot[2] - 0.5 * size]);
    fillFingers(side, sign, size, place(`${side}Hand`), fill);
  }
  return places;
}

function fillFingers(
  side: string,
  sign: number,
  size: number,
  hand: readonly [number, number, number],
  fill: (name: string, make: () => [number, number, number]) => void,
): void {
  FINGERS.forEach((finger, row) => {
    const thumb = finger === 'Thumb';
    (thumb ? THUMB : FINGER).forEach((part, step) => {
      const along = thumb ? 0.15 + 0.12 * step : 0.38 + 0.12 * step;
      const aside = thumb ? -0.1 - 0.12 * step : 0.09 * (row - 2.5);
      const at: [number, number, number] = [hand[0] + sign * along * size, hand[1], hand[2] + aside * size];
      fill(side + finger + part, () => at);
    });
  });
}

/** From where a bone's axis leads to: its child, or straight on. */
function axisTo(name: string): string | undefined {
  for (const side of SIDES) {
    if (name === `${side}Shoulder`) return `${side}UpperArm`;
    if (name.startsWith(`${side}UpperArm`)) return `${side}LowerArm`;
    if (name.startsWith(`${side}LowerArm`)) return `${side}Hand`;
    if (name === `${side}UpperLeg`) return `${side}LowerLeg`;
    if (name === `${side}LowerLeg`) return `${side}Foot`;
  }
  return name === 'neck' ? 'head' : undefined;
}

/** Which bone moves what a missing bone would have moved: the next one down that the model has. */
function carrierOf(name: string, present: (name: string) => boolean): string {
  if (name === 'chest' && !present('upperChest')) return 'upperChest';
  if (name === 'spine' && !present('chest') && !present('upperChest')) return 'upperChest';
  return name;
}

/**
 * A skeleton from where a model's bones begin at rest, in the project's axes. What a model may leave
 * out is put where a body has it; throws SkeletonError when a required bone is missing.
 */
export function skeletonFrom(
  given: ReadonlyMap<string, readonly [number, number, number]>,
  marks?: SkinMarks,
): Skeleton {
  const places = completed(given);
  const rest = new Float64Array(3 * BONE_COUNT);
  const axis = new Float64Array(3 * BONE_COUNT);
  const present = new Uint8Array(BONE_COUNT);
  const carrier = new Uint8Array(BONE_COUNT);
  DRAWN_BONES.forEach((name, bone) => {
    const own = name.replace(/(UpperArm)Root$|(LowerArm)End$/, '$1$2');
    rest.set(placeOf(places, own), 3 * bone);
    present[bone] = given.has(own) ? 1 : 0;
    carrier[bone] = known(carrierOf(name, (other) => given.has(other)));
    axis[3 * bone] = 1;
    const to = axisTo(name);
    if (to !== undefined) setAxis(axis, 3 * bone, placeOf(places, own), placeOf(places, to));
  });
  const eyes = Float64Array.from(
    between(placeOf(places, 'leftEye'), placeOf(places, 'rightEye'), 0.5),
  );
  const handLength = marks?.handLength ?? handLengthOf(places);
  const palms = Float64Array.from(marks?.palms ?? palmsOf(places, handLength));
  const straight = straightened(places);
  return { rest, axis, present, carrier, straight, eyes, palms, handLength };
}

function setAxis(
  axis: Float64Array,
  offset: number,
  from: readonly [number, number, number],
  to: readonly [number, number, number],
): void {
  const way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]] as const;
  const length = Math.hypot(...way);
  if (length < 1e-6) return;
  way.forEach((part, at) => {
    axis[offset + at] = part / length;
  });
}

/** For each bone of a finger the turn from where it points at rest to where it should. */
function straightened(places: Places): Float64Array {
  const result = new Float64Array(4 * BONE_COUNT);
  for (let bone = 0; bone < BONE_COUNT; bone += 1) result[4 * bone + 3] = 1;
  const turn = new Quaternion();
  for (const side of SIDES) {
    const sign = side === 'left' ? -1 : 1;
    for (const finger of FINGERS) {
      const thumb = finger === 'Thumb';
      const names = (thumb ? THUMB : FINGER).map((part) => side + finger + part);
      const wanted = new Vector3(sign, 0, thumb ? -1 : 0).normalize();
      names.forEach((name, at) => {
        const [from, to] = names.slice(Math.min(at, 1)) as [string, string];
        const way = new Vector3(...placeOf(places, to)).sub(new Vector3(...placeOf(places, from)));
        if (way.length() > 1e-5) shortest(way.normalize(), wanted, turn).toArray(result, 4 * known(name));
      });
    }
  }
  return result;
}

function handLengthOf(places: Places): number {
  const wrist = placeOf(places, 'leftHand');
  const [, middle, tip] = ['Proximal', 'Intermediate', 'Distal'].map((part) =>
    placeOf(places, `leftMiddle${part}`),
  );
  if (middle === undefined || tip === undefined) return 0.19;
  const last = Math.hypot(tip[0] - middle[0], tip[1] - middle[1], tip[2] - middle[2]);
  return Math.abs(tip[0] - wrist[0]) + 0.95 * last || 0.19;
}

/** A palm's centre lies this share of the hand's length from the wrist: 0.08 m of 0.19 m. */
export const PALM_SHARE = 0.08 / 0.19;

function palmsOf(places: Places, handLength: number): number[] {
  return SIDES.flatMap((side) => {
    const wrist = placeOf(places, `${side}Hand`);
    const sign = side === 'left' ? -1 : 1;
    return [wrist[0] + sign * PALM_SHARE * handLength, wrist[1], wrist[2]];
  });
}
