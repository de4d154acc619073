/**
 * Owns what a participant sends of its sensors: poses at the session's rate, fingers and pointed-at
 * points on the slower hands lane, the newest sample each time. Pure: times are told, and bytes go
 * into a lane. It allocates nothing, and what the server would refuse it does not send.
 */

import {
  CAPS,
  HANDS_FRAME,
  HANDS_FRAME_BYTES,
  HandsFlag,
  TRACKER_FRAME_BYTES,
  encodeHands,
  encodeTracker,
  type HandsFrame,
  type TrackerFrame,
} from '../protocol/generated';
import { Pacer } from './pacer';

/** The sensors as the page knows them now: src/sensing's `Sensors`. */
export interface Sensed {
  readonly tracked: number;
  readonly discontinuity: number;
  readonly sampleTimeUs: number;
  readonly poses: Float64Array;
  readonly inputs: Uint8Array;
  readonly fingersKnown: number;
  readonly fingers: Float64Array;
  readonly pointing: number;
  readonly points: Float64Array;
}

/** Where bytes go: a session. */
export interface Lane {
  /** Takes a copy; or says false, and does not, while more than so many bytes wait to leave. */
  sendFrame(bytes: Uint8Array, mostWaitingBytes: number): boolean;
}

export const HANDS_HZ = 15;
const USUAL_HZ = 60;
/** However fast a session ticks, poses leave room for other messages. */
const FASTEST_HZ = 0.75 * CAPS.MESSAGES_PER_S;
/** As long as anything is told of the hands, it is told again this often. */
const HANDS_AGAIN_MS = 1000;
/** With this much still waiting, a newer pose later is better than this one behind them. */
const MOST_WAITING_BYTES = 2 * TRACKER_FRAME_BYTES;
const POINT_STEP_M = 0.001;
const POSE_SIZE = 7;
const POINT_FLAGS = HandsFlag.LEFT_POINT | HandsFlag.RIGHT_POINT;

export class Sender {
  /** Poses and hands frames since the page was opened. */
  posesSent = 0;
  handsSent = 0;
  private live = false;
  private toldOfHands = false;
  private readonly poseFrame: TrackerFrame = {
    sampleTimeUs: 0,
    tracked: 0,
    discontinuity: 0,
    poses: new Float64Array(3 * POSE_SIZE),
    inputs: new Uint8Array(8),
  };
  private readonly handsFrame: HandsFrame = {
    flags: 0,
    fingers: new Float64Array(40),
    points: new Float64Array(6),
  };
  private readonly poseBytes = new Uint8Array(TRACKER_FRAME_BYTES);
  private readonly handsBytes = new Uint8Array(HANDS_FRAME_BYTES);
  private readonly poseView = new DataView(this.poseBytes.buffer);
  private readonly handsView = new DataView(this.handsBytes.buffer);
  private readonly lastHands = new Uint8Array(HANDS_FRAME_BYTES);
  private readonly lastPoints = new Float64Array(6);
  private readonly posePace = new Pacer(USUAL_HZ);
  private readonly handsPace = new Pacer(HANDS_HZ);
  private lastHandsMs = Number.NEGATIVE_INFINITY;
  private sampledUs = -1;

  constructor(private readonly lane: Lane) {
    for (let sensor = 0; sensor < 3; sensor += 1) this.poseFrame.poses[POSE_SIZE * sensor + 6] = 1;
  }

  /** A connection is live as a participant. `hands`: the server knows the hands lane. */
  start(rateHz: number, hands: boolean): void {
    this.live = true;
    this.toldOfHands = hands;
    this.posePace.restart(rateHz > 0 ? Math.min(rateHz, FASTEST_HZ) : USUAL_HZ);
    this.handsPace.restart(HANDS_HZ);
    this.lastHands.fill(0);
    this.lastHandsMs = Number.NEGATIVE_INFINITY;
    this.sampledUs = -1;
  }

  /** Nothing is sent any more: the connection ended, or the person only watches. */
  stop(): void {
    this.live = false;
  }

  /** Takes what is sensed now; once a frame, whatever the display's rate. */
  take(sensed: Sensed, nowMs: number): void {
    if (!this.live) return;
    const poseDue = this.posePace.isDue(nowMs);
    const handsDue = this.handsPace.isDue(nowMs);
    if (poseDue) this.sendPose(sensed, nowMs);
    if (handsDue && this.toldOfHands) this.sendHands(sensed, nowMs);
  }

