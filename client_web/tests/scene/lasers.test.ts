import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Lasers, type Laser } from '../../src/scene/lasers';
import { random } from '../traces';

const FRAME_S = 1 / 60;

function laser(id: number, side: number, to: Vector3, own = false): Laser & { to: Vector3 } {
  return { id, side, from: new Vector3(0, 1.4, 0), to, colour: '#6093de', own };
}

function endOf(lasers: Lasers, id = 1, side = 1): Vector3 {
  const end = lasers.drawnEnd(id, side);
  if (end === undefined) throw new Error('not drawn');
  return new Vector3(...end);
}

/** Where a pointer is that sweeps evenly. */
function swept(seconds: number, speed: number): Vector3 {
  return new Vector3(-2 + speed * seconds, 0, -3);
}

describe('lasers', () => {
  it('are there while someone points, and fade out after', () => {
    const lasers = new Lasers();
    const one = laser(1, 1, new Vector3(0, 0, -2));
    lasers.update([one], FRAME_S);
    expect(lasers.count).toBe(1);
    expect(endOf(lasers).distanceTo(one.to)).toBe(0);
    for (let frame = 0; frame < 4; frame += 1) lasers.update([], FRAME_S);
    expect(lasers.count).toBe(1);
    for (let frame = 0; frame < 60; frame += 1) lasers.update([], FRAME_S);
    expect(lasers.count).toBe(0);
    expect(lasers.group.visible).toBe(false);
  });

  it('of both hands of many people are apart, and use again what others left', () => {
    const lasers = new Lasers();
    const all = [1, 2, 3, 4].flatMap((id) => [0, 1].map((side) => laser(id, side, new Vector3(id, side, -1))));
    lasers.update(all, FRAME_S);
    expect(lasers.count).toBe(8);
    for (const { id, side, to } of all) expect(endOf(lasers, id, side).distanceTo(to)).toBe(0);
    for (let round = 0; round < 50; round += 1) {
      for (let frame = 0; frame < 60; frame += 1) lasers.update([], FRAME_S);
      lasers.update([laser(100 + round, 0, new Vector3())], FRAME_S);
    }
    expect((lasers as unknown as { paths: unknown[] }).paths.length).toBe(8);
  });

  it('never draw more than fit, whoever points', () => {
    const lasers = new Lasers();
    const crowd = Array.from({ length: 700 }, (_, id) => laser(id, 1, new Vector3(id, 0, 0)));
    lasers.update(crowd, FRAME_S);
    expect(lasers.count).toBe(256);
  });

  it('one’s own ends where it points in this very frame', () => {
    const lasers = new Lasers();
    for (let frame = 0; frame < 60; frame += 1) {
      const to = swept(frame * FRAME_S, 3);
      lasers.update([laser(1, 1, to, true)], FRAME_S);
      expect(endOf(lasers).distanceTo(to)).toBe(0);
    }
  });

  for (const jitter of [0, 0.6]) {
    it(`sweep evenly between points told 15 times a second, jitter ${jitter}`, () => {
      const lasers = new Lasers();
      const next = random(4);
      const speed = 2;
      const one = laser(1, 1, swept(0, speed));
      let dueS = 0;
      let before: Vector3 | undefined;
      const steps: number[] = [];
      let worstLagM = 0;
      for (let frame = 0; frame < 300; frame += 1) {
        const nowS = frame * FRAME_S;
        if (nowS >= dueS) {
          one.to.copy(swept(nowS, speed));
          dueS += (1 / 15) * (1 + jitter * (next() - 0.5));
        }
        lasers.update([one], FRAME_S);
        const end = endOf(lasers);
        if (frame > 60 && before !== undefined) {
          steps.push(end.x - before.x);
          worstLagM = Math.max(worstLagM, swept(nowS, speed).x - end.x);
        }
        before = end;
      }
      const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
      expect(mean).toBeCloseTo(speed * FRAME_S, 3);
      expect(Math.max(...steps)).toBeLessThan((jitter === 0 ? 1.25 : 2) * mean);
      expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
      expect(worstLagM / speed).toBeLessThan(jitter === 0 ? 0.11 : 0.15);
    });
  }

  it('arrive exactly, a moment after the pointer stopped', () => {
    const lasers = new Lasers();
    const one = laser(1, 1, new Vector3(0, 0, -2));
    lasers.update([one], FRAME_S);
    one.to.set(5, 0, -9);
    for (let frame = 0; frame < 9; frame += 1) lasers.update([one], FRAME_S);
    expect(endOf(lasers).distanceTo(one.to)).toBe(0);
  });
});
