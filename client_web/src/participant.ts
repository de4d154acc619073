/**
 * Owns one's own part in a session: what one's sensors are read from, the way of what they say to the
 * server, and one's own body as this page draws it. It opens no socket and draws nothing.
 */

import { pinBody } from './body/pin';
import { DEFAULT_LENGTHS, type WritableFloats } from './motion/bones';
import { Sender } from './net/sender';
import { jump, Sensors, type SensorSource } from './sensing/sensors';
import type { Session } from './session';

/** From this revision on a server passes hands on (protocol/README.md). */
const HANDS_REVISION = 1;

export class Participant {
  readonly sensors = new Sensors();
  readonly sender: Sender;
  private source: SensorSource | undefined;

  constructor(private readonly session: Session) {
    this.sender = new Sender(session);
  }

  /** Whether this page moves a body of its own. */
  get present(): boolean {
    return this.source !== undefined && this.session.ownId !== 0;
  }

  /** Reads from this source from now on; none: one only watches. */
  readFrom(source: SensorSource | undefined): void {
    if (source === this.source) return;
    if (source !== undefined) jump(this.sensors); // another device continues nothing
    this.source = source;
  }

  /** Takes over what the session says of oneself now. */
  refresh(): void {
    if (this.session.phase.kind !== 'live') this.sender.stop();
  }

  /** A new connection: how fast the session is, and what its server knows. */
  welcomed(): void {
    const { welcome, ownId } = this.session;
    if (welcome === undefined || ownId === 0) this.sender.stop();
    else this.sender.start(welcome.tickRateHz, welcome.revision >= HANDS_REVISION);
    this.refresh();
  }

  /** Reads the sensors and sends what they say; once a frame. */
  sense(nowMs: number, passedS: number): void {
    if (this.source === undefined) return;
    this.source.read(nowMs, passedS, this.sensors);
    this.sender.take(this.sensors, nowMs);
  }

  /** Writes where someone's body is to be drawn: others as played, oneself where one is now. */
  pose(id: number, pose: WritableFloats): boolean {
    const { playback, ownId } = this.session;
    if (!playback.sample(id, pose)) return false;
    if (this.source !== undefined && id === ownId) {
      pinBody(this.sensors, playback.lengths(id) ?? DEFAULT_LENGTHS, pose);
    }
    return true;
  }
}
