/**
 * Owns what is asked of a person's own VRM before anything reads it: a sound GLB with everything
 * inside, the bones of a human, and no more of anything than a page can draw for a whole session.
 * The server asks the same of an upload; tests/golden/avatars holds both to it.
 */

import { checkAmounts } from './amounts';
import { countOf, extentOf, GlbError, isObject, readGlb } from './glb';
import { REQUIRED_BONES } from '../body/skeleton';
import type { Glb, Json, JsonObject } from './glb';
import { AVATAR_CAPS, cap, listOf, Refusal, refuse, type Fault } from './verdict';

export { AVATAR_CAPS, AVATAR_FAULTS, type AvatarFault, type Fault } from './verdict';

/** glTF extensions that decode into more than the file says, or fetch; a VRM needs none of them. */
const REFUSED_EXTENSIONS = ['KHR_draco_mesh_compression', 'EXT_meshopt_compression', 'KHR_texture_basisu'];

/** What is wrong with the bytes of a VRM; undefined if nothing is. */
export function checkAvatar(bytes: Uint8Array): Fault | undefined {
  try {
    check(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return { fault: error.fault, words: error.message };
    if (error instanceof GlbError) return { fault: 'not-glb', words: `The avatar’s file is broken: ${error.message}.` };
    throw error;
  }
}

function check(bytes: Uint8Array): void {
  if (bytes.length > AVATAR_CAPS.BYTES) {
    refuse('too-large', `The avatar’s file has more than ${AVATAR_CAPS.BYTES / 1e6} MB.`);
  }
  const glb = readGlb(bytes);
  const vrm = vrmOf(glb.json);
  checkOutside(glb.json);
  checkBones(glb.json, vrm);
  checkAmounts(glb.json);
  checkImages(glb);
  checkAccessors(glb);
}

function vrmOf(json: JsonObject): JsonObject {
  const { extensions, asset } = json;
  if (!isObject(asset) || asset.version !== '2.0') refuse('not-glb', 'The avatar’s file is not glTF 2.0.');
  if (isObject(extensions) && isObject(extensions.VRMC_vrm)) {
    if (extensions.VRMC_vrm.specVersion === '1.0') return extensions.VRMC_vrm;
    refuse('not-vrm', 'The avatar is of a VRM version that this page does not know; save it as VRM 1.0.');
  }
  const old = isObject(extensions) && extensions.VRM !== undefined;
  return refuse(
    'not-vrm',
    old ? 'The avatar is a VRM 0.x file; save it as VRM 1.0.' : 'The file is a 3D model, but no VRM avatar.',
  );
}

/** Everything must be in the file: a page fetches nothing because an avatar says so. */
function checkOutside(json: JsonObject): void {
  for (const key of ['buffers', 'images']) {
    for (const entry of listOf(json[key], key)) {
      if (isObject(entry) && entry.uri !== undefined) {
        refuse('outside', `The avatar’s ${key} must lie inside the file, not at an address.`);
      }
    }
  }
  if (listOf(json.buffers, 'buffers').length > 1) refuse('outside', 'The avatar’s file must have one buffer.');
  for (const name of listOf(json.extensionsUsed, 'extensionsUsed')) {
    if (typeof name === 'string' && REFUSED_EXTENSIONS.includes(name)) {
      refuse('outside', `The avatar uses ${name}, which is not taken; save it without compression.`);
    }
  }
}

function checkBones(json: JsonObject, vrm: JsonObject): void {
  const nodes = listOf(json.nodes, 'nodes');
  const bones = isObject(vrm.humanoid) ? vrm.humanoid.humanBones : undefined;
  if (!isObject(bones)) return refuse('bones', 'The avatar has no humanoid bones.');
  const taken = new Set<number>();
  for (const [name, bone] of Object.entries(bones)) {
    const node = isObject(bone) ? bone.node : undefined;
    if (typeof node !== 'number' || !isObject(nodes[node]) || taken.has(node)) {
      refuse('bones', `The avatar’s bone ${name.slice(0, 40)} is no node of its own.`);
    }
    taken.add(node);
  }
  for (const name of REQUIRED_BONES) {
    if (bones[name] === undefined) refuse('bones', `The avatar has no bone ${name}.`);
  }
  checkTree(nodes);
}

/** Nodes must form trees: a node with two parents, or within itself, would never end. */
function checkTree(nodes: readonly Json[]): void {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, index) => {
    if (!isObject(node)) throw new GlbError(`node ${index} is no node`);
    for (const child of listOf(node.children, 'children')) {
      if (typeof child !== 'number' || parents[child] !== -1) {
        throw new GlbError('its nodes do not form trees');
      }
      parents[child] = index;
    }
  });
  const depths = new Uint32Array(nodes.length);
  nodes.forEach((_, index) => {
    let depth = 0;
    for (let at = index; (parents[at] ?? -1) >= 0; at = parents[at] ?? -1) {
      depth += 1;
      if (depth > nodes.length) throw new GlbError('its nodes do not form trees');
    }
    depths[index] = depth;
  });
  if (depths.some((depth) => depth > 200)) refuse('too-much', 'The avatar’s nodes are nested too deeply.');
}

