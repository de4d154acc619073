/**
 * Owns what lies under the pointer: the ray behind a point of the picture, and the first thing it
 * meets, the floor or a person. People are a column up to the chest and a ball for the head.
 */

import { Vector3, type PerspectiveCamera } from 'three';
import { rayThrough } from './first_person';

/** One person as far as a ray is concerned; world metres. */
export interface Figure {
  placeOf(place: 'chest' | 'eyes', out: Vector3): Vector3;
}

const COLUMN_M = 0.19;
const HEAD_M = 0.125;
/** From the eyes towards the chest's axis: the middle of the head. */
const BEHIND_EYES = 0.6;
/** Nearer than this is one's own hand. */
const NEAREST_M = 0.3;
const FURTHEST_M = 60;

const _chest = new Vector3();
const _eyes = new Vector3();

export class Aim {
  private nearest = 0;
  private own = 0;
  private asked: Float64Array = new Float64Array(6);

  /** `crowd`: everyone drawn; `ownId`: who is never hit. */
  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly crowd: { each(visit: (figure: Figure, id: number) => void): void },
    private readonly ownId: () => number,
  ) {}

  /** Writes origin and unit direction, world, of the ray behind a point of the picture (−1…1). */
  ray(x: number, y: number, out: Float64Array): void {
    rayThrough(this.camera, x, y, out);
  }

  /** Writes the first point that a ray meets; false where it meets nothing within reach. */
  hit(ray: Float64Array, out: Float64Array): boolean {
    this.nearest = towardsFloor(ray);
    this.own = this.ownId();
    this.asked = ray;
    this.crowd.each(this.meet);
    const { nearest } = this;
    if (nearest > FURTHEST_M) return false;
    for (let axis = 0; axis < 3; axis += 1) {
      out[axis] = (ray[axis] ?? 0) + nearest * (ray[3 + axis] ?? 0);
    }
    return true;
  }

  private readonly meet = (figure: Figure, id: number): void => {
    if (id !== this.own) this.nearest = Math.min(this.nearest, towards(figure, this.asked));
  };
}

/** How far along the ray the floor is; infinity: never. */
function towardsFloor(ray: Float64Array): number {
  const down = -(ray[4] ?? 0);
  const height = ray[1] ?? 0;
  return down > 1e-6 && height > 0 ? height / down : Number.POSITIVE_INFINITY;
}

function towards(figure: Figure, ray: Float64Array): number {
  figure.placeOf('chest', _chest);
  figure.placeOf('eyes', _eyes);
  const x = _eyes.x + BEHIND_EYES * (_chest.x - _eyes.x);
  const z = _eyes.z + BEHIND_EYES * (_chest.z - _eyes.z);
  const head = towardsBall(ray, x, _eyes.y, z, HEAD_M);
  return Math.min(head, towardsColumn(ray, _chest.x, _chest.z, _chest.y + 0.08, COLUMN_M));
}

function towardsBall(ray: Float64Array, x: number, y: number, z: number, radius: number): number {
  const ox = (ray[0] ?? 0) - x;
  const oy = (ray[1] ?? 0) - y;
  const oz = (ray[2] ?? 0) - z;
  const along = ox * (ray[3] ?? 0) + oy * (ray[4] ?? 0) + oz * (ray[5] ?? 0);
  const inside = along * along - (ox * ox + oy * oy + oz * oz) + radius * radius;
  const far = -along - Math.sqrt(Math.max(inside, 0));
  return inside > 0 && far > NEAREST_M ? far : Number.POSITIVE_INFINITY;
}

/** An upright column from the floor to `top`: its side, or the disc that covers it. */
function towardsColumn(ray: Float64Array, x: number, z: number, top: number, radius: number): number {
  const ox = (ray[0] ?? 0) - x;
  const oz = (ray[2] ?? 0) - z;
  const dx = ray[3] ?? 0;
  const dy = ray[4] ?? 0;
  const dz = ray[5] ?? 0;
  const height = ray[1] ?? 0;
  const level = dx * dx + dz * dz;
  const along = ox * dx + oz * dz;
  const inside = along * along - level * (ox * ox + oz * oz - radius * radius);
  if (level > 1e-9 && inside > 0) {
    const far = (-along - Math.sqrt(inside)) / level;
    const y = height + far * dy;
    if (far > NEAREST_M && y >= 0 && y <= top) return far;
  }
  if (dy >= -1e-9) return Number.POSITIVE_INFINITY;
  const far = (top - height) / dy;
  const within = (ox + far * dx) ** 2 + (oz + far * dz) ** 2 < radius * radius;
  return far > NEAREST_M && within ? far : Number.POSITIVE_INFINITY;
}
