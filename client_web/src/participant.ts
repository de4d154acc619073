/**
 * Owns one's own part in a session: the sensors, the way of what they say to the server, and one's
 * own body as this page draws it. It opens no socket and draws nothing.
 */

import type { WritableFloats } from './motion/bones';
import type { Playback } from './motion/playback';
import { Sensors, type SensorSource } from './sensing/sensors';

/** Takes what the sensors say on its way; called in every frame. */
export type SendSensors = (sensors: Sensors, nowMs: number) => void;
/** Moves a body so that eyes and palms are where the sensors say, in place. */
export type PinBody = (sensors: Sensors, pose: WritableFloats) => void;

export class Participant {
  readonly sensors = new Sensors();
  private source: SensorSource | undefined;

  constructor(
    private readonly playback: Playback,
    private readonly ownId: () => number,
    private readonly send: SendSensors,
    private readonly pin: PinBody,
  ) {}

  /** Whether this page moves a body of its own. */
  get present(): boolean {
    return this.source !== undefined && this.ownId() !== 0;
  }

  /** Reads from this source from now on; none: one only watches. */
  readFrom(source: SensorSource | undefined): void {
    this.source = source;
  }

  /** Reads the sensors and sends what they say; once a frame. */
  sense(nowMs: number, passedS: number): void {
    if (this.source === undefined) return;
    this.source.read(nowMs, passedS, this.sensors);
    this.send(this.sensors, nowMs);
  }

  /** Writes where someone's body is to be drawn: others as played, oneself where one is now. */
  pose(id: number, pose: WritableFloats): boolean {
    if (!this.playback.sample(id, pose)) return false;
    if (this.present && id === this.ownId()) this.pin(this.sensors, pose);
    return true;
  }
}
