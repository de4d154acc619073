import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import known from '../../../tests/golden/desktop_postures.json';
import { Person } from './people';

/** The Python side solves these postures; both sides read one file. */
const FILE = new URL('../../../tests/golden/desktop_postures.json', import.meta.url);

interface Posture {
  readonly what: string;
  /** Head, left palm, right palm: position xyz, rotation xyzw. */
  readonly poses: readonly number[];
}

const DIGITS = 6;

function taken(what: string, person: Person): Posture {
  return { what, poses: [...person.sensors.poses].map((number) => Number(number.toFixed(DIGITS))) };
}

function standing(): Posture[] {
  const turned = new Person();
  turned.intent.lookYaw = 0.5;
  const down = new Person();
  down.intent.lookPitch = -1;
  const crouched = new Person();
  crouched.intent.toggleCrouch();
  const walking = new Person();
  walking.intent.press('KeyW', 0);
  return [
    taken('at rest', new Person().run(1)),
    taken('head turned', turned.run(1)),
    taken('looking down', down.run(1)),
    taken('crouched', crouched.run(1)),
    ...Array.from({ length: 6 }, (_, step) => taken(`walking ${step}`, walking.run(0.17))),
  ];
}

function reaching(): Posture[] {
  const result: Posture[] = [];
  for (const reachM of [0.4, 0.54, 0.6]) {
    for (const x of [-0.7, 0, 0.7]) {
      for (const y of [-0.7, 0, 0.7]) {
        const person = new Person();
        person.intent.toggleReach();
        person.intent.reachM = reachM;
        person.intent.move(x, y, 0, 0);
        result.push(taken(`reaching ${reachM} m to ${x}, ${y}`, person.run(1)));
      }
    }
  }
  return result;
}

function pointing(): Posture[] {
  return [-0.5, 0, 0.5].flatMap((x) =>
    [-0.6, -0.2, 0.4].map((y) => {
      const person = new Person();
      person.intent.togglePoint();
      person.intent.move(x, y, 0, 0);
      return taken(`pointing to ${x}, ${y}`, person.run(1));
    }),
  );
}

describe('the postures of a person at a desk', () => {
  it('are those that the solver is tested with; UPDATE_GOLDEN=1 writes them anew', () => {
    const postures = [...standing(), ...reaching(), ...pointing()];
    if (process.env['UPDATE_GOLDEN'] === '1') {
      const lines = postures.map((posture) => `  ${JSON.stringify(posture)}`);
      writeFileSync(FILE, `[\n${lines.join(',\n')}\n]\n`);
      return;
    }
    expect(postures.map(({ what }) => what)).toEqual(known.map(({ what }) => what));
    postures.forEach(({ what, poses }, index) => {
      const furthest = Math.max(...poses.map((number, at) => Math.abs(number - (known[index]?.poses[at] ?? 9))));
      expect(furthest, what).toBeLessThan(1e-5);
    });
  });
});
