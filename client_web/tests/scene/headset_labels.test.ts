import { Vector3 } from 'three';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FigureSlot } from '../../src/scene/figure_slot';
import { HeadsetLabels } from '../../src/scene/headset_labels';
import type { LabelText } from '../../src/scene/labels';
import { bytesPerCall } from '../allocation';

const EYES = [0, 1.7, 0];

/** People with eyes at places, as far as tags ask. */
class PaperCrowd {
  readonly people = new Map<number, FigureSlot>();

  put(id: number, x: number, z: number, firstPerson = false): void {
    const eyes = new Vector3(x, 1.5, z);
    const placeOf = (_: string, out: Vector3) => out.copy(eyes);
    this.people.set(id, { firstPerson, visibility: 1, placeOf } as unknown as FigureSlot);
  }

  each(visit: (figure: FigureSlot, id: number) => void): void {
    this.people.forEach(visit);
  }
}

const texts = (id: number): LabelText => ({ name: `P${id}`, colour: '#ff0000', speaking: id === 2 });
let written: string[] = [];

beforeEach(() => {
  written = [];
  const context = {
    measureText: (text: string) => ({ width: 15 * text.length }),
    fillRect: () => undefined,
    fillText: (text: string) => written.push(text),
  };
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => context }) });
});
afterEach(() => vi.unstubAllGlobals());

function heights(labels: HeadsetLabels): number[] {
  const { array } = labels.mesh.geometry.getAttribute('state');
  return labels.shown.map((_, index) => array[3 * index] ?? 0);
}

describe('names in a headset', () => {
  it('are above everyone but oneself, the nearest last, and written once', () => {
    const crowd = new PaperCrowd();
    crowd.put(1, 0, 0, true);
    crowd.put(2, 0, -2);
    crowd.put(3, 0, -5);
    crowd.put(4, 1, -1);
    const labels = new HeadsetLabels(8);
    for (let frame = 0; frame < 3; frame += 1) labels.update(true, crowd, texts, EYES);
    expect(labels.shown).toEqual(['P3', 'P2', 'P4']);
    expect(written).toEqual(['P2', 'P3', 'P4']);
    const { array } = labels.mesh.geometry.getAttribute('place');
    expect([...array.slice(0, 3)]).toEqual([0, expect.closeTo(1.7, 6), -5]);
    const states = labels.mesh.geometry.getAttribute('state').array;
    expect([2, 5, 8].map((index) => states[index])).toEqual([0, 1, 0]); // who speaks
  });

  it('look equally large within limits', () => {
    const crowd = new PaperCrowd();
    for (const [id, away] of [[1, 40], [2, 8], [3, 4], [4, 2], [5, 0.5]] as const) crowd.put(id, 0, -away);
    const labels = new HeadsetLabels(8);
    labels.update(true, crowd, texts, EYES);
    expect(labels.shown).toEqual(['P1', 'P2', 'P3', 'P4', 'P5']);
    expect(heights(labels)).toEqual([0.3, 0.272, 0.136, 0.068, 0.05].map((each) => expect.closeTo(each, 6)));
  });

  it('go with their people, and their cells serve others', () => {
    const crowd = new PaperCrowd();
    const labels = new HeadsetLabels(2);
    for (let id = 1; id < 20; id += 1) {
      crowd.people.clear();
      crowd.put(id, 0, -2);
      crowd.put(id + 1, 0, -3);
      crowd.put(id + 2, 0, -4); // one more than there is room for
      labels.update(true, crowd, texts, EYES);
      labels.update(true, crowd, texts, EYES);
      expect(labels.shown).toHaveLength(2);
    }
    crowd.people.clear();
    labels.update(true, crowd, texts, EYES);
    expect(labels.shown).toEqual([]);
  });

  it('are not there on a screen, and cost nothing', () => {
    const crowd = new PaperCrowd();
    crowd.put(1, 0, -2);
    const labels = new HeadsetLabels(2);
    labels.update(false, crowd, texts, EYES);
    expect([labels.mesh.visible, labels.shown, written]).toEqual([false, [], []]);
  });

  it('are moved without allocating', { timeout: 30_000 }, () => {
    const crowd = new PaperCrowd();
    for (let id = 1; id <= 12; id += 1) crowd.put(id, Math.sin(id), -id);
    const kept = texts(1);
    const labels = new HeadsetLabels(16);
    const eyes = new Float64Array(EYES);
    let frame = 0;
    const textOf = () => kept;
    const call = () => {
      eyes[2] = -6 + (frame++ % 100) / 10;
      labels.update(true, crowd, textOf, eyes);
    };
    // A number or two that V8 keeps on the heap.
    expect(bytesPerCall(call, 64)).toBeLessThan(64);
  });
});
