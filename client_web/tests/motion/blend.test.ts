import { describe, expect, it } from 'vitest';
import { slerp } from '../../src/motion/blend';
import { bytesPerCall } from '../allocation';

describe('blending', () => {
  it('of rotations makes no objects', { timeout: 30_000 }, () => {
    const rotations = new Float64Array([0, 0, 0, 1, 0.6, 0, 0, 0.8, 0, 0, 0, 0]);
    const blend = () => {
      for (let time = 0; time < 20; time += 1) slerp(rotations, 0, rotations, 4, 0.05 * time, rotations, 8);
    };
    expect(bytesPerCall(blend, 20)).toBeLessThan(20); // less than a byte for each
  });
});
