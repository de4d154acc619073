import { PerspectiveCamera, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { viewDirection, viewOf } from '../../src/scene/framing';
import { random } from '../traces';

describe('a view of everyone', () => {
  it('has all points in its share of the picture, whatever the group and the picture’s shape', () => {
    const next = random(5);
    for (let round = 0; round < 200; round += 1) {
      const camera = new PerspectiveCamera(38, 0.4 + 2 * next(), 0.05, 500);
      const spread = 0.5 + 12 * next();
      const points = Array.from(
        { length: 1 + Math.floor(40 * next()) },
        () => new Vector3((next() - 0.5) * spread, 2 * next(), (next() - 0.5) * spread),
      );
      const direction = viewDirection([new Vector3(next() - 0.5, 0, next() - 0.5)]);
      const share = { width: 0.5 + 0.5 * next(), height: 0.5 + 0.5 * next() };
      const { position, target } = viewOf(points, direction, camera, share);
      camera.position.copy(position);
      camera.lookAt(target);
      camera.updateMatrixWorld();
      for (const point of points) {
        const seen = point.clone().project(camera);
        expect(Math.abs(seen.x)).toBeLessThanOrEqual(share.width + 1e-6);
        expect(Math.abs(seen.y)).toBeLessThanOrEqual(share.height + 1e-6);
        expect(seen.z).toBeLessThan(1);
      }
    }
  });

  it('is from the side that people face, and from higher up where they face each other', () => {
    const agreed = viewDirection([new Vector3(0, 0, -1), new Vector3(0.2, 0.3, -1)]);
    expect(agreed.z).toBeLessThan(-0.5);
    const mixed = viewDirection([new Vector3(0, 0, -1), new Vector3(0, 0, 1)]);
    expect(mixed.y).toBeGreaterThan(agreed.y);
    for (const direction of [agreed, mixed, viewDirection([])]) {
      expect(direction.length()).toBeCloseTo(1, 12);
    }
  });
});
