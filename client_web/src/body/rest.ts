/** Owns how a skeleton is made from where a model's bones begin, also where it leaves some out. */

import { Quaternion, Vector3 } from 'three';
import {
  BONE_COUNT,
  DRAWN_BONES,
  FINGER,
  FINGERS,
  known,
  REQUIRED_BONES,
  SIDES,
  THUMB,
  type Skeleton,
} from './skeleton';
import { shortest } from './turns';

/** What only the skin tells better than the bones. */
export interface SkinMarks {
  readonly palms: ArrayLike<number>;
  readonly handLength: number;
}

export class SkeletonError extends Error {}

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
