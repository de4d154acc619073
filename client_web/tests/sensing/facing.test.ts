import { describe, expect, it } from 'vitest';
import { Facing } from '../../src/sensing/facing';

/** Turns for so many frames; returns where one looks then, and the fastest step. */
function turned(facing: Facing, still: boolean, frames: number, drag = 0) {
  const now = { yaw: 3, pitch: 0.2 };
  let fastest = 0;
  for (let frame = 0; frame < frames; frame += 1) {
    const look = { lookYaw: frame === 3 ? drag : 0, lookPitch: 0 };
    facing.turn(now, look, still, 1 / 60);
    now.yaw += look.lookYaw;
    now.pitch += look.lookPitch;
    fastest = Math.max(fastest, Math.abs(look.lookYaw));
  }
  return { ...now, fastest };
}

/** The direction of a look, and the one from eyes to a point. */
function direction({ yaw, pitch }: { yaw: number; pitch: number }): number[] {
  const level = Math.cos(pitch);
  return [-Math.sin(yaw) * level, Math.sin(pitch), -Math.cos(yaw) * level];
}

const EYES = [1, 1.6, 2];
const SOMEONE = { x: -2, y: 1.2, z: 3 };
const AWAY = Math.hypot(3, 0.4, 1);
const WANTED = [-3 / AWAY, -0.4 / AWAY, 1 / AWAY];

describe('turning to somebody', () => {
  it.each([true, false])('ends with looking at their eyes (sparing motion: %s)', (still) => {
    const facing = new Facing();
    facing.begin(EYES, SOMEONE);
    const end = turned(facing, still, 60);
    direction(end).forEach((part, axis) => expect(part).toBeCloseTo(WANTED[axis] ?? 0, 1));
    if (!still) expect(end.fastest).toBeLessThan(0.6);
  });

  it('gives way to whoever drags, and goes the shorter way round', () => {
    const facing = new Facing();
    facing.begin(EYES, SOMEONE);
    const end = turned(facing, false, 60, -0.5);
    expect(end.yaw).toBeLessThan(3);
    facing.begin(EYES, SOMEONE);
    expect(Math.abs(turned(facing, true, 1).yaw - 3)).toBeLessThanOrEqual(Math.PI);
  });

  it('leaves alone who looks straight down at somebody', () => {
    const facing = new Facing();
    facing.begin(EYES, { x: 1, y: 0, z: 2 });
    expect(turned(facing, false, 5)).toMatchObject({ yaw: 3, pitch: 0.2 });
  });
});
