import { Euler, Quaternion } from 'three';
import { describe, expect, it } from 'vitest';
import { HandheldLook } from '../../src/sensing/handheld_look';
import type { InlineHead } from '../../src/sensing/headset_inline';
import { jump, type Sensors } from '../../src/sensing/sensors';
import { bytesPerCall } from '../allocation';

const FRAME_MS = 1000 / 60;

/** A device in someone's hands, and who looks through it; radians. */
class Holder {
  yaw = 0;
  pitch = 0;
  roll = 0;
  seen = true;
  jumps = 0;
  readonly wish = { lookYaw: 0, lookPitch: 0 };
  /** As a walk keeps it. */
  looksYaw = 0.5;
  looksPitch = 0.2;
  private nowMs = 0;
  private readonly held = new Quaternion();
  private readonly euler = new Euler();
  readonly look: HandheldLook;

  constructor() {
    const read = (_now: number, _passed: number, out: Sensors) => {
      out.tracked = this.seen ? 1 : 0;
      for (; this.jumps > 0; this.jumps -= 1) jump(out);
      this.held.setFromEuler(this.euler.set(this.pitch, this.yaw, this.roll, 'YXZ')).toArray(out.poses, 3);
    };
    this.look = new HandheldLook({ read } as unknown as InlineHead);
  }

  frame(): void {
    this.look.turn((this.nowMs += FRAME_MS), FRAME_MS / 1000, this.looksPitch, this.wish);
    this.looksYaw += this.wish.lookYaw;
    this.looksPitch += this.wish.lookPitch;
    this.wish.lookYaw = this.wish.lookPitch = 0;
  }

  turn(yaw: number, pitch = this.pitch): void {
    this.yaw = yaw;
    this.pitch = pitch;
    this.frame();
  }
}

describe('looking by moving the phone', () => {
  it('goes on from where one looks, and up and down as the device does', () => {
    const holder = new Holder();
    holder.turn(1.2, -0.4);
    expect([holder.looksYaw, holder.looksPitch]).toEqual([0.5, expect.closeTo(-0.4, 9)]);
    holder.turn(1.5, 0.3);
    expect(holder.looksYaw).toBeCloseTo(0.8, 9);
    expect(holder.looksPitch).toBeCloseTo(0.3, 9);
  });

  it('goes all the way round, and back to the same', () => {
    const holder = new Holder();
    holder.turn(0);
    for (let step = 1; step <= 40; step += 1) holder.turn((4 * Math.PI * step) / 40);
    expect(holder.looksYaw).toBeCloseTo(0.5 + 4 * Math.PI, 9);
  });

  it('does not care how the device is rolled, nor for its heading while it lies flat', () => {
    const holder = new Holder();
    holder.turn(0.3, 0.2);
    holder.roll = 0.9;
    holder.frame();
    expect([holder.looksYaw, holder.looksPitch]).toEqual([expect.closeTo(0.5, 9), expect.closeTo(0.2, 9)]);
    holder.turn(2.5, -1.56);
    expect(holder.looksYaw).toBeCloseTo(0.5, 9);
  });

  it('leaves what a finger drags to the sides, and turns nobody by a loss or a jump', () => {
    const holder = new Holder();
    holder.turn(0);
    holder.looksYaw = 2;
    holder.frame();
    expect(holder.looksYaw).toBe(2);
    holder.seen = false;
    holder.turn(1);
    holder.seen = true;
    holder.turn(2);
    holder.jumps = 1;
    holder.turn(3);
    expect(holder.looksYaw).toBe(2);
    holder.turn(3.1);
    expect(holder.looksYaw).toBeCloseTo(2.1, 9);
  });

  it('makes no objects', { timeout: 30_000 }, () => {
    const holder = new Holder();
    expect(bytesPerCall(() => holder.turn(holder.yaw + 0.01), 64)).toBeLessThan(64);
  });
});
