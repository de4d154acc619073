/** Owns poses and motions for the tests of bodies: seeded, within and beyond what people do. */

import { DEFAULT_LENGTHS, PLACES_SIZE, POSE_SIZE, type Floats } from '../../src/motion/bones';
import { placesFromPose, poseFromAngles } from '../../src/motion/kinematics';
import { Body } from '../../src/body/solve';
import type { Skeleton } from '../../src/body/skeleton';

export interface Posture {
  readonly chest: readonly [x: number, y: number, z: number];
  /** Radians: turn about the vertical, lean forward, lean to the right. */
  readonly turn?: number;
  readonly lean?: number;
  readonly tilt?: number;
  readonly nod?: number;
  readonly look?: number;
  /** Fifteen angles; hanging arms unless given. */
  readonly angles?: readonly number[];
}

export const HANGING: readonly number[] = new Array<number>(15).fill(0);

/** Axis-angle turns about Y, X, Z, one after the other, as a quaternion. */
export function turned(y: number, x: number, z: number): [number, number, number, number] {
  const [sy, cy, sx, cx, sz, cz] = [y, x, z].flatMap((a) => [Math.sin(a / 2), Math.cos(a / 2)]) as [
    number, number, number, number, number, number,
  ];
  return [
    cy * sx * cz + sy * cx * sz,
    sy * cx * cz - cy * sx * sz,
    cy * cx * sz - sy * sx * cz,
    cy * cx * cz + sy * sx * sz,
  ];
}

export function poseOf(posture: Posture, pose: Float64Array = new Float64Array(POSE_SIZE)): Float64Array {
  const { chest, turn = 0, lean = 0, tilt = 0, nod = 0, look = 0, angles = HANGING } = posture;
  const worldFromChest = [...chest, ...turned(turn, -lean, -tilt)];
  poseFromAngles(worldFromChest, turned(turn + look, -nod, 0), angles, 0, pose);
  return pose;
}

const _places = new Float64Array(PLACES_SIZE);

/** One person, solved frame by frame. */
export class Person {
  readonly body = new Body();
  readonly places = new Float64Array(PLACES_SIZE);
  readonly pose = new Float64Array(POSE_SIZE);

  constructor(
    readonly skeleton: Skeleton,
    public lengths: Floats = DEFAULT_LENGTHS,
  ) {}

  show(posture: Posture, passedS = 1 / 60, fingers?: Floats, known = 0): this {
    poseOf(posture, this.pose);
    return this.showPose(this.pose, passedS, fingers, known);
  }

  showPose(pose: Floats, passedS = 1 / 60, fingers?: Floats, known = 0): this {
    placesFromPose(this.lengths, pose, this.places);
    this.body.solve(this.skeleton, this.lengths, pose, this.places, fingers, known, passedS);
    return this;
  }
}

/** The chest's height at which a person of these lengths stands upright. */
export function uprightChest(lengths: Floats = DEFAULT_LENGTHS): number {
  placesFromPose(lengths, poseOf({ chest: [0, 0, 0] }), _places);
  return (lengths[10] ?? 0) - (_places[10] ?? 0);
}

/** Joint angles within the limits, mostly in their middle. */
export function someAngles(next: () => number): number[] {
  const D = Math.PI / 180;
  const between = (low: number, high: number) => (low + (high - low) * next()) * D;
  const arm = () => [
    between(-40, 170),
    between(-30, 120),
    between(-70, 60),
    between(0, 140),
    between(-80, 80),
    between(-60, 70),
    between(-25, 15),
  ];
  return [between(-35, 35), ...arm(), ...arm()];
}
