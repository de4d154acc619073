import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LENGTHS } from '../../src/motion/bones';
import { TRACKER_FRAME_BYTES, decodeTracker, encodeTracker } from '../../src/protocol/generated';
import { INDEX_OUT, RELAXED } from '../../src/sensing/desktop_fingers';
import { ROOM_M } from '../../src/sensing/desktop_walk';
import { random } from '../traces';
import { Person } from './people';

const ARM_M = 0.3 + 0.26 + 0.08;
const KEYS = ['KeyW', 'KeyA', 'KeyS', 'KeyD', 'KeyQ', 'KeyE', 'ShiftLeft', 'KeyC', 'KeyR', 'KeyF',
  'KeyP', 'KeyH', 'Space', 'Equal', 'Minus', 'ArrowUp', 'ArrowLeft', 'PageUp', 'PageDown', 'Escape'];

/** Somebody who presses, drags and clicks at random. */
function restless(person: Person, seconds: number, seed: number, each: () => void): void {
  const next = random(seed);
  person.run(seconds, () => {
    const key = KEYS[Math.floor(next() * KEYS.length)] ?? 'KeyW';
    if (next() < 0.1) person.intent.press(key, person.nowMs);
    if (next() < 0.1) person.intent.release(key, person.nowMs);
    if (next() < 0.05) person.intent.pressButtons(Math.floor(next() * 8));
    if (next() < 0.3) person.intent.move(3 * next() - 1.5, 3 * next() - 1.5, 400 * next() - 200, 99 * next() - 50);
    if (next() < 0.1) person.intent.wheel(20 * next() - 10);
    if (next() < 0.02) person.intent.stick(4 * next() - 2, 4 * next() - 2);
    each();
  });
}

/** Sends a person's sensors as the page does, and reads them as strictly as the server. */
function asServed(person: Person) {
  const out = new DataView(new ArrayBuffer(TRACKER_FRAME_BYTES));
  encodeTracker(person.sensors, out);
  return decodeTracker(new Uint8Array(out.buffer));
}

