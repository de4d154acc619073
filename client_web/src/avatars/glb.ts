/**
 * Owns reading binary glTF: the two chunks of the container, and numbers out of accessors. It knows
 * nothing of what they mean, and throws GlbError for whatever is not as glTF 2.0 says.
 */

export class GlbError extends Error {}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** JSON as it came: everything is to be asked for. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface Glb {
  readonly json: JsonObject;
  /** The binary chunk; empty where there is none. */
  readonly bin: Uint8Array;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Takes a GLB apart. */
export function readGlb(bytes: Uint8Array): Glb {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20 || view.getUint32(0, true) !== MAGIC) throw new GlbError('this is no GLB file');
  if (view.getUint32(4, true) !== 2) throw new GlbError('this is not glTF 2.0');
  if (view.getUint32(8, true) !== bytes.length) throw new GlbError('the file is cut off or too long');
  let json: JsonObject | undefined;
  let bin: Uint8Array | undefined;
  let at = 12;
  for (let index = 0; at < bytes.length; index += 1) {
    if (at + 8 > bytes.length) throw new GlbError('a chunk is cut off');
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    at += 8;
    if (length % 4 !== 0 || at + length > bytes.length) throw new GlbError('a chunk is cut off');
    const chunk = bytes.subarray(at, at + length);
    if ((type === JSON_CHUNK) !== (index === 0)) throw new GlbError('the first chunk must be its JSON');
    if (type === JSON_CHUNK) json = readJson(chunk);
    else if (type === BIN_CHUNK && index === 1) bin = chunk;
    at += length;
  }
  if (json === undefined) throw new GlbError('the file has no JSON');
  return { json, bin: bin ?? new Uint8Array(0) };
}

function readJson(chunk: Uint8Array): JsonObject {
  let json: Json;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(chunk)) as Json;
  } catch {
    throw new GlbError('its JSON cannot be read');
  }
  if (!isObject(json)) throw new GlbError('its JSON is no object');
  return json;
}

export function objectAt(list: Json | undefined, index: Json | undefined, what: string): JsonObject {
  const entry = isList(list) && typeof index === 'number' ? list[index] : undefined;
  if (!isObject(entry)) throw new GlbError(`it has no ${what} ${String(index)}`);
  return entry;
}

export function numberOf(value: Json | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new GlbError('a number is none');
  return value;
}

/** A whole number from 0 up. */
export function countOf(value: Json | undefined, otherwise: number): number {
  const count = numberOf(value, otherwise);
  if (!Number.isSafeInteger(count) || count < 0) throw new GlbError(`${count} is no count`);
  return count;
}

interface Component {
  readonly bytes: number;
  /** What a normalised 1 is. */
  readonly one: number;
  readonly read: (view: DataView, at: number) => number;
}

const COMPONENTS: Readonly<Record<number, Component>> = {
  5120: { bytes: 1, one: 127, read: (view, at) => view.getInt8(at) },
  5121: { bytes: 1, one: 255, read: (view, at) => view.getUint8(at) },
  5122: { bytes: 2, one: 32767, read: (view, at) => view.getInt16(at, true) },
  5123: { bytes: 2, one: 65535, read: (view, at) => view.getUint16(at, true) },
  5125: { bytes: 4, one: 4294967295, read: (view, at) => view.getUint32(at, true) },
  5126: { bytes: 4, one: 1, read: (view, at) => view.getFloat32(at, true) },
};

const WIDTHS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

export interface Numbers {
  readonly values: Float64Array;
  /** Numbers an entry. */
  readonly width: number;
  readonly count: number;
}

/** Where an accessor's numbers lie in the binary chunk. */
export interface Extent {
  readonly component: Component;
  readonly normalised: boolean;
  readonly width: number;
  readonly count: number;
  readonly start: number;
  readonly stride: number;
}

/** Finds `count` entries in a buffer view, and makes sure that they lie in the file. */
function within(
  { json, bin }: Glb,
  place: JsonObject,
  component: Component,
  width: number,
  count: number,
): { readonly start: number; readonly stride: number } {
  const view = objectAt(json.bufferViews, place.bufferView, 'buffer view');
  if (countOf(view.buffer, -1) !== 0) throw new GlbError('it has no second buffer');
  const size = component.bytes * width;
  const stride = countOf(view.byteStride, size);
  const offset = countOf(place.byteOffset, 0);
  const start = countOf(view.byteOffset, 0);
  const length = countOf(view.byteLength, -1);
  const needed = count === 0 ? 0 : (count - 1) * stride + size;
  if (stride < size || offset + needed > length || start + length > bin.length) {
    throw new GlbError('an accessor reaches beyond its buffer');
  }
  return { start: start + offset, stride };
}

function componentOf(type: Json | undefined): Component {
  const component = COMPONENTS[countOf(type, 0)];
  if (component === undefined) throw new GlbError('an accessor has no known type');
  return component;
}

/**
 * Finds an accessor's numbers, and makes sure that they lie in the file. Undefined for one without
 * any: all zero but for what is sparse.
 */
export function extentOf(glb: Glb, index: Json | undefined): Extent | undefined {
  const accessor = objectAt(glb.json.accessors, index, 'accessor');
  const component = componentOf(accessor.componentType);
  const width = typeof accessor.type === 'string' ? WIDTHS[accessor.type] : undefined;
  if (width === undefined) throw new GlbError('an accessor has no known type');
  const count = countOf(accessor.count, -1);
  if (accessor.sparse !== undefined) checkSparse(glb, accessor.sparse, component, width, count);
  if (accessor.bufferView === undefined) return undefined;
  const { start, stride } = within(glb, accessor, component, width, count);
  return { component, normalised: accessor.normalized === true, width, count, start, stride };
}

function checkSparse(glb: Glb, sparse: Json, component: Component, width: number, count: number): void {
  if (!isObject(sparse) || !isObject(sparse.indices) || !isObject(sparse.values)) {
    throw new GlbError('a sparse accessor lacks something');
  }
  const changed = countOf(sparse.count, -1);
  if (changed > count) throw new GlbError('a sparse accessor changes more than there is');
  within(glb, sparse.indices, componentOf(sparse.indices.componentType), 1, changed);
  within(glb, sparse.values, component, width, changed);
}

/** Reads all numbers of an accessor that is not sparse; normalised ones come as −1…1. */
export function readNumbers(glb: Glb, index: Json | undefined): Numbers {
  const extent = extentOf(glb, index);
  if (extent === undefined || objectAt(glb.json.accessors, index, 'accessor').sparse !== undefined) {
    throw new GlbError('a shipped model has no sparse accessors');
  }
  const { component, normalised, width, count, start, stride } = extent;
  const { bin } = glb;
  const view = new DataView(bin.buffer, bin.byteOffset, bin.byteLength);
  const values = new Float64Array(count * width);
  const scale = normalised ? 1 / component.one : 1;
  for (let entry = 0; entry < count; entry += 1) {
    for (let part = 0; part < width; part += 1) {
      const at = start + entry * stride + part * component.bytes;
      values[entry * width + part] = Math.max(component.read(view, at) * scale, normalised ? -1 : -Infinity);
    }
  }
  return { values, width, count };
}
