/**
 * Owns looking about by turning a phone or tablet in the hands: how the device is turned becomes what
 * a finger's drag would have been. Only turning counts. A device in the hands goes other ways than the
 * eyes, and the body of a person at a desk is built upwards from its feet: eyes that were carried
 * about by the device would come off it.
 */

import { wrapped } from './desktop_walk';
import { InlineHead } from './headset_inline';
import { Sensors } from './sensors';

/** What a look turns; a DesktopIntent is one. Radians to the left and up. */
export interface Looked {
  lookYaw: number;
  lookPitch: number;
}

const HERE = { x: 0, z: 0, yaw: 0 };
/** With the device held nearly flat, its heading is anyone's guess. */
const FLAT = 0.02;

export class HandheldLook {
  private readonly sensors = new Sensors();
  private yaw = Number.NaN;
  private discontinuity = 0;

  constructor(private readonly head: InlineHead) {}

  /** In a click; undefined where the browser does not tell how the device is held. */
  static async open(xr: XRSystem | undefined): Promise<HandheldLook | undefined> {
    const head = await InlineHead.open(xr, HERE);
    return head && new HandheldLook(head);
  }

  close(): Promise<void> {
    return this.head.close();
  }

  /** Once a frame: turns `looked`, which looks up by `pitch` now, as the device was turned. */
  turn(nowMs: number, passedS: number, pitch: number, looked: Looked): void {
    const { sensors } = this;
    this.head.read(nowMs, passedS, sensors);
    const jumped = sensors.discontinuity !== this.discontinuity;
    this.discontinuity = sensors.discontinuity;
    if ((sensors.tracked & 1) === 0) {
      this.yaw = Number.NaN;
      return;
    }
    const { poses } = sensors;
    const x = poses[3] ?? 0;
    const y = poses[4] ?? 0;
    const z = poses[5] ?? 0;
    const w = poses[6] ?? 1;
    // Where the device's −Z, the way one looks through it, goes.
    const aheadX = -2 * (x * z + w * y);
    const aheadY = 2 * (w * x - y * z);
    const aheadZ = 2 * (x * x + y * y) - 1;
    const level = aheadX * aheadX + aheadZ * aheadZ;
    looked.lookPitch += Math.asin(Math.min(Math.max(aheadY, -1), 1)) - pitch;
    if (level < FLAT) return;
    const yaw = Math.atan2(-aheadX, -aheadZ);
    if (!Number.isNaN(this.yaw) && !jumped) looked.lookYaw += wrapped(yaw - this.yaw);
    this.yaw = yaw;
  }
}
