/**
 * Snapshots: the bodies of everybody at one tick, read into arrays that the caller keeps, and the
 * hands of those whose turn it is. The layout comes from `tables.ts`; decoding allocates nothing.
 */

import { readNumber } from './bytes';
import { ProtocolError } from './runtime';
import { readSections } from './sections';
import {
  AVATAR_RECORD,
  AVATAR_RECORD_BYTES,
  CAPS,
  CloseCode,
  FINGER_JOINTS,
  JOINTS,
  Provenance,
  SNAPSHOT_HEADER,
  SNAPSHOT_HEADER_BYTES,
  SNAPSHOT_ID,
} from './tables';

/** Joints of both hands. */
const FINGERS = 2 * FINGER_JOINTS.length;

type FieldName = (typeof AVATAR_RECORD)[number]['name'];

/** One row an avatar; only the first `count` rows hold the snapshot that was read last. */
export class SnapshotArrays {
  count = 0;
  tick = 0;
  sessionTimeUs = 0;
  readonly ids: Uint16Array;
  /** Rows of 7: position xyz, rotation xyzw. */
  readonly worldFromChest: Float64Array;
  /** Rows of 4: the head's rotation xyzw in the world. */
  readonly headRotation: Float64Array;
  /** Rows of 15, radians, in the order of `JOINTS`. */
  readonly jointAngles: Float64Array;
  /** How old the sample behind the row was at the tick. */
  readonly sampleAgeUs: Float64Array;
  /** Rows of 3, members of `Provenance`: head, left hand, right hand. */
  readonly provenance: Uint8Array;
  readonly discontinuity: Uint8Array;

  /** How many people's hands this snapshot tells, in rows of their own; in most ticks none. */
  handsCount = 0;
  readonly handsIds: Uint16Array;
  /** Members of `HandsFlag`; what is not told is zero in the rows below. */
  readonly handsFlags: Uint8Array;
  /** Rows of 40, radians: 20 of the left hand in the order of `FINGER_JOINTS`, then the right. */
  readonly fingers: Float32Array;
  /** Rows of 6, world, metres: where the left hand points at, then the right one. */
  readonly points: Float32Array;

  constructor(readonly capacity: number = CAPS.PEOPLE_PER_SESSION) {
    this.ids = new Uint16Array(capacity);
    this.worldFromChest = new Float64Array(7 * capacity);
    this.headRotation = new Float64Array(4 * capacity);
    this.jointAngles = new Float64Array(JOINTS.length * capacity);
    this.sampleAgeUs = new Float64Array(capacity);
    this.provenance = new Uint8Array(3 * capacity);
    this.discontinuity = new Uint8Array(capacity);
    this.handsIds = new Uint16Array(capacity);
    this.handsFlags = new Uint8Array(capacity);
    this.fingers = new Float32Array(FINGERS * capacity);
    this.points = new Float32Array(6 * capacity);
  }
}

const BIT_OFFSETS = Int32Array.from(AVATAR_RECORD, (field) => field.offset);
const BITS = Int32Array.from(AVATAR_RECORD, (field) => field.bits);
const LOWS = Float64Array.from(AVATAR_RECORD, (field) => field.low);
const STEPS = Float64Array.from(AVATAR_RECORD, (field) => field.step);
const LAST_PROVENANCE = Math.max(...Object.values(Provenance));

const ID = fieldIndex('id');
const CHEST = fieldIndex('chestXM');
const CHEST_ROTATION = fieldIndex('chestRotationDropped');
const HEAD_ROTATION = fieldIndex('headRotationDropped');
const FIRST_JOINT = fieldIndex(JOINTS[0]);
const SAMPLE_AGE = fieldIndex('sampleAge');
const PROVENANCE = fieldIndex('headProvenance');
const DISCONTINUITY = fieldIndex('discontinuity');

/** The record at hand, one whole number a field. */
const _whole = new Int32Array(AVATAR_RECORD.length);

/**
 * Read a snapshot into `out` and return the number of its avatars. Sections of unknown kinds are
 * skipped. Throws ProtocolError; both counts of `out` are then 0.
 */
export function decodeSnapshot(payload: Uint8Array, out: SnapshotArrays): number {
  out.count = 0;
  out.handsCount = 0;
  const count = checkedCount(payload, out.capacity);
  for (let row = 0; row < count; row += 1) {
    readFields(payload, SNAPSHOT_HEADER_BYTES + row * AVATAR_RECORD_BYTES);
    storeRow(row, out);
  }
  const hands = readSections(payload, SNAPSHOT_HEADER_BYTES + count * AVATAR_RECORD_BYTES, out);
  out.tick = readNumber(payload, SNAPSHOT_HEADER.tick.offset, 4);
  out.sessionTimeUs = readNumber(payload, SNAPSHOT_HEADER.sessionTimeUs.offset, 8);
  out.count = count;
  out.handsCount = hands;
  return count;
}

