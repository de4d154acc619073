import { describe, expect, it } from 'vitest';
import { arrivalAmong, type Spot } from '../../src/sensing/arrival';

function crowd(count: number): Spot[] {
  const others: Spot[] = [];
  while (others.length < count) others.push(arrivalAmong(others));
  return others;
}

describe('where a newcomer stands', () => {
  it('leaves room to everyone, however many come one after the other', () => {
    const people = crowd(40);
    people.forEach((one, index) => {
      for (const other of people.slice(0, index)) {
        expect(Math.hypot(one.x - other.x, one.z - other.z)).toBeGreaterThan(1.5);
      }
    });
  });

  it('faces the middle of those who are there', () => {
    const others = [
      { x: 3, z: -2 },
      { x: 4, z: -2 },
    ];
    const { x, z, yaw } = arrivalAmong(others);
    const away = Math.hypot(3.5 - x, -2 - z);
    expect(-Math.sin(yaw) * away).toBeCloseTo(3.5 - x, 9);
    expect(-Math.cos(yaw) * away).toBeCloseTo(-2 - z, 9);
  });

  it('takes the middle of an empty room', () => {
    expect(arrivalAmong([])).toEqual({ x: 0, z: 0, yaw: 0 });
  });
});
