/**
 * Owns a shipped model as its files hold it: one skeleton, and a mesh for each level of detail, turned
 * into the project's axes.
 */

import type { BufferGeometry } from 'three';
import { boneIndex, BONE, type Skeleton } from '../body/skeleton';
import { PALM_SHARE, skeletonFrom } from '../body/rest';
import { geometryOf, type Mesh } from './binding';
import { GlbError, isList, isObject, numberOf, objectAt, readGlb, readNumbers } from './glb';
import type { Glb, Json, Numbers } from './glb';

export interface Model {
  readonly skeleton: Skeleton;
  /** From the most detailed to the plainest. */
  readonly levels: readonly BufferGeometry[];
}

/** Metres around the palm's place along the hand where its skin is looked for. */
const PALM_SLICE_M = 0.012;

type Vector = readonly [number, number, number];

/** A model from the files of its levels, the most detailed first. Throws GlbError or SkeletonError. */
export function readModel(files: readonly Uint8Array[]): Model {
  const glbs = files.map(readGlb);
  const [first] = glbs;
  if (first === undefined) throw new GlbError('a model needs a file');
  const rest = restPlaces(first);
  const meshes = glbs.map(readMesh);
  const bare = skeletonFrom(rest);
  const marks = marksOf(meshes[0] as Mesh, bare);
  const skeleton = skeletonFrom(rest, marks);
  return { skeleton, levels: meshes.map((mesh) => geometryOf(mesh, skeleton)) };
}

function translationOf(node: { readonly [key: string]: Json | undefined }): Vector {
  const { translation } = node;
  if (translation === undefined) return [0, 0, 0];
  if (!isList(translation) || translation.length !== 3) throw new GlbError('a node is nowhere');
  return [numberOf(translation[0], 0), numberOf(translation[1], 0), numberOf(translation[2], 0)];
}

/** For each node its parent; shipped models have no turned and no scaled nodes. */
function parentsOf({ json }: Glb): Map<number, number> {
  const parents = new Map<number, number>();
  const nodes = isList(json.nodes) ? json.nodes : [];
  nodes.forEach((_, index) => {
    const { children, rotation, scale, matrix } = objectAt(json.nodes, index, 'node');
    if (rotation !== undefined || scale !== undefined || matrix !== undefined) {
      throw new GlbError('a shipped model’s nodes are only moved');
    }
    if (isList(children)) for (const child of children) parents.set(numberOf(child, -1), index);
  });
  return parents;
}

function humanNodes({ json }: Glb): Map<number, string> {
  const extensions = isObject(json.extensions) ? json.extensions : {};
  const vrm = isObject(extensions.VRMC_vrm) ? extensions.VRMC_vrm : {};
  const humanoid = isObject(vrm.humanoid) ? vrm.humanoid : {};
  const bones = isObject(humanoid.humanBones) ? humanoid.humanBones : {};
  const nodes = new Map<number, string>();
  for (const [name, bone] of Object.entries(bones)) {
    if (isObject(bone) && boneIndex(name) >= 0) nodes.set(numberOf(bone.node, -1), name);
  }
  return nodes;
}

/** Where the bones begin, in the project's axes: half a turn about Y from VRM's. */
function restPlaces(glb: Glb): Map<string, Vector> {
  const parents = parentsOf(glb);
  const places = new Map<string, Vector>();
  for (const [node, name] of humanNodes(glb)) {
    let [x, y, z] = [0, 0, 0];
    let at: number | undefined = node;
    for (let depth = 0; at !== undefined && depth < 256; depth += 1) {
      const [dx, dy, dz] = translationOf(objectAt(glb.json.nodes, at, 'node'));
      x += dx;
      y += dy;
      z += dz;
      at = parents.get(at);
    }
    places.set(name, [-x, y, -z]);
  }
  return places;
}

/** For each joint of the skin the bone that moves it: its own, or that of the next node above it. */
function bonesOfJoints(glb: Glb): number[] {
  const { joints } = objectAt(glb.json.skins, 0, 'skin');
  const parents = parentsOf(glb);
  const humans = humanNodes(glb);
  if (!isList(joints)) throw new GlbError('its skin has no joints');
  return joints.map((joint) => {
    let node: number | undefined = numberOf(joint, -1);
    for (let depth = 0; node !== undefined && depth < 256; depth += 1) {
      const name = humans.get(node);
      if (name !== undefined) return boneIndex(name);
      node = parents.get(node);
    }
    return BONE.hips;
  });
}

