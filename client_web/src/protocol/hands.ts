/**
 * Hands frames: the fingers of a person and what the hands point at, sent on a slower lane than
 * the sensors' poses. Angles are radians in the order of `FINGER_JOINTS`, left hand first.
 */

import { float32 } from './bytes';
import { ProtocolError } from './runtime';
import {
  CAPS,
  CloseCode,
  FINGER_JOINTS,
  HANDS_FLAGS,
  HANDS_FRAME,
  HANDS_FRAME_BYTES,
  HANDS_FRAME_ID,
  HandsFlag,
} from './tables';

export interface HandsFrame {
  /** Members of `HandsFlag`: which of the parts below are told. */
  flags: number;
  /** 40 angles: 20 of the left hand, then 20 of the right one. */
  readonly fingers: Float64Array;
  /** 6 numbers, world, metres: where the left hand points at, then the right one. */
  readonly points: Float64Array;
}

const JOINTS = FINGER_JOINTS.length;
const LAST_CODE = 255;
const LOWS = Float64Array.from(FINGER_JOINTS, (joint) => joint.low);
const STEPS = Float64Array.from(FINGER_JOINTS, (joint) => joint.step);
const SCALES = Float64Array.from(FINGER_JOINTS, (joint) => LAST_CODE / (joint.high - joint.low));

/**
 * Write a frame into `out`, a view of `HANDS_FRAME_BYTES`; allocates nothing, checks nothing.
 * Angles saturate; parts whose flag is not set are written as zeros.
 */
export function encodeHands(frame: HandsFrame, out: DataView): void {
  out.setUint8(HANDS_FRAME.id.offset, HANDS_FRAME_ID);
  out.setUint8(HANDS_FRAME.flags.offset, frame.flags);
  out.setUint16(HANDS_FRAME.reserved.offset, 0, true);
  for (let index = 0; index < 2 * JOINTS; index += 1) {
    const told = frame.flags & (index < JOINTS ? HandsFlag.LEFT_FINGERS : HandsFlag.RIGHT_FINGERS);
    const code = told ? fingerCode(index % JOINTS, frame.fingers[index] ?? 0) : 0;
    out.setUint8(HANDS_FRAME.leftFingers.offset + index, code);
  }
  for (let index = 0; index < 6; index += 1) {
    const told = frame.flags & (index < 3 ? HandsFlag.LEFT_POINT : HandsFlag.RIGHT_POINT);
    const number = told ? (frame.points[index] ?? 0) : 0;
    out.setFloat32(HANDS_FRAME.leftPoint.offset + 4 * index, number, true);
  }
}

/**
 * Check a frame as the server does and return it; parts that are not told are zeros. For tests
 * and tools: a client only sends these.
 */
export function decodeHands(payload: Uint8Array): HandsFrame {
  const id = payload[0];
  if (id !== undefined && id !== HANDS_FRAME_ID) {
    throw new ProtocolError(CloseCode.UNKNOWN_MESSAGE, `A message of id ${id} is no hands frame.`);
  }
  if (payload.length !== HANDS_FRAME_BYTES) {
    throw malformed(`A hands frame has ${payload.length} bytes, not ${HANDS_FRAME_BYTES}.`);
  }
  const flags = payload[HANDS_FRAME.flags.offset] ?? 0;
  checkFlags(flags);
  const reserved = HANDS_FRAME.reserved.offset;
  if (payload[reserved] !== 0 || payload[reserved + 1] !== 0) {
    throw malformed("The hands frame's reserved must be 0.");
  }
  const points = new Float64Array(6);
  readPoint(payload, HANDS_FRAME.leftPoint.offset, flags & HandsFlag.LEFT_POINT, points, 0);
  readPoint(payload, HANDS_FRAME.rightPoint.offset, flags & HandsFlag.RIGHT_POINT, points, 3);
  const fingers = new Float64Array(2 * JOINTS);
  if (flags & HandsFlag.LEFT_FINGERS) {
    readFingers(payload, HANDS_FRAME.leftFingers.offset, fingers, 0);
  }
  if (flags & HandsFlag.RIGHT_FINGERS) {
    readFingers(payload, HANDS_FRAME.rightFingers.offset, fingers, JOINTS);
  }
  return { flags, fingers, points };
}

/** Refuse flags that mean nothing. */
export function checkFlags(flags: number): void {
  if (flags > HANDS_FLAGS) {
    throw malformed(`The flags of hands are ${flags}, but may be at most ${HANDS_FLAGS}.`);
  }
}

/** The angles of one hand from the 20 codes at `from`, into `out` from index `to` on. */
export function readFingers(
  payload: Uint8Array,
  from: number,
  out: Float32Array | Float64Array,
  to: number,
): void {
  for (let joint = 0; joint < JOINTS; joint += 1) {
    out[to + joint] = (LOWS[joint] ?? 0) + (payload[from + joint] ?? 0) * (STEPS[joint] ?? 0);
  }
}

/**
 * Check the point in the 12 bytes at `from`, whether it is told or not, and write it into `out`
 * from index `to` on; zeros if it is not told.
 */
export function readPoint(
  payload: Uint8Array,
  from: number,
  told: number,
  out: Float32Array | Float64Array,
  to: number,
): void {
  for (let axis = 0; axis < 3; axis += 1) {
    const number = float32(payload, from + 4 * axis);
    if (!Number.isFinite(number)) {
      throw new ProtocolError(CloseCode.NOT_FINITE, `A hand points at ${number}.`);
    }
    out[to + axis] = told ? number : 0;
  }
  for (let axis = 0; axis < 3; axis += 1) {
    if (Math.abs(out[to + axis] ?? 0) > CAPS.COORDINATE_M) {
      const text = `A hand points beyond ${CAPS.COORDINATE_M} m; cut the ray there.`;
      throw new ProtocolError(CloseCode.OUT_OF_RANGE, text);
    }
  }
}

function fingerCode(joint: number, angle: number): number {
  const scaled = (angle - (LOWS[joint] ?? 0)) * (SCALES[joint] ?? 0);
  return Math.floor(Math.min(Math.max(scaled, 0), LAST_CODE) + 0.5);
}

function malformed(sentence: string): ProtocolError {
  return new ProtocolError(CloseCode.MALFORMED, sentence);
}
