/**
 * Owns what is known of one person's sensors at one moment: head, hands, fingers, and what a hand
 * points at. Headset and desktop fill the same record, and it goes to the session as it is.
 */

export const HEAD = 0;
export const LEFT = 1;
export const RIGHT = 2;
export type SensorIndex = typeof HEAD | typeof LEFT | typeof RIGHT;

/** A pose is 7 numbers: position xyz in metres, rotation xyzw, in the world. */
export const SENSOR_SIZE = 7;
/** Finger angles of a hand, in the protocol's order. */
export const FINGER_COUNT = 20;

/** One record, kept and rewritten every frame. Bits: see each field. */
export class Sensors {
  /** Bit 0 head, 1 left hand, 2 right hand. */
  tracked = 0;
  /** 0 to 15, one up at every jump that nobody should interpolate across. */
  discontinuity = 0;
  /** By the page's clock, whole microseconds. */
  sampleTimeUs = 0;
  /** Eyes, left palm, right palm; what is not tracked stays finite. */
  readonly poses = new Float64Array(3 * SENSOR_SIZE);
  /** 0 to 255: left buttons, pinch, grip, trigger, then the right ones. */
  readonly inputs = new Uint8Array(8);
  /** Bit 0 left, 1 right: whose fingers are known. */
  fingersKnown = 0;
  /** Radians; 20 of the left hand, then 20 of the right. */
  readonly fingers = new Float64Array(2 * FINGER_COUNT);
  /** Bit 0 left, 1 right: which hand points at something. */
  pointing = 0;
  /** What is pointed at, world metres: xyz of the left hand, then of the right. */
  readonly points = new Float64Array(6);

  constructor() {
    for (let sensor = 0; sensor < 3; sensor += 1) this.poses[SENSOR_SIZE * sensor + 6] = 1;
  }
}

/** Says that the person jumped: a teleport or a snap turn. */
export function jump(sensors: Sensors): void {
  sensors.discontinuity = (sensors.discontinuity + 1) % 16;
}

/** Where a person's sensors come from. */
export interface SensorSource {
  /** Writes what is known now; `passedS` is the time since the last frame. Allocates nothing. */
  read(nowMs: number, passedS: number, out: Sensors): void;
}
