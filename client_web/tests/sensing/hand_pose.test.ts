import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { toIndexTip, turnHand } from '../../src/sensing/hand_pose';
import { random } from '../traces';

const PALM = new Vector3(0, -1, 0);
const FINGERS = new Vector3(0, 0, -1);

function turned(fingers: Vector3, roll: number, mirror: 1 | -1): Quaternion {
  const out = new Quaternion();
  turnHand(fingers, roll, mirror, out);
  return out;
}

describe('how a hand is turned', () => {
  it('has its fingers along the direction, whatever that is', () => {
    const next = random(2);
    for (let time = 0; time < 300; time += 1) {
      const fingers = new Vector3(next() - 0.5, next() - 0.5, next() - 0.5).normalize();
      const hand = turned(fingers, 2 * next() - 1, next() < 0.5 ? 1 : -1);
      expect(hand.length()).toBeCloseTo(1, 9);
      expect(FINGERS.clone().applyQuaternion(hand).angleTo(fingers)).toBeLessThan(1e-6);
    }
  });

  it('has its palm down ahead and to the sides, forward above, and backward below', () => {
    for (const [fingers, palm] of [
      [new Vector3(0, 0, -1), new Vector3(0, -1, 0)],
      [new Vector3(1, 0, 0), new Vector3(0, -1, 0)],
      [new Vector3(-1, 0, 0), new Vector3(0, -1, 0)],
      [new Vector3(0, 1, 0), new Vector3(0, 0, -1)],
      [new Vector3(0, -1, 0), new Vector3(0, 0, 1)],
    ] as const) {
      expect(PALM.clone().applyQuaternion(turned(fingers, 0, 1)).angleTo(palm)).toBeLessThan(1e-6);
    }
  });

  it('turns without a jump as the direction goes over the front half', () => {
    let before: Quaternion | undefined;
    for (let step = 0; step <= 2000; step += 1) {
      const round = (2 * Math.PI * step) / 2000;
      const fingers = new Vector3(0.9 * Math.sin(3 * round), 0.9 * Math.sin(2 * round), -0.35).normalize();
      const hand = turned(fingers, 0.6, 1);
      if (before !== undefined) expect(hand.angleTo(before)).toBeLessThan(0.05);
      before = hand;
    }
  });

  it('of the left is the mirror image of the right', () => {
    const right = turned(new Vector3(0.3, 0.2, -0.9).normalize(), 0.7, 1);
    const left = turned(new Vector3(-0.3, 0.2, -0.9).normalize(), 0.7, -1);
    expect(left.angleTo(new Quaternion(right.x, -right.y, -right.z, right.w))).toBeLessThan(1e-6);
  });

  it('has its index finger’s tip ahead of the palm, on the thumb’s side', () => {
    const ahead = [0, 0, 0, 1];
    const right = toIndexTip(new Vector3(1, 2, 3), ahead, 0, 1).sub(new Vector3(1, 2, 3));
    const left = toIndexTip(new Vector3(1, 2, 3), ahead, 0, 0).sub(new Vector3(1, 2, 3));
    expect(right.x).toBeLessThan(-0.01);
    expect(left.x).toBeCloseTo(-right.x, 12);
    expect(right.z).toBeLessThan(-0.08);
    const turnedLeft = toIndexTip(new Vector3(), [9, 0, Math.SQRT1_2, 0, Math.SQRT1_2], 1, 1);
    expect(turnedLeft.x).toBeLessThan(-0.08);
  });
});
