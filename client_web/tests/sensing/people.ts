/** Owns a person at a desk for tests: a picture to point into, and frames at any rate. */

import { Quaternion, Vector3 } from 'three';
import { Desktop, type Outlook } from '../../src/sensing/desktop';
import { Sensors } from '../../src/sensing/sensors';

/** A picture through the person's own eyes, a right angle high and wide; what is hit is the floor. */
export class OwnEyes implements Outlook {
  private readonly origin = new Vector3();
  private readonly turn = new Quaternion();
  private readonly direction = new Vector3();

  constructor(private readonly sensors: Sensors) {}

  ray(x: number, y: number, out: Float64Array): void {
    this.origin.fromArray(this.sensors.poses, 0).toArray(out, 0);
    this.turn.fromArray(this.sensors.poses, 3);
    this.direction.set(x, y, -1).normalize().applyQuaternion(this.turn).toArray(out, 3);
  }

  hit(ray: Float64Array, out: Float64Array): boolean {
    const dy = ray[4] ?? 0;
    if (dy >= -1e-3) return false;
    const far = -(ray[1] ?? 0) / dy;
    for (let axis = 0; axis < 3; axis += 1) out[axis] = (ray[axis] ?? 0) + far * (ray[3 + axis] ?? 0);
    out[1] = 0;
    return true;
  }
}

export class Person {
  readonly sensors = new Sensors();
  readonly desktop: Desktop;
  nowMs = 1000;

  constructor(
    readonly rateHz = 60,
    still = false,
    outlook?: Outlook,
  ) {
    const options = { still: () => still };
    this.desktop = new Desktop(outlook ?? new OwnEyes(this.sensors), options);
    this.frame();
  }

  get intent() {
    return this.desktop.intent;
  }

  frame(): void {
    this.nowMs += 1000 / this.rateHz;
    this.desktop.read(this.nowMs, 1 / this.rateHz, this.sensors);
  }

  run(seconds: number, each: () => void = () => undefined): this {
    const frames = Math.round(seconds * this.rateHz);
    for (let frame = 0; frame < frames; frame += 1) {
      this.frame();
      each();
    }
    return this;
  }

  position(sensor: number): Vector3 {
    return new Vector3().fromArray(this.sensors.poses, 7 * sensor);
  }

  rotation(sensor: number): Quaternion {
    return new Quaternion().fromArray(this.sensors.poses, 7 * sensor + 3);
  }

  shoulder(side: 0 | 1): Vector3 {
    return this.desktop.body.intoWorld(this.desktop.body.shoulders[side].clone());
  }

  /** From shoulder to palm. */
  stretched(side: 0 | 1): number {
    return this.shoulder(side).distanceTo(this.position(side + 1));
  }
}
