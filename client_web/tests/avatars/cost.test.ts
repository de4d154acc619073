import { expect, it, vi } from 'vitest';
import { Wardrobe } from '../../src/avatars/wardrobe';
import { DEFAULT_LENGTHS, type WritableFloats } from '../../src/motion/bones';
import { Provenance } from '../../src/protocol/generated';
import { Crowd } from '../../src/scene/crowd';
import type { Appearance } from '../../src/scene/figure_slot';
import { random } from '../traces';
import { poseOf, someAngles, uprightChest } from '../body/people';
import { SHIPPED_JSON, shippedFile } from './shipped';

const PEOPLE = 50;
const ROUNDS = 9;
const FRAMES = 10;

const next = random(9);
const poses = Array.from({ length: 64 }, () =>
  poseOf({ chest: [4 * next(), uprightChest() - 0.2 * next(), 4 * next()], turn: 6 * next(), angles: someAngles(next) }),
);
const { TRACKED } = Provenance;
const look = (avatar: string): Appearance => ({
  colour: '#6093de',
  lengths: DEFAULT_LENGTHS,
  connected: true,
  provenance: [TRACKED, TRACKED, TRACKED],
  avatar,
});
const dressed = look('woman');
const plain = look('figure');

class Stage {
  private readonly crowd: Crowd;
  private readonly ids: number[];
  private frame = 0;

  constructor(
    people: number,
    private readonly worn: Appearance,
  ) {
    const files = {
      list: () => Promise.resolve(SHIPPED_JSON),
      shipped: (file: string) => Promise.resolve(shippedFile(file)),
      own: () => Promise.reject(new Error('none')),
    };
    this.crowd = new Crowd(64, true, new Wardrobe(files, () => undefined));
    this.ids = Array.from({ length: people }, (_, index) => index + 1);
  }

  async ready(): Promise<this> {
    await vi.waitFor(() => {
      this.draw();
      expect(this.crowd.troupe?.cost.draws).toBe(this.worn === dressed ? 1 : 0);
    }, { timeout: 20_000, interval: 10 });
    for (let frame = 0; frame < 100; frame += 1) this.draw();
    return this;
  }

  draw(): void {
    this.frame += 1;
    const sway = 0.02 * Math.sin(this.frame / 20);
    const source = (id: number, pose: WritableFloats): boolean => {
      const from = poses[id % 64] ?? [];
      for (let part = 0; part < from.length; part += 1) pose[part] = from[part] ?? 0;
      pose[0] = (pose[0] ?? 0) + sway;
      return true;
    };
    this.crowd.update(this.ids, source, () => this.worn, 1 / 60);
  }

  /** Milliseconds a frame, over so many frames. */
  time(frames: number): number {
    const start = performance.now();
    for (let frame = 0; frame < frames; frame += 1) this.draw();
    return (performance.now() - start) / frames;
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

it('fifty people in avatars cost as much as fifty times one, and not many times the figures', { timeout: 60_000 }, async () => {
  const one = await new Stage(1, dressed).ready();
  const many = await new Stage(PEOPLE, dressed).ready();
  const figures = await new Stage(PEOPLE, plain).ready();
  const times = { one: [] as number[], many: [] as number[], figures: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    // As long as the many: a busy machine interrupts both alike.
    times.one.push(one.time(PEOPLE * FRAMES));
    times.many.push(many.time(FRAMES));
    times.figures.push(figures.time(4 * FRAMES));
  }
  const [single, all, plainly] = [median(times.one), median(times.many), median(times.figures)];
  console.info(
    `crowd.update: ${single.toFixed(3)} ms for one avatar, ${all.toFixed(2)} ms for ${PEOPLE}, ` +
      `${plainly.toFixed(2)} ms for ${PEOPLE} figures`,
  );
  expect(all / single).toBeLessThan(1.5 * PEOPLE);
  expect(all / plainly).toBeLessThan(15);
});
