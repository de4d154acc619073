import { describe, expect, it } from 'vitest';
import { Arc, ARC_POINTS } from '../../src/sensing/headset_arc';
import { Floor } from '../../src/sensing/headset_floor';
import { HandReading } from '../../src/sensing/headset_hand';
import { HOLD_MS, Loss } from '../../src/sensing/headset_loss';
import { lengthsForEyeHeight, Stature } from '../../src/sensing/headset_stature';
import { AimStick, Pinch, SNAP_RAD, SnapTurn } from '../../src/sensing/headset_stick';
import { Travel } from '../../src/sensing/headset_travel';
import { DEFAULT_LENGTHS, LENGTHS } from '../../src/protocol/generated';

const FRAME_S = 1 / 72;

describe('a stick', () => {
  it('turns one step a push, right to the right, and needs to come back before the next', () => {
    const turn = new SnapTurn();
    const turns = [0, 0.5, 0.8, 1, 0.9, 0.5, 0.9, 0.3, -1, -1, 0, -0.8].map((x) => turn.read(x));
    expect(turns.filter((each) => each !== 0)).toEqual([-SNAP_RAD, SNAP_RAD, SNAP_RAD]);
    expect(turns[2]).toBe(-SNAP_RAD);
  });

  it('aims when pushed forward, whichever way it is turned then, until it is let go', () => {
    const stick = new AimStick();
    const path = [[0, -0.3], [0.8, -0.8], [0.1, -0.9], [0.9, 0.1], [0, -0.5], [0.1, -0.2], [0, -0.5]] as const;
    expect(path.map(([x, y]) => stick.read(x, y))).toEqual([false, false, true, true, true, false, false]);
  });
});

describe('a pinch', () => {
  it('does not flicker while the gap trembles between its two thresholds', () => {
    const pinch = new Pinch();
    expect(pinch.read(0.09)).toBe(0);
    expect(pinch.read(0.02)).toBeLessThan(255);
    expect(pinch.pinched).toBe(false);
    expect(pinch.read(0.014)).toBe(255);
    for (const gap of [0.016, 0.029, 0.015, 0.028]) expect(pinch.read(gap)).toBe(255);
    expect(pinch.read(0.031)).toBeLessThan(255);
    expect(pinch.read(0.016)).toBeLessThan(255);
    expect(pinch.pinched).toBe(false);
  });

  it('closes evenly', () => {
    const pinch = new Pinch();
    let before = -1;
    for (let gap = 0.1; gap > 0; gap -= 0.001) {
      const closed = pinch.read(gap);
      expect(closed).toBeGreaterThanOrEqual(before);
      before = closed;
    }
  });
});

describe('a loss', () => {
  it('is none for a few frames, and its return is told once', () => {
    const loss = new Loss();
    expect(loss.note(false, 0)).toBe('lost');
    expect(loss.note(true, 10)).toBe('returned');
    expect(loss.note(true, 20)).toBe('tracked');
    expect(loss.note(false, 20 + HOLD_MS)).toBe('held');
    expect(loss.note(true, 21 + HOLD_MS)).toBe('tracked');
    expect(loss.note(false, 22 + 2 * HOLD_MS)).toBe('lost');
    expect(loss.note(false, 23 + 2 * HOLD_MS)).toBe('lost');
    expect(loss.note(true, 24 + 2 * HOLD_MS)).toBe('returned');
    loss.reset();
    expect(loss.note(false, 25 + 2 * HOLD_MS)).toBe('lost');
  });
});

describe('a teleport’s arc', () => {
  const throwFrom = (direction: readonly number[], origin = [0, 1.2, 0]): Arc => {
    const arc = new Arc();
    arc.throw(origin, direction, [0, 1.6, 0]);
    return arc;
  };

  it('begins at the hand, ends on the floor, and falls as things fall', () => {
    for (const [y, z] of [[0, -1], [0.6, -0.8], [-0.6, -0.8]] as const) {
      const { points } = throwFrom([0, y, z]);
      expect([...points.subarray(0, 3)]).toEqual([0, 1.2, 0]);
      expect(points[3 * ARC_POINTS - 2]).toBeCloseTo(0, 9);
      const second: number[] = [];
      for (let at = 1; at < ARC_POINTS - 2; at += 1) {
        const height = (index: number) => points[3 * index + 1] ?? 0;
        second.push(height(at + 1) - 2 * height(at) + height(at - 1));
      }
      for (const each of second) expect(each).toBeCloseTo(second[0] ?? 0, 9);
      expect(second[0]).toBeLessThan(0);
    }
  });

  it('goes as far as a ball is thrown, and stays within what may be told', () => {
    expect(throwFrom([0, 0, -1])).toMatchObject({ valid: true, z: expect.closeTo(-3.71, 2) });
    const high = throwFrom([0, Math.SQRT1_2, -Math.SQRT1_2]);
    expect(high.z).toBeLessThan(-6);
    const atTheEdge = new Arc();
    atTheEdge.throw([0, 1.2, -94], [0, 0, -1], [0, 1.6, -94]);
    expect(atTheEdge.valid).toBe(false);
  });

  it('is never thrown higher than is good, and upright goes nowhere', () => {
    const highest = (arc: Arc) => Math.max(...arc.points.filter((_, index) => index % 3 === 1));
    expect(highest(throwFrom([0, 0.9, -Math.sqrt(1 - 0.81)]))).toBeLessThan(2.5);
    expect(throwFrom([0, 1, 0]).valid).toBe(false);
    expect(throwFrom([0, -1, 0]).valid).toBe(true);
  });

  it('thrown straight up or from below the floor it stays finite', () => {
    for (const arc of [throwFrom([0, 1, 0]), throwFrom([0, -1, 0]), throwFrom([0, 0, -1], [0, -0.1, 0])]) {
      for (const number of arc.points) expect(Number.isFinite(number)).toBe(true);
    }
  });
});

