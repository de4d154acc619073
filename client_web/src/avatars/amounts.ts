/**
 * Owns how much a person's own VRM may ask of whoever draws it. One mesh may be every node's, and one
 * accessor every morph target's, so what is drawn is counted, not only what is stored.
 */

import { countOf, GlbError, isObject, type Json, type JsonObject } from './glb';
import { AVATAR_CAPS, cap, listOf } from './verdict';

/** Refuses more of anything than can be shown. */
export function checkAmounts(json: JsonObject): void {
  const count = (key: string) => listOf(json[key], key).length;
  cap(count('nodes'), AVATAR_CAPS.NODES, 'nodes');
  cap(count('meshes'), AVATAR_CAPS.MESHES, 'meshes');
  cap(count('materials'), AVATAR_CAPS.MATERIALS, 'materials');
  cap(count('textures'), AVATAR_CAPS.TEXTURES, 'textures');
  cap(count('images'), AVATAR_CAPS.IMAGES, 'images');
  cap(count('accessors'), AVATAR_CAPS.ACCESSORS, 'accessors');
  cap(count('skins'), AVATAR_CAPS.SKINS, 'skins');
  const meshes = listOf(json.meshes, 'meshes').map((mesh) => amountsOf(json, mesh));
  capAmounts(meshes);
  const nodes = listOf(json.nodes, 'nodes');
  const drawn = nodes.flatMap((node) => (isObject(node) && node.mesh !== undefined ? [node.mesh] : []));
  capAmounts(drawn.map((mesh) => meshes[Number(mesh)] ?? NO_AMOUNTS)); // what many nodes share counts for each
}

/** Of one mesh. */
interface Amounts {
  readonly primitives: number;
  readonly vertices: number;
  readonly indices: number;
  readonly targets: number;
  readonly morphed: number;
}

const NO_AMOUNTS: Amounts = { primitives: 0, vertices: 0, indices: 0, targets: 0, morphed: 0 };

function amountsOf(json: JsonObject, mesh: Json): Amounts {
  const sum = { ...NO_AMOUNTS };
  for (const primitive of listOf(isObject(mesh) ? mesh.primitives : undefined, 'primitives')) {
    if (!isObject(primitive) || !isObject(primitive.attributes)) throw new GlbError('a mesh has no vertices');
    const vertices = entriesOf(json, primitive.attributes.POSITION);
    const targets = listOf(primitive.targets, 'targets').length;
    sum.primitives += 1;
    sum.vertices += vertices;
    sum.indices += primitive.indices === undefined ? 0 : entriesOf(json, primitive.indices);
    sum.targets = Math.max(sum.targets, targets); // all parts of a mesh have the same ones
    sum.morphed += vertices * targets;
  }
  return sum;
}

function capAmounts(meshes: readonly Amounts[]): void {
  const sum = (count: (amounts: Amounts) => number) => meshes.reduce((total, each) => total + count(each), 0);
  cap(sum(({ primitives }) => primitives), AVATAR_CAPS.PRIMITIVES, 'mesh parts');
  cap(sum(({ vertices }) => vertices), AVATAR_CAPS.VERTICES, 'vertices');
  cap(sum(({ indices }) => indices), AVATAR_CAPS.INDICES, 'corners of triangles');
  cap(sum(({ targets }) => targets), AVATAR_CAPS.MORPH_TARGETS, 'morph targets');
  cap(sum(({ morphed }) => morphed), AVATAR_CAPS.MORPHED_VERTICES, 'vertices in morph targets');
}

function entriesOf(json: JsonObject, accessor: Json | undefined): number {
  const entry = listOf(json.accessors, 'accessors')[typeof accessor === 'number' ? accessor : -1];
  if (!isObject(entry)) throw new GlbError('a mesh has no vertices');
  return countOf(entry.count, 0);
}