function checkedCount(payload: Uint8Array, capacity: number): number {
  if (payload.length > CAPS.SERVER_MESSAGE_BYTES) {
    const text = `A snapshot has ${payload.length} bytes, but may have ${CAPS.SERVER_MESSAGE_BYTES}.`;
    throw new ProtocolError(CloseCode.TOO_LARGE, text);
  }
  if (payload.length > 0 && payload[0] !== SNAPSHOT_ID) {
    throw new ProtocolError(CloseCode.UNKNOWN_MESSAGE, `Id ${payload[0]} is no snapshot's.`);
  }
  if (payload.length < SNAPSHOT_HEADER_BYTES) {
    throw malformed(`A snapshot has ${payload.length} bytes, but its header alone has more.`);
  }
  const count = readNumber(payload, SNAPSHOT_HEADER.avatarCount.offset, 2);
  const timeUs = readNumber(payload, SNAPSHOT_HEADER.sessionTimeUs.offset, 8);
  const needed = SNAPSHOT_HEADER_BYTES + count * AVATAR_RECORD_BYTES;
  if (count > CAPS.PEOPLE_PER_SESSION || timeUs > CAPS.TIME_US_MAX) {
    throw malformed(`A snapshot claims ${count} avatars at ${timeUs} us, beyond the caps.`);
  }
  if (payload.length < needed) {
    throw malformed(`A snapshot of ${count} avatars has ${payload.length} of ${needed} bytes.`);
  }
  if (count > capacity) {
    const text = `A snapshot holds ${count} avatars, but there is room for ${capacity}.`;
    throw new ProtocolError(CloseCode.TOO_LARGE, text);
  }
  return count;
}

/** A field and the bits before it in its first byte fit 4 bytes, wherever the field begins. */
function readFields(payload: Uint8Array, start: number): void {
  for (let field = 0; field < BITS.length; field += 1) {
    const offset = BIT_OFFSETS[field] ?? 0;
    const bits = BITS[field] ?? 0;
    const shift = offset & 7;
    const at = start + (offset >> 3);
    const ends = shift + bits;
    let word = payload[at] ?? 0;
    if (ends > 8) word |= (payload[at + 1] ?? 0) << 8;
    if (ends > 16) word |= (payload[at + 2] ?? 0) << 16;
    if (ends > 24) word |= (payload[at + 3] ?? 0) << 24;
    _whole[field] = (word >>> shift) & ((1 << bits) - 1);
  }
}

function storeRow(row: number, out: SnapshotArrays): void {
  const id = _whole[ID] ?? 0;
  if (id === 0) throw malformed('An avatar has id 0, but ids begin at 1.');
  out.ids[row] = id;
  for (let axis = 0; axis < 3; axis += 1) out.worldFromChest[7 * row + axis] = value(CHEST + axis);
  storeRotation(CHEST_ROTATION, out.worldFromChest, 7 * row + 3);
  storeRotation(HEAD_ROTATION, out.headRotation, 4 * row);
  for (let joint = 0; joint < JOINTS.length; joint += 1) {
    out.jointAngles[JOINTS.length * row + joint] = value(FIRST_JOINT + joint);
  }
  out.sampleAgeUs[row] = (_whole[SAMPLE_AGE] ?? 0) * CAPS.SAMPLE_AGE_UNIT_US;
  for (let sensor = 0; sensor < 3; sensor += 1) {
    const provenance = _whole[PROVENANCE + sensor] ?? 0;
    if (provenance > LAST_PROVENANCE) throw malformed(`An avatar has provenance ${provenance}.`);
    out.provenance[3 * row + sensor] = provenance;
  }
  out.discontinuity[row] = _whole[DISCONTINUITY] ?? 0;
}

function value(field: number): number {
  return (LOWS[field] ?? 0) + (_whole[field] ?? 0) * (STEPS[field] ?? 0);
}

/** Smallest three: the dropped component follows from unit length. */
function storeRotation(field: number, out: Float64Array, at: number): void {
  let a = value(field + 1);
  let b = value(field + 2);
  let c = value(field + 3);
  let rest = 1 - (a * a + b * b + c * c);
  if (rest < 0) {
    const norm = Math.sqrt(a * a + b * b + c * c);
    a /= norm;
    b /= norm;
    c /= norm;
    rest = 0;
  }
  const dropped = _whole[field] ?? 0;
  out[at + dropped] = Math.sqrt(rest);
  out[at + (dropped <= 0 ? 1 : 0)] = a;
  out[at + (dropped <= 1 ? 2 : 1)] = b;
  out[at + (dropped <= 2 ? 3 : 2)] = c;
}

function fieldIndex(name: FieldName): number {
  return AVATAR_RECORD.findIndex((field) => field.name === name);
}

function malformed(sentence: string): ProtocolError {
  return new ProtocolError(CloseCode.MALFORMED, sentence);
}
