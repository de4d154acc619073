import { describe, expect, it } from 'vitest';
import { BEHIND_US, FORGET_US, Hands, LEFT_HAND, RIGHT_HAND } from '../../src/motion/hands';
import { Playback } from '../../src/motion/playback';
import { HandsFlag, SnapshotArrays } from '../../src/protocol/generated';
import { snapshot, TICK_US } from '../traces';

const ALL = 15;
/** The server tells hands every fourth tick at 60 a second. */
const PERIOD_US = 4 * TICK_US;

/** A snapshot that tells one person's hands: every finger at `angle`, both points at x = `x`. */
function told(timeUs: number, angle: number, x = 0, flags = ALL, id = 5): SnapshotArrays {
  const rows = new SnapshotArrays(4);
  rows.sessionTimeUs = timeUs;
  rows.handsCount = 1;
  rows.handsIds[0] = id;
  rows.handsFlags[0] = flags;
  rows.fingers.fill(angle, 0, 40);
  for (let axis = 0; axis < 6; axis += 3) rows.points[axis] = x;
  return rows;
}

const angles = new Float64Array(40);
const place = new Float64Array(3);

function shown(hands: Hands, atUs: number): number | undefined {
  hands.advance(atUs + BEHIND_US);
  return hands.fingers(5, angles) === 3 ? angles[0] : undefined;
}

describe('the hands of an avatar', () => {
  it('move evenly between the words about them', () => {
    const hands = new Hands();
    for (let word = 0; word < 10; word += 1) hands.receive(told(word * PERIOD_US, word / 10, word));
    for (let atUs = 0; atUs < 9 * PERIOD_US; atUs += 7_001) {
      expect(shown(hands, atUs)).toBeCloseTo(atUs / PERIOD_US / 10, 5);
      expect(hands.point(5, RIGHT_HAND, place)).toBe(true);
      expect(place[0]).toBeCloseTo(atUs / PERIOD_US, 4);
    }
  });

  it('fill both hands, in place', () => {
    const hands = new Hands();
    const rows = told(0, 0);
    for (let joint = 0; joint < 40; joint += 1) rows.fingers[joint] = joint;
    rows.points.set([1, 2, 3, 4, 5, 6]);
    hands.receive(rows);
    hands.advance(BEHIND_US);
    expect(hands.fingers(5, angles)).toBe(3);
    expect([...angles]).toEqual(Array.from({ length: 40 }, (_, joint) => joint));
    hands.point(5, LEFT_HAND, place);
    expect([...place]).toEqual([1, 2, 3]);
    hands.point(5, RIGHT_HAND, place);
    expect([...place]).toEqual([4, 5, 6]);
  });

  it('stay where they were told last, and rest after a while', () => {
    const hands = new Hands();
    hands.receive(told(0, 0.3));
    expect(shown(hands, FORGET_US - 1)).toBeCloseTo(0.3);
    expect(shown(hands, FORGET_US + 1)).toBeUndefined();
    expect(hands.point(5, LEFT_HAND, place)).toBe(false);
  });

  it('are not there before they were told, nor for anyone else', () => {
    const hands = new Hands();
    expect(shown(hands, 0)).toBeUndefined();
    hands.receive(told(1e6, 0.3));
    expect(shown(hands, 999_000)).toBeUndefined();
    hands.advance(1.1e6);
    expect(hands.fingers(6, angles)).toBe(0);
  });

  it('are not blended with what they were before they were lost', () => {
    const hands = new Hands();
    hands.receive(told(0, 1, 1));
    hands.receive(told(PERIOD_US, 0, 0, HandsFlag.RIGHT_FINGERS | HandsFlag.RIGHT_POINT));
    hands.receive(told(2 * PERIOD_US, 2, 2));
    hands.advance(BEHIND_US + PERIOD_US / 2);
    expect(hands.fingers(5, angles)).toBe(3);
    expect(angles[0]).toBe(1);
    expect(angles[20]).toBeCloseTo(0.5);
    hands.advance(BEHIND_US + 1.5 * PERIOD_US);
    angles.fill(7);
    expect(hands.fingers(5, angles)).toBe(2);
    expect(angles[0]).toBe(7);
    expect(hands.point(5, LEFT_HAND, place)).toBe(false);
    expect(hands.point(5, RIGHT_HAND, place)).toBe(true);
    hands.advance(BEHIND_US + 2 * PERIOD_US);
    expect(hands.fingers(5, angles)).toBe(3);
    expect(angles[0]).toBe(2);
  });

  it('do not creep after a second of stillness: the change takes one period', () => {
    const hands = new Hands();
    hands.receive(told(0, 0));
    hands.receive(told(1e6, 1));
    expect(shown(hands, 1e6 - 70_000)).toBe(0);
    expect(shown(hands, 1e6 - 33_333)).toBeCloseTo(0.5, 2);
    expect(shown(hands, 1e6)).toBe(1);
  });

  it('take no word twice or late', () => {
    const hands = new Hands();
    hands.receive(told(PERIOD_US, 1));
    hands.receive(told(PERIOD_US, 2));
    hands.receive(told(0, 3));
    expect(shown(hands, PERIOD_US)).toBe(1);
    expect(shown(hands, 0)).toBeUndefined();
  });

  it('come out of a playback, and go with it', () => {
    const playback = new Playback();
    playback.restart(0, 0);
    for (let tick = 0; tick < 60; tick += 1) {
      const rows = snapshot(tick * TICK_US, [5]);
      if (tick % 4 === 0) {
        const { handsIds, handsFlags, fingers } = told(0, 0.2);
        rows.handsCount = 1;
        rows.handsIds[0] = handsIds[0] ?? 0;
        rows.handsFlags[0] = handsFlags[0] ?? 0;
        rows.fingers.set(fingers.subarray(0, 40));
      }
      playback.receive(rows, tick * TICK_US);
      playback.advance(tick * TICK_US);
    }
    expect(playback.fingers(5, angles)).toBe(3);
    expect(angles[39]).toBeCloseTo(0.2);
    expect(playback.point(5, LEFT_HAND, place)).toBe(true);
    playback.restart(0, 0);
    playback.advance(1);
    expect(playback.fingers(5, angles)).toBe(0);
  });
});
