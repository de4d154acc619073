import { describe, expect, it } from 'vitest';
import { standingPlace } from '../../src/sensing/standing_place';

describe('where a newcomer stands', () => {
  it('is apart from everyone, near them, and faces their middle, for a hundred people', () => {
    const others: number[] = [];
    for (let seat = 1; seat <= 100; seat += 1) {
      const { x, z, yaw } = standingPlace(others, seat);
      let [nearest, middleX, middleZ] = [Number.POSITIVE_INFINITY, 0, 0];
      for (let index = 0; index < others.length; index += 2) {
        nearest = Math.min(nearest, Math.hypot((others[index] ?? 0) - x, (others[index + 1] ?? 0) - z));
        middleX += (2 * (others[index] ?? 0)) / others.length;
        middleZ += (2 * (others[index + 1] ?? 0)) / others.length;
      }
      expect(nearest).toBeGreaterThanOrEqual(1.15);
      const away = Math.hypot(middleX - x, middleZ - z);
      expect(away).toBeLessThan(12);
      // Ahead is (−sin, −cos) of the yaw.
      expect((-Math.sin(yaw) * (middleX - x) - Math.cos(yaw) * (middleZ - z)) / away).toBeCloseTo(1, 9);
      others.push(x, z);
    }
  });

  it('differs for people who come at the same moment', () => {
    const places = Array.from({ length: 8 }, (_, seat) => standingPlace([], seat + 1));
    for (const [index, a] of places.entries()) {
      for (const b of places.slice(index + 1)) expect(Math.hypot(a.x - b.x, a.z - b.z)).toBeGreaterThan(0.35);
    }
  });

  it('is somewhere even where there is no room, or nonsense is told', () => {
    const crowd = Array.from({ length: 20_000 }, (_, index) => ((index * 0.37) % 40) - 20);
    const place = standingPlace(crowd, 3);
    expect(Number.isFinite(place.x + place.z + place.yaw)).toBe(true);
  });
});
