/**
 * Tracker frames: what the three sensors of a person say, once a sample. Poses are position xyz
 * and rotation xyzw; the head's frame has its origin between the eyes, the hands' at the palms.
 */

import { ProtocolError } from './runtime';
import { CAPS, CloseCode, Sensor, TRACKER_FRAME, TRACKER_FRAME_BYTES, TRACKER_FRAME_ID } from './tables';

export interface TrackerFrame {
  /** The sender's monotonic clock, whole microseconds. */
  sampleTimeUs: number;
  /** Bit 0 head, bit 1 left hand, bit 2 right hand. */
  tracked: number;
  /** 0 to 15, one up at every jump that nobody should interpolate across. */
  discontinuity: number;
  /** 21 numbers: head, left palm, right palm. Those of untracked sensors are finite, too. */
  readonly poses: Float64Array;
  /** 8 numbers of 0 to 255: left buttons, pinch, grip, trigger, then the right ones. */
  readonly inputs: Uint8Array;
}

const WORD = 2 ** 32;
const SENSOR_NAMES = ['head', 'left hand', 'right hand'] as const;

/** Write a frame into `out`, a view of `TRACKER_FRAME_BYTES`; allocates nothing, checks nothing. */
export function encodeTracker(frame: TrackerFrame, out: DataView): void {
  out.setUint8(TRACKER_FRAME.id.offset, TRACKER_FRAME_ID);
  out.setUint8(TRACKER_FRAME.tracked.offset, frame.tracked);
  out.setUint8(TRACKER_FRAME.discontinuity.offset, frame.discontinuity);
  out.setUint8(TRACKER_FRAME.reserved.offset, 0);
  out.setUint32(TRACKER_FRAME.sampleTimeUs.offset, frame.sampleTimeUs % WORD, true);
  out.setUint32(TRACKER_FRAME.sampleTimeUs.offset + 4, frame.sampleTimeUs / WORD, true);
  for (let index = 0; index < frame.poses.length; index += 1) {
    out.setFloat32(TRACKER_FRAME.head.offset + 4 * index, frame.poses[index] ?? 0, true);
  }
  for (let index = 0; index < frame.inputs.length; index += 1) {
    out.setUint8(TRACKER_FRAME.leftInput.offset + index, frame.inputs[index] ?? 0);
  }
}

/**
 * Check a frame as the server does and return it, tracked rotations normalised. For tests and
 * tools: a client only sends these.
 */
export function decodeTracker(payload: Uint8Array): TrackerFrame {
  const id = payload[0];
  if (id !== undefined && id !== TRACKER_FRAME_ID) {
    throw new ProtocolError(CloseCode.UNKNOWN_MESSAGE, `A message of id ${id} is no tracker frame.`);
  }
  if (payload.length !== TRACKER_FRAME_BYTES) {
    throw malformed(`A tracker frame has ${payload.length} bytes, not ${TRACKER_FRAME_BYTES}.`);
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const time = TRACKER_FRAME.sampleTimeUs.offset;
  const frame: TrackerFrame = {
    sampleTimeUs: view.getUint32(time, true) + WORD * view.getUint32(time + 4, true),
    tracked: view.getUint8(TRACKER_FRAME.tracked.offset),
    discontinuity: view.getUint8(TRACKER_FRAME.discontinuity.offset),
    poses: new Float64Array(21).map((_, n) =>
      view.getFloat32(TRACKER_FRAME.head.offset + 4 * n, true),
    ),
    inputs: payload.slice(TRACKER_FRAME.leftInput.offset),
  };
  refuseAbove(frame.tracked, 7, 'tracked');
  refuseAbove(frame.discontinuity, CAPS.DISCONTINUITY_MAX, 'discontinuity');
  refuseAbove(view.getUint8(TRACKER_FRAME.reserved.offset), 0, 'reserved');
  refuseAbove(frame.sampleTimeUs, CAPS.TIME_US_MAX, 'sample_time_us');
  checkPoses(frame);
  return frame;
}

function checkPoses(frame: TrackerFrame): void {
  const sensors = Object.values(Sensor);
  for (const sensor of sensors) {
    if (!frame.poses.subarray(7 * sensor, 7 * sensor + 7).every(Number.isFinite)) {
      const text = `The ${SENSOR_NAMES[sensor]}'s pose holds a number that is not finite.`;
      throw new ProtocolError(CloseCode.NOT_FINITE, text);
    }
  }
  for (const sensor of sensors) {
    if ((frame.tracked >> sensor) & 1) {
      checkPose(frame.poses.subarray(7 * sensor, 7 * sensor + 7), SENSOR_NAMES[sensor]);
    }
  }
}

function checkPose(pose: Float64Array, name: string): void {
  const rotation = pose.subarray(3);
  const norm = Math.sqrt(rotation.reduce((sum, number) => sum + number * number, 0));
  if (pose.subarray(0, 3).some((number) => Math.abs(number) > CAPS.COORDINATE_M)) {
    const text = `The ${name} is beyond ${CAPS.COORDINATE_M} m; move the origin of tracking.`;
    throw new ProtocolError(CloseCode.OUT_OF_RANGE, text);
  }
  if (Math.abs(norm - 1) > CAPS.UNIT_QUATERNION_TOLERANCE) {
    const text = `The ${name}'s rotation has norm ${norm}; send a unit quaternion x y z w.`;
    throw new ProtocolError(CloseCode.OUT_OF_RANGE, text);
  }
  rotation.forEach((number, index) => {
    rotation[index] = number / norm;
  });
}

function refuseAbove(value: number, limit: number, name: string): void {
  if (value > limit) {
    throw malformed(`The tracker frame's ${name} is ${value}, but may be at most ${limit}.`);
  }
}

function malformed(sentence: string): ProtocolError {
  return new ProtocolError(CloseCode.MALFORMED, sentence);
}
