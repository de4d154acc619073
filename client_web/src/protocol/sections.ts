/**
 * Sections of a snapshot: what stands behind its records. Those of kind *hands* are read into
 * arrays that the caller keeps; reading allocates nothing.
 */

import { readNumber } from './bytes';
import { checkFlags, readFingers, readPoint } from './hands';
import { ProtocolError } from './runtime';
import {
  CAPS,
  CloseCode,
  FINGER_JOINTS,
  HandsFlag,
  SECTION_HEADER,
  SECTION_HEADER_BYTES,
  Section,
} from './tables';

/** Where hands are read to; as in `SnapshotArrays`. */
export interface HandsRows {
  readonly capacity: number;
  readonly handsIds: Uint16Array;
  readonly handsFlags: Uint8Array;
  readonly fingers: Float32Array;
  readonly points: Float32Array;
}

/** Joints of both hands. */
const FINGERS = 2 * FINGER_JOINTS.length;
const POINT_BYTES = 12;

/** What stands behind the records; how many people's hands were told. */
export function readSections(payload: Uint8Array, start: number, out: HandsRows): number {
  let hands = 0;
  let at = start;
  while (at < payload.length) {
    if (at + SECTION_HEADER_BYTES > payload.length) {
      throw malformed(`A snapshot ends within the header of a section, at byte ${at}.`);
    }
    const kind = payload[at + SECTION_HEADER.kind.offset];
    const end =
      at + SECTION_HEADER_BYTES + readNumber(payload, at + SECTION_HEADER.bodyBytes.offset, 2);
    if (end > payload.length) {
      throw malformed(`A section ends at byte ${end}, but the snapshot at ${payload.length}.`);
    }
    if (kind === Section.HANDS) {
      hands = readHands(payload, at + SECTION_HEADER_BYTES, end, hands, out);
    }
    at = end;
  }
  return hands;
}

/** The hands in one section, in the rows from `first` on; the row after the last one. */
function readHands(
  payload: Uint8Array,
  start: number,
  end: number,
  first: number,
  out: HandsRows,
): number {
  let row = first;
  for (let at = start; at < end; row += 1) {
    if (row >= CAPS.PEOPLE_PER_SESSION) throw malformed('A snapshot tells too many hands.');
    if (row >= out.capacity) {
      const text = `A snapshot tells more hands than there is room for, ${out.capacity}.`;
      throw new ProtocolError(CloseCode.TOO_LARGE, text);
    }
    at = readHandsRow(payload, at, end, row, out);
  }
  return row;
}

/** The hands of one person; the byte behind them. */
function readHandsRow(
  payload: Uint8Array,
  start: number,
  end: number,
  row: number,
  out: HandsRows,
): number {
  let at = start + 3;
  if (at > end) throw cutShort();
  const id = readNumber(payload, start, 2);
  const flags = payload[start + 2] ?? 0;
  if (id === 0) throw malformed('Hands belong to id 0, but ids begin at 1.');
  checkFlags(flags);
  if (at + handsBytes(flags) > end) throw cutShort();
  out.handsIds[row] = id;
  out.handsFlags[row] = flags;
  out.fingers.fill(0, FINGERS * row, FINGERS * (row + 1));
  out.points.fill(0, 6 * row, 6 * (row + 1));
  if (flags & HandsFlag.LEFT_FINGERS) {
    readFingers(payload, at, out.fingers, FINGERS * row);
    at += FINGER_JOINTS.length;
  }
  if (flags & HandsFlag.RIGHT_FINGERS) {
    readFingers(payload, at, out.fingers, FINGERS * row + FINGER_JOINTS.length);
    at += FINGER_JOINTS.length;
  }
  if (flags & HandsFlag.LEFT_POINT) {
    readPoint(payload, at, flags, out.points, 6 * row);
    at += POINT_BYTES;
  }
  if (flags & HandsFlag.RIGHT_POINT) {
    readPoint(payload, at, flags, out.points, 6 * row + 3);
    at += POINT_BYTES;
  }
  return at;
}

/** What follows an entry's flags. */
function handsBytes(flags: number): number {
  return (
    (flags & HandsFlag.LEFT_FINGERS ? FINGER_JOINTS.length : 0) +
    (flags & HandsFlag.RIGHT_FINGERS ? FINGER_JOINTS.length : 0) +
    (flags & HandsFlag.LEFT_POINT ? POINT_BYTES : 0) +
    (flags & HandsFlag.RIGHT_POINT ? POINT_BYTES : 0)
  );
}

function cutShort(): ProtocolError {
  return malformed('A section ends within the hands of a person.');
}

function malformed(sentence: string): ProtocolError {
  return new ProtocolError(CloseCode.MALFORMED, sentence);
}