function readMesh(glb: Glb): Mesh {
  const { primitives } = objectAt(glb.json.meshes, 0, 'mesh');
  const primitive = objectAt(primitives, 0, 'primitive');
  const attributes = isObject(primitive.attributes) ? primitive.attributes : {};
  const positions = turned(readNumbers(glb, attributes.POSITION));
  const joints = readNumbers(glb, attributes.JOINTS_0);
  const weights = readNumbers(glb, attributes.WEIGHTS_0);
  const bones = bonesOfJoints(glb);
  const count = positions.length / 3;
  if (joints.values.length !== 4 * count || weights.values.length !== 4 * count) {
    throw new GlbError('a vertex is bound to four bones');
  }
  const colours = attributes.COLOR_0 === undefined ? undefined : readNumbers(glb, attributes.COLOR_0);
  const tint = attributes._TINT === undefined ? undefined : readNumbers(glb, attributes._TINT);
  return {
    positions,
    normals: turned(readNumbers(glb, attributes.NORMAL)),
    colours,
    tint,
    bones: joints.values.map((joint) => bones[joint] ?? BONE.hips),
    weights: weights.values,
    indices: readNumbers(glb, primitive.indices).values,
    count,
  };
}

function turned({ values, width }: Numbers): Float64Array {
  if (width !== 3) throw new GlbError('a place has three numbers');
  return values.map((value, index) => (index % 3 === 1 ? value : -value));
}

/** What the skin says of the hands: how long they are, and where the middle of the palms is. */
function marksOf(mesh: Mesh, skeleton: Skeleton): { palms: number[]; handLength: number } {
  const reach = (['left', 'right'] as const).map((side) => reachOf(mesh, skeleton, side));
  const handLength = ((reach[0] ?? 0) + (reach[1] ?? 0)) / 2;
  const palms = (['left', 'right'] as const).flatMap((side) =>
    palmOf(mesh, skeleton, side, PALM_SHARE * handLength),
  );
  return { palms, handLength };
}

/** Wrist to the tip of the middle finger, along the arm. */
function reachOf(mesh: Mesh, skeleton: Skeleton, side: 'left' | 'right'): number {
  const { hand, middle } = BONE[side];
  const wrist = skeleton.rest[3 * hand] ?? 0;
  let reach = 0;
  for (let vertex = 0; vertex < mesh.count; vertex += 1) {
    if (weightOf(mesh, vertex, middle, middle + 2) < 0.5) continue;
    reach = Math.max(reach, Math.abs((mesh.positions[3 * vertex] ?? 0) - wrist));
  }
  return reach || skeleton.handLength;
}

/** The middle of the hand's skin where the palm is: between its back and its front, and its edges. */
function palmOf(mesh: Mesh, skeleton: Skeleton, side: 'left' | 'right', away: number): Vector {
  const { hand, fingers } = BONE[side];
  const x = (skeleton.rest[3 * hand] ?? 0) + (side === 'left' ? -away : away);
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (let vertex = 0; vertex < mesh.count; vertex += 1) {
    if (Math.abs((mesh.positions[3 * vertex] ?? 0) - x) > PALM_SLICE_M) continue;
    if (weightOf(mesh, vertex, hand, hand) < 0.3) continue;
    if (weightOf(mesh, vertex, fingers, fingers + 2) > 0.2) continue; // the thumb lies beside
    for (const axis of [0, 1] as const) {
      const value = mesh.positions[3 * vertex + 1 + axis] ?? 0;
      low[axis] = Math.min(low[axis] ?? 0, value);
      high[axis] = Math.max(high[axis] ?? 0, value);
    }
  }
  const [y = Infinity, z = Infinity] = [0, 1].map((axis) => ((low[axis] ?? 0) + (high[axis] ?? 0)) / 2);
  if (!Number.isFinite(y) || !Number.isFinite(z)) {
    return [x, skeleton.rest[3 * hand + 1] ?? 0, skeleton.rest[3 * hand + 2] ?? 0];
  }
  return [x, y, z];
}

/** How much a vertex hangs on the bones of a range, ends included. */
function weightOf(mesh: Mesh, vertex: number, first: number, last: number): number {
  let sum = 0;
  for (let slot = 4 * vertex; slot < 4 * vertex + 4; slot += 1) {
    const bone = mesh.bones[slot] ?? 0;
    if (bone >= first && bone <= last) sum += mesh.weights[slot] ?? 0;
  }
  return sum;
}