  private sendPose(sensed: Sensed, nowMs: number): void {
    const frame = this.poseFrame;
    const timeUs = Math.round(sensed.sampleTimeUs);
    // The same sample twice tells nothing, and samples never go back.
    if (!(timeUs > this.sampledUs && timeUs <= CAPS.TIME_US_MAX)) return;
    frame.sampleTimeUs = timeUs;
    frame.discontinuity = sensed.discontinuity & CAPS.DISCONTINUITY_MAX;
    frame.tracked = 0;
    for (let sensor = 0; sensor < 3; sensor += 1) {
      if ((sensed.tracked >> sensor) & 1 && takePose(sensed.poses, frame.poses, POSE_SIZE * sensor)) {
        frame.tracked |= 1 << sensor;
      }
    }
    frame.inputs.set(sensed.inputs);
    encodeTracker(frame, this.poseView);
    if (!this.lane.sendFrame(this.poseBytes, MOST_WAITING_BYTES)) return;
    this.sampledUs = timeUs;
    this.posePace.sent(nowMs);
    this.posesSent += 1;
  }

  private sendHands(sensed: Sensed, nowMs: number): void {
    const frame = this.handsFrame;
    frame.flags = sensed.fingersKnown & (HandsFlag.LEFT_FINGERS | HandsFlag.RIGHT_FINGERS);
    frame.fingers.set(sensed.fingers);
    frame.points.set(sensed.points);
    if (sensed.pointing & 1 && isPoint(frame.points, 0)) frame.flags |= HandsFlag.LEFT_POINT;
    if (sensed.pointing & 2 && isPoint(frame.points, 3)) frame.flags |= HandsFlag.RIGHT_POINT;
    encodeHands(frame, this.handsView);
    const again = frame.flags !== 0 && nowMs - this.lastHandsMs >= HANDS_AGAIN_MS;
    if (!again && !this.differs(frame)) return;
    if (!this.lane.sendFrame(this.handsBytes, MOST_WAITING_BYTES)) return;
    this.lastHands.set(this.handsBytes);
    this.lastPoints.set(frame.points);
    this.lastHandsMs = nowMs;
    this.handsPace.sent(nowMs);
    this.handsSent += 1;
  }

  /** Whether the encoded hands say something else than the last that were sent. */
  private differs(frame: HandsFrame): boolean {
    for (let at = HANDS_FRAME.flags.offset; at < HANDS_FRAME.leftPoint.offset; at += 1) {
      if (this.handsBytes[at] !== this.lastHands[at]) return true;
    }
    if ((frame.flags & POINT_FLAGS) === 0) return false;
    for (let axis = 0; axis < 6; axis += 1) {
      const told = frame.flags & (axis < 3 ? HandsFlag.LEFT_POINT : HandsFlag.RIGHT_POINT);
      const moved = Math.abs((frame.points[axis] ?? 0) - (this.lastPoints[axis] ?? 0));
      if (told && moved > POINT_STEP_M) return true;
    }
    return false;
  }
}

/** Takes a pose over if the server would take it, of unit rotation; false leaves the last one. */
function takePose(from: Float64Array, to: Float64Array, first: number): boolean {
  let square = 0;
  for (let part = 0; part < POSE_SIZE; part += 1) {
    const number = from[first + part] ?? Number.NaN;
    if (!Number.isFinite(number)) return false;
    if (part >= 3) square += number * number;
    else if (Math.abs(number) > CAPS.COORDINATE_M) return false;
  }
  if (square < 0.25 || square > 4) return false;
  const scale = 1 / Math.sqrt(square);
  for (let part = 0; part < POSE_SIZE; part += 1) {
    to[first + part] = (from[first + part] ?? 0) * (part < 3 ? 1 : scale);
  }
  return true;
}

function isPoint(points: Float64Array, first: number): boolean {
  for (let axis = first; axis < first + 3; axis += 1) {
    if (!(Math.abs(points[axis] ?? Number.NaN) <= CAPS.COORDINATE_M)) return false;
  }
  return true;
}