describe('a journey', () => {
  const eyes = (): Float64Array => new Float64Array([0.3, 1.15, -0.2, 0, 0, 0, 1]); // someone who sits
  const hand = (side: 'left' | 'right'): HandReading => {
    const reading = new HandReading(side);
    reading.aims = true;
    reading.ray.set([0, 1, 0, 0, 0, -1]);
    return reading;
  };

  it('teleports in the dark, once, to where the arc was, with the eyes as high as before', () => {
    const [travel, floor, left, right] = [new Travel(), new Floor(), hand('left'), hand('right')];
    left.stickY = -1;
    expect(travel.update(floor, eyes(), left, right, FRAME_S)).toBe(false);
    expect(travel.aiming && travel.arc.valid).toBe(true);
    const { x, z } = travel.arc;
    left.stickY = 0;
    left.ray.set([0, 1, 0, 1, 0, 0]); // the hand shakes as it lets go
    let jumps = 0;
    let darkest = 0;
    for (let frame = 0; frame < 40; frame += 1) {
      if (travel.update(floor, eyes(), left, right, FRAME_S)) {
        jumps += 1;
        darkest = travel.shade;
      }
    }
    expect(jumps).toBe(1);
    expect(darkest).toBe(1);
    expect(travel.shade).toBe(0);
    expect(floor.standing(eyes())).toEqual({ x: expect.closeTo(x, 9), z: expect.closeTo(z, 9), yaw: 0 });
  });

  it('goes nowhere when the arc ends outside, or what aimed is lost', () => {
    const [travel, floor, left, right] = [new Travel(), new Floor(), hand('left'), hand('right')];
    for (const end of ['outside', 'lost']) {
      left.aims = true;
      left.stickY = -1;
      if (end === 'outside') left.ray.set([0, 1, -94.5, 0, 0, -1]);
      travel.update(floor, eyes(), left, right, FRAME_S);
      left.stickY = 0;
      if (end === 'lost') left.aims = false;
      for (let frame = 0; frame < 40; frame += 1) {
        expect(travel.update(floor, eyes(), left, right, FRAME_S)).toBe(false);
      }
      left.ray.set([0, 1, 0, 0, 0, -1]);
    }
    expect([floor.x, floor.z, travel.shade]).toEqual([0, 0, 0]);
  });

  it('turns in steps and comes back to where it began, each told as a jump', () => {
    const [travel, floor, left, right] = [new Travel(), new Floor(), hand('left'), hand('right')];
    travel.home = { x: 1, z: 2, yaw: 0.5 };
    right.stickX = 1;
    expect(travel.update(floor, eyes(), left, right, FRAME_S)).toBe(true);
    expect(floor.yaw).toBeCloseTo(-Math.PI / 6, 12);
    expect(travel.update(floor, eyes(), left, right, FRAME_S)).toBe(false);
    left.stickPressed = true;
    expect(travel.update(floor, eyes(), left, right, FRAME_S)).toBe(true);
    expect(travel.update(floor, eyes(), left, right, FRAME_S)).toBe(false);
    const { x, z, yaw } = floor.standing(eyes());
    expect([x, z, yaw].map((each) => Math.round(1e9 * each) / 1e9)).toEqual([1, 2, 0.5]);
  });
});

describe('a person’s size', () => {
  it('is the default at the default height, and grows with it within the protocol’s bounds', () => {
    const same = lengthsForEyeHeight(DEFAULT_LENGTHS.eyeHeightM);
    for (const { name } of LENGTHS) expect(same[name]).toBeCloseTo(DEFAULT_LENGTHS[name], 12);
    const tall = lengthsForEyeHeight(1.8);
    for (const { name } of LENGTHS) {
      expect(tall[name]).toBeCloseTo((DEFAULT_LENGTHS[name] * 1.8) / DEFAULT_LENGTHS.eyeHeightM, 12);
    }
    for (const height of [0, 0.3, 1, 1.29, 1.5, 3, 100]) {
      const lengths = lengthsForEyeHeight(height);
      for (const { name, low, high } of LENGTHS) {
        expect(lengths[name]).toBeGreaterThanOrEqual(low);
        expect(lengths[name]).toBeLessThanOrEqual(high);
      }
    }
  });

  it('of someone who sits is that of an average person with lower eyes', () => {
    const seated = lengthsForEyeHeight(1.2);
    expect(seated.eyeHeightM).toBe(1.2);
    expect(seated.upperArmM).toBe(DEFAULT_LENGTHS.upperArmM);
  });

  it('is told once, after three seconds of standing still', () => {
    const stature = new Stature();
    const told: number[] = [];
    const stand = (height: number, seconds: number): void => {
      for (let second = 0; second < seconds; second += FRAME_S) {
        const found = stature.read(height + 0.005 * Math.sin(9 * second), FRAME_S);
        if (found !== undefined) told.push(found);
      }
    };
    stand(0.9, 5); // the headset lies on a table
    stand(1.1, 5); // sits
    stand(1.7, 2);
    stand(1.4, 2); // bends down
    expect(told).toEqual([]);
    stand(1.7, 4);
    expect(told).toEqual([expect.closeTo(1.7, 2)]);
    stand(1.6, 10);
    expect(told.length).toBe(1);
    stature.measureAgain();
    stand(1.6, 4);
    expect(told[1]).toBeCloseTo(1.6, 2);
  });
});
