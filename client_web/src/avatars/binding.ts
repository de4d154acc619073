/**
 * Owns how the skin of a shipped model is bound to the bones of src/body: its arms parted among the
 * bones that share their twist, and each vertex marked with what it belongs to.
 */

import { BufferAttribute, BufferGeometry } from 'three';
import { BONE, BONE_COUNT, type SideBones, type Skeleton } from '../body/skeleton';
import { smoothstep } from '../body/turns';
import type { Numbers } from './glb';

const INFLUENCES = 4;

export interface Mesh {
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  readonly colours: Numbers | undefined;
  readonly tint: Numbers | undefined;
  /** For each vertex four bones of src/body, and their weights. */
  readonly bones: Float64Array;
  readonly weights: Float64Array;
  readonly indices: Float64Array;
  readonly count: number;
}

/** The mesh as the graphics card gets it. */
export function geometryOf(mesh: Mesh, skeleton: Skeleton): BufferGeometry {
  const geometry = new BufferGeometry();
  const { count } = mesh;
  const bones = new Uint8Array(4 * count);
  const weights = new Uint16Array(4 * count);
  const fade = new Uint8Array(4 * count);
  for (let vertex = 0; vertex < count; vertex += 1) bind(mesh, skeleton, vertex, bones, weights, fade);
  const colour = new Uint16Array(3 * count).fill(65535);
  paint(mesh, colour, fade);
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(mesh.positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(Float32Array.from(mesh.normals), 3));
  geometry.setAttribute('base', new BufferAttribute(colour, 3, true));
  geometry.setAttribute('bones', new BufferAttribute(bones, 4));
  geometry.setAttribute('weights', new BufferAttribute(weights, 4, true));
  geometry.setAttribute('kind', new BufferAttribute(fade, 4, true));
  geometry.setIndex(new BufferAttribute(Uint16Array.from(mesh.indices), 1));
  return geometry;
}

/** Writes colours, and which vertices take the person's: these keep of their own only the shading. */
function paint({ colours, tint, count }: Mesh, colour: Uint16Array, kind: Uint8Array): void {
  if (colours === undefined) return;
  const grey = (vertex: number) => {
    const at = colours.width * vertex;
    return (valueAt(colours.values, at) + valueAt(colours.values, at + 1) + valueAt(colours.values, at + 2)) / 3;
  };
  const tinted = (vertex: number) => valueAt(tint?.values, (tint?.width ?? 1) * vertex) > 0.5;
  let brightest = 1e-6;
  for (let vertex = 0; vertex < count; vertex += 1) {
    if (tinted(vertex)) brightest = Math.max(brightest, grey(vertex));
  }
  for (let vertex = 0; vertex < count; vertex += 1) {
    const own = tinted(vertex);
    for (let part = 0; part < 3; part += 1) {
      const value = own ? grey(vertex) / brightest : valueAt(colours.values, colours.width * vertex + part);
      colour[3 * vertex + part] = 65535 * Math.min(Math.max(value, 0), 1);
    }
    kind[4 * vertex + 3] = own ? 255 : 0;
  }
}

function valueAt(values: Float64Array | undefined, index: number): number {
  return values?.[index] ?? 0;
}

const SIDES = [BONE.left, BONE.right] as const;
const _shares = new Float64Array(BONE_COUNT);

/** Binds one vertex: its bones and weights, and how far it is left hand, right hand and head. */
function bind(
  mesh: Mesh,
  skeleton: Skeleton,
  vertex: number,
  bones: Uint8Array,
  weights: Uint16Array,
  kind: Uint8Array,
): void {
  _shares.fill(0);
  for (let slot = 4 * vertex; slot < 4 * vertex + 4; slot += 1) {
    const bone = mesh.bones[slot] ?? 0;
    _shares[bone] = (_shares[bone] ?? 0) + (mesh.weights[slot] ?? 0);
  }
  SIDES.forEach((side, index) => {
    const along = alongForearm(mesh, skeleton, vertex, side);
    kind[4 * vertex + index] = 255 * Math.min(handShare(side, along), 1);
    split(side.upperArm, side.upperArmRoot, 1 - smoothstep(0.05, 0.85, alongOf(mesh, skeleton, vertex, side.upperArm, side.lowerArm)));
    split(side.lowerArm, side.lowerArmEnd, smoothstep(0.1, 0.95, along));
  });
  const head = (_shares[BONE.head] ?? 0) + (_shares[BONE.left.eye] ?? 0) + (_shares[BONE.right.eye] ?? 0);
  kind[4 * vertex + 2] = 255 * Math.min(head, 1);
  keepStrongest(vertex, bones, weights);
}

function handShare(side: SideBones, along: number): number {
  let share = _shares[side.hand] ?? 0;
  for (let bone = side.fingers; bone < side.fingers + 15; bone += 1) share += _shares[bone] ?? 0;
  return share + 0.6 * smoothstep(0.2, 1, along) * (_shares[side.lowerArm] ?? 0);
}

function alongForearm(mesh: Mesh, skeleton: Skeleton, vertex: number, side: SideBones): number {
  return alongOf(mesh, skeleton, vertex, side.lowerArm, side.hand);
}

/** Where a vertex lies from one joint (0) to the next (1), along the arm. */
function alongOf(mesh: Mesh, skeleton: Skeleton, vertex: number, from: number, to: number): number {
  const start = skeleton.rest[3 * from] ?? 0;
  const end = skeleton.rest[3 * to] ?? 0;
  return ((mesh.positions[3 * vertex] ?? 0) - start) / (end - start || 1);
}

function split(from: number, to: number, share: number): void {
  const whole = _shares[from] ?? 0;
  _shares[to] = share * whole;
  _shares[from] = whole - share * whole;
}

function keepStrongest(vertex: number, bones: Uint8Array, weights: Uint16Array): void {
  let sum = 0;
  for (let slot = 0; slot < INFLUENCES; slot += 1) {
    let strongest = 0;
    for (let bone = 1; bone < BONE_COUNT; bone += 1) {
      if ((_shares[bone] ?? 0) > (_shares[strongest] ?? 0)) strongest = bone;
    }
    const weight = _shares[strongest] ?? 0;
    _shares[strongest] = 0;
    bones[4 * vertex + slot] = strongest;
    weights[4 * vertex + slot] = Math.round(65535 * weight);
    sum += Math.round(65535 * weight);
  }
  if (sum === 0) weights[4 * vertex] = sum = 65535;
  let left = 65535;
  for (let slot = INFLUENCES - 1; slot > 0; slot -= 1) {
    const weight = Math.round((65535 * (weights[4 * vertex + slot] ?? 0)) / sum);
    weights[4 * vertex + slot] = weight;
    left -= weight;
  }
  weights[4 * vertex] = left;
}