describe('a person at a desk', () => {
  it('stands upright with hanging hands, as tall as measured', () => {
    const person = new Person().run(0.5);
    expect(person.position(0).y).toBeCloseTo(1.62, 6);
    expect(person.sensors.tracked).toBe(7);
    for (const side of [0, 1] as const) {
      const palm = person.position(side + 1);
      expect(palm.y).toBeLessThan(0.95);
      expect(Math.sign(palm.x)).toBe(side === 0 ? -1 : 1);
      const fingers = new Vector3(0, 0, -1).applyQuaternion(person.rotation(side + 1));
      expect(fingers.y).toBeLessThan(-0.8);
    }
    const tall = new Person();
    tall.desktop.measure(DEFAULT_LENGTHS.map((length, index) => (index === 10 ? 1.9 : length)));
    tall.frame();
    expect(tall.position(0).y).toBeCloseTo(1.9, 6);
  });

  it('walks as far at every frame rate', () => {
    const places = [24, 30, 60, 72, 90, 120, 144].map((rate) => {
      const person = new Person(rate);
      person.intent.press('KeyW', 0);
      person.intent.press('KeyD', 0);
      person.run(2);
      person.intent.release('KeyD', 0);
      person.intent.press('ShiftLeft', 0);
      person.run(2);
      return [person.desktop.walk.x, person.desktop.walk.z];
    });
    for (const [x, z] of places) {
      expect(x).toBeCloseTo(places[0]?.[0] ?? 0, 9);
      expect(z).toBeCloseTo(places[0]?.[1] ?? 0, 9);
    }
    expect(places[0]?.[0]).toBeGreaterThan(1.5);
    expect(places[0]?.[1]).toBeLessThan(-6);
  });

  it('walks where it looks, and its trunk turns after its head', () => {
    const person = new Person();
    person.intent.lookYaw = Math.PI / 2; // to the left: −X
    person.run(1);
    expect(person.desktop.walk.trunkYaw).toBeGreaterThan(1.4);
    person.intent.press('KeyW', 0);
    person.run(1);
    expect(person.desktop.walk.x).toBeLessThan(-1);
    expect(Math.abs(person.desktop.walk.z)).toBeLessThan(1e-9);
    const glancing = new Person();
    glancing.intent.lookYaw = 0.4;
    glancing.run(2);
    expect(glancing.desktop.walk.trunkYaw).toBe(0);
  });

  it('swings its arms in a walk, against each other, unless motion is to be spared', () => {
    const apart = (still: boolean): number => {
      const person = new Person(60, still);
      person.intent.press('KeyW', 0);
      let most = 0;
      person.run(2, () => {
        most = Math.max(most, Math.abs(person.position(1).z - person.position(2).z));
      });
      return most;
    };
    expect(apart(false)).toBeGreaterThan(0.12);
    expect(apart(true)).toBeLessThan(1e-9);
  });

  it('crouches and rises again', () => {
    const person = new Person();
    person.intent.press('KeyC', 0);
    person.intent.release('KeyC', 100);
    person.run(1.5);
    expect(person.position(0).y).toBeCloseTo(0.7 * 1.62, 3);
    person.intent.press('KeyC', 5000);
    person.run(1.5);
    expect(person.position(0).y).toBeCloseTo(1.62, 3);
  });

  it('reaches under the pointer, as far as told and never further than an arm', () => {
    for (const [hand, key] of [[0, 'KeyF'], [1, 'KeyR']] as const) {
      for (const reachM of [0.3, 0.5, 5]) {
        for (const [x, y] of [[0, 0], [0.4, -0.3], [-0.3, 0.4], [0.8, 0.8]] as const) {
          const person = new Person();
          person.intent.press(key, 0);
          person.intent.reachM = reachM;
          person.intent.move(hand === 0 ? -x : x, y, 0, 0);
          person.run(1.5);
          const seen = person.position(hand + 1).sub(person.position(0));
          seen.applyQuaternion(person.rotation(0).invert());
          expect(person.stretched(hand)).toBeLessThan(0.95 * ARM_M + 1e-6);
          if (reachM < 0.4) continue; // so near that the hand has to pass the trunk
          expect(person.stretched(hand)).toBeCloseTo(Math.min(reachM, 0.95 * ARM_M), 3);
          expect(seen.x / -seen.z).toBeCloseTo(hand === 0 ? -x : x, 2);
          expect(seen.y / -seen.z).toBeCloseTo(y, 2);
        }
      }
    }
  });

  it('reaches with the palm down and forward, the fingers away from the body', () => {
    const person = new Person();
    person.intent.toggleReach();
    for (const [x, y] of [[0, 0], [0.5, 0.2], [-0.5, -0.3], [0, 0.6]] as const) {
      person.intent.move(x, y, 0, 0);
      person.run(1);
      const fingers = new Vector3(0, 0, -1).applyQuaternion(person.rotation(2));
      const palm = new Vector3(0, -1, 0).applyQuaternion(person.rotation(2));
      expect(fingers.z).toBeLessThan(-0.15);
      expect(Math.min(palm.y, palm.z)).toBeLessThan(-0.5);
      expect(Math.max(palm.y, palm.z)).toBeLessThan(0.3);
    }
  });

  it('keeps one hand where it reached while the other follows the pointer', () => {
    const person = new Person();
    person.intent.press('KeyF', 0);
    person.intent.move(-0.3, -0.2, 0, 0);
    person.run(1);
    person.intent.release('KeyF', 100);
    const kept = person.position(1);
    person.intent.press('KeyR', 2000);
    person.intent.move(0.4, 0.3, 0, 0);
    person.run(1);
    expect(person.position(1).distanceTo(kept)).toBeLessThan(1e-3);
    expect(person.stretched(1)).toBeCloseTo(person.intent.reachM, 3);
  });

  it('points with a stretched arm and finger at what the scene says lies there', () => {
    const person = new Person();
    person.intent.press('KeyP', 0);
    person.intent.move(0.2, -0.4, 0, 0);
    person.run(1);
    const { pointing, points, fingers, fingersKnown } = person.sensors;
    expect(pointing).toBe(2);
    expect(fingersKnown).toBe(2);
    const target = new Vector3().fromArray(points, 3);
    expect(target.y).toBeCloseTo(0, 9);
    const palm = person.position(2);
    const fingerLine = new Vector3(0, 0, -1).applyQuaternion(person.rotation(2));
    expect(target.clone().sub(palm).angleTo(fingerLine)).toBeLessThan(0.02);
    expect(person.stretched(1)).toBeCloseTo(0.9 * ARM_M, 2);
    expect(fingers[24]).toBeCloseTo(INDEX_OUT[4] ?? 9, 3);
    person.intent.release('KeyP', 5000);
    person.run(2);
    expect(person.sensors.pointing).toBe(0);
    expect(person.sensors.fingersKnown).toBe(0);
    expect(fingers[24]).toBeCloseTo(RELAXED[4] ?? 9, 3);
  });

  it('points into the distance where nothing is, and nowhere beyond the protocol', () => {
    for (const far of [[1e9, 2, -1e9], [Number.NaN, 0, 0], [0, Number.POSITIVE_INFINITY, 0]]) {
      const outlook = {
        ray: (_x: number, _y: number, out: Float64Array) => out.set([0, 1.6, 0, 0, 0, -1]),
        hit: (_ray: Float64Array, out: Float64Array) => (out.set(far), true),
      };
      const person = new Person(60, false, outlook);
      person.intent.togglePoint();
      person.run(0.5);
      expect([...person.sensors.points].every((at) => Math.abs(at) <= 100)).toBe(true);
      expect(() => asServed(person)).not.toThrow();
    }
  });

  it('survives a picture that can not tell where the pointer is', () => {
    const outlook = {
      ray: (_x: number, _y: number, out: Float64Array) => out.fill(Number.NaN),
      hit: () => false,
    };
    const person = new Person(60, false, outlook);
    person.intent.toggleReach();
    person.run(1);
    expect(person.stretched(1)).toBeCloseTo(person.intent.reachM, 3);
  });

  it('pinches by a click while it reaches, and not otherwise', () => {
    const person = new Person();
    person.intent.pressButtons(1);
    person.run(0.5);
    expect(person.sensors.inputs[5]).toBe(0);
    person.intent.pressButtons(0);
    person.intent.pressButtons(2);
    person.intent.pressButtons(3);
    person.run(0.5);
    expect(person.sensors.inputs[5]).toBe(255);
    expect(person.sensors.inputs[1]).toBe(0);
    person.intent.pressButtons(2);
    person.run(0.5);
    expect(person.sensors.inputs[5]).toBe(0);
  });

  it('says that it jumped when it is put somewhere else, and never else', () => {
    const person = new Person();
    restless(person, 20, 5, () => {
      if (person.sensors.discontinuity !== 0) throw new Error('said that it jumped');
    });
    person.desktop.standAt(3, -4, 1);
    person.frame();
    expect(person.sensors.discontinuity).toBe(1);
    expect(person.position(0).distanceTo(new Vector3(3, 1.62, -4))).toBeLessThan(0.6);
    person.run(1);
    expect(person.sensors.discontinuity).toBe(1);
  });

  it('stays inside the room, and stops at its walls', () => {
    const person = new Person();
    person.desktop.standAt(ROOM_M - 1, 1e9, 0);
    expect(person.desktop.walk.z).toBe(ROOM_M);
    person.intent.press('KeyD', 0);
    person.intent.press('ShiftLeft', 0);
    person.run(5);
    expect(person.desktop.walk.x).toBe(ROOM_M);
    expect(person.desktop.walk.speed).toBeLessThan(1e-9);
    person.desktop.standAt(Number.NaN, Number.NEGATIVE_INFINITY, Number.NaN);
    person.frame();
    expect(() => asServed(person)).not.toThrow();
  });

  it('never is what the server refuses, nor moves a hand faster than people can', () => {
    for (const [seed, rate] of [[1, 60], [2, 144], [3, 20]] as const) {
      const person = new Person(rate);
      const trunk = () => person.desktop.walk;
      let before = [person.position(1), person.position(2)].map((palm) => palm.sub(person.desktop.body.chest));
      let yaw = trunk().trunkYaw;
      let [crooked, furthest, fastest] = [0, 0, 0];
      restless(person, 20, seed, () => {
        asServed(person);
        for (const sensor of [0, 1, 2]) {
          crooked = Math.max(crooked, Math.abs(person.rotation(sensor).length() - 1));
        }
        for (const side of [0, 1] as const) furthest = Math.max(furthest, person.stretched(side));
        const now = [person.position(1), person.position(2)].map((palm) => palm.sub(person.desktop.body.chest));
        const turned = Math.abs(trunk().trunkYaw - yaw) > 0.02;
        now.forEach((palm, side) => {
          const moved = palm.distanceTo(before[side] ?? palm);
          if (!turned) fastest = Math.max(fastest, moved * rate);
        });
        before = now;
        yaw = trunk().trunkYaw;
      });
      expect(crooked).toBeLessThan(1e-9);
      expect(furthest).toBeLessThan(ARM_M);
      expect(fastest).toBeLessThan(20);
    }
  });

  it('keeps hands with the body in a walk: they do not lag', () => {
    const person = new Person();
    person.intent.toggleReach();
    person.run(1);
    const before = person.position(2).sub(person.position(0));
    person.intent.press('KeyW', 0);
    person.intent.press('ShiftLeft', 0);
    person.run(1);
    expect(person.position(2).sub(person.position(0)).distanceTo(before)).toBeLessThan(1e-3);
  });
});
