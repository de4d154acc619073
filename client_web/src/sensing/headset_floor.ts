/**
 * Owns where a headset's floor lies in the world. Teleport and turning move the floor below the
 * person and never touch a height, so whoever sits stays seated. Metres, radians, +Y up.
 */

import { SENSOR_SIZE } from './sensors';

/** Where someone stands, and which way they face. */
export interface Standing {
  readonly x: number;
  readonly z: number;
  /** About +Y, to the left; 0 faces −Z. */
  readonly yaw: number;
}

type Floats = ArrayLike<number>;

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

/** How far a rotation at `offset` (xyzw) turns about +Y: its twist, sound when one looks straight down. */
export function yawOf(rotation: Floats, offset = 0): number {
  const y = at(rotation, offset + 1);
  const w = at(rotation, offset + 3);
  return y * y + w * w < 1e-12 ? 0 : 2 * Math.atan2(y, w);
}

/** world_from_floor: a turn about +Y and a shift along the floor. */
export class Floor {
  x = 0;
  z = 0;
  yaw = 0;

  /** Writes a pose (position, rotation xyzw) of the floor's frame as one of the world's. */
  poseToWorld(pose: Floats, offset: number, out: Float64Array, outOffset: number): void {
    this.pointToWorld(pose, offset, out, outOffset);
    const sine = Math.sin(this.yaw / 2);
    const cosine = Math.cos(this.yaw / 2);
    const x = at(pose, offset + 3);
    const y = at(pose, offset + 4);
    const z = at(pose, offset + 5);
    const w = at(pose, offset + 6);
    out[outOffset + 3] = cosine * x + sine * z;
    out[outOffset + 4] = cosine * y + sine * w;
    out[outOffset + 5] = cosine * z - sine * x;
    out[outOffset + 6] = cosine * w - sine * y;
  }

  /** Writes a point; `out` may be the input. */
  pointToWorld(point: Floats, offset: number, out: Float64Array, outOffset: number): void {
    const y = at(point, offset + 1);
    this.directionToWorld(point, offset, out, outOffset);
    out[outOffset] = (out[outOffset] ?? 0) + this.x;
    out[outOffset + 1] = y;
    out[outOffset + 2] = (out[outOffset + 2] ?? 0) + this.z;
  }

  directionToWorld(direction: Floats, offset: number, out: Float64Array, outOffset: number): void {
    const sine = Math.sin(this.yaw);
    const cosine = Math.cos(this.yaw);
    const x = at(direction, offset);
    const z = at(direction, offset + 2);
    out[outOffset] = cosine * x + sine * z;
    out[outOffset + 1] = at(direction, offset + 1);
    out[outOffset + 2] = cosine * z - sine * x;
  }

  /** Lays the floor so that eyes at `eyes` (a pose of the floor's frame) stand as asked. */
  place(eyes: Floats, { x, z, yaw }: Standing): void {
    this.yaw = yaw - yawOf(eyes, 3);
    this.moveTo(eyes, x, z);
  }

  /** Turns the world about the eyes. */
  turn(eyes: Floats, angle: number): void {
    this.directionToWorld(eyes, 0, _point, 0);
    const x = at(_point, 0) + this.x;
    const z = at(_point, 2) + this.z;
    this.yaw += angle;
    this.moveTo(eyes, x, z);
  }

  /** Puts the eyes above a place of the world's floor. */
  moveTo(eyes: Floats, x: number, z: number): void {
    this.directionToWorld(eyes, 0, _point, 0);
    this.x = x - at(_point, 0);
    this.z = z - at(_point, 2);
  }

  /** Where eyes at a pose of the floor's frame stand in the world. */
  standing(eyes: Floats): Standing {
    this.poseToWorld(eyes, 0, _pose, 0);
    return { x: at(_pose, 0), z: at(_pose, 2), yaw: this.yaw + yawOf(eyes, 3) };
  }
}

const _point = new Float64Array(3);
const _pose = new Float64Array(SENSOR_SIZE);