function checkImages({ json, bin }: Glb): void {
  let pixels = 0;
  for (const image of listOf(json.images, 'images')) {
    const view = isObject(image) ? listOf(json.bufferViews, 'bufferViews')[Number(image.bufferView)] : undefined;
    if (!isObject(view)) return refuse('images', 'An image of the avatar is not in its file.');
    const start = countOf(view.byteOffset, 0);
    const length = countOf(view.byteLength, 0);
    if (start + length > bin.length) throw new GlbError('an image is cut off');
    if (length > AVATAR_CAPS.IMAGE_BYTES) refuse('images', 'An image of the avatar is too large.');
    const size = imageSize(bin.subarray(start, start + length));
    if (size === undefined) return refuse('images', 'An image of the avatar is neither PNG, JPEG nor WebP.');
    const [width, height] = size;
    if (Math.max(width, height) > AVATAR_CAPS.IMAGE_PIXELS || Math.min(width, height) < 1) {
      refuse('images', `An image of the avatar is ${width}×${height}; at most ${AVATAR_CAPS.IMAGE_PIXELS} are taken.`);
    }
    pixels += width * height;
  }
  if (pixels > AVATAR_CAPS.PIXELS) refuse('images', 'The images of the avatar are too large together.');
}

/** Width and height as a PNG's, JPEG's or WebP's header says, or undefined. */
export function imageSize(bytes: Uint8Array): readonly [width: number, height: number] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) {
    return view.getUint32(12) === 0x49484452 ? [view.getUint32(16), view.getUint32(20)] : undefined;
  }
  if (bytes.length >= 30 && view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) {
    return webpSize(view);
  }
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    const alone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += alone ? 2 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** By the first chunk (RFC 9649): lossy, lossless or extended. */
function webpSize(view: DataView): readonly [width: number, height: number] | undefined {
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  const kind = view.getUint32(12);
  if (kind === 0x56503820 && view.getUint16(23) === 0x9d01 && view.getUint8(25) === 0x2a) {
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  }
  if (kind === 0x5650384c && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  return kind === 0x56503858 ? [three(24) + 1, three(27) + 1] : undefined;
}

/** Every accessor must lie in the file, and those that hold nothing must not grow without end. */
function checkAccessors(glb: Glb): void {
  let entries = 0;
  listOf(glb.json.accessors, 'accessors').forEach((accessor, index) => {
    if (!isObject(accessor)) throw new GlbError('an accessor is none');
    entries += countOf(accessor.count, 0);
    cap(entries, AVATAR_CAPS.ENTRIES, 'entries of data');
    try {
      extentOf(glb, index);
    } catch (error) {
      if (!(error instanceof GlbError)) throw error;
      refuse('accessors', `The avatar’s data do not fit its file: ${error.message}.`);
    }
  });
}
