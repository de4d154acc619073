import { describe, expect, it } from 'vitest';
import casesText from '../../../tests/golden/avatars/cases.json?raw';
import { checkAmounts } from '../../src/avatars/amounts';
import { AVATAR_FAULTS, checkAvatar, imageSize } from '../../src/avatars/check';
import type { JsonObject } from '../../src/avatars/glb';

interface Case {
  readonly name: string;
  readonly glb: string;
  readonly pad_to: number | null;
  readonly fault: string | null;
}

const cases = JSON.parse(casesText) as Case[];

function bytesOf({ glb, pad_to: length }: Case): Uint8Array {
  const bytes = Uint8Array.from(atob(glb), (letter) => letter.charCodeAt(0));
  if (length === null) return bytes;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  return padded;
}

describe('a person’s own avatar', () => {
  it.each(cases.map((each) => [each.name, each] as const))('is judged as the server does: %s', (_, each) => {
    const found = checkAvatar(bytesOf(each));
    expect(found?.fault ?? null).toBe(each.fault);
    if (found !== undefined) expect(found.words).toMatch(/^(The|An|Everything) .+\.$/);
  });

  it('is refused for each reason by some case', () => {
    const faults = new Set(cases.map(({ fault }) => fault));
    expect(AVATAR_FAULTS.every((fault) => faults.has(fault))).toBe(true);
  });

  it('never makes the check itself fail, whatever its bytes are', () => {
    const sound = bytesOf(cases[0] as Case);
    let state = 7;
    const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0);
    let refused = 0;
    for (let time = 0; time < 3000; time += 1) {
      const bytes = sound.slice(0, time % 3 === 0 ? next() % sound.length : undefined);
      for (let change = 0; change < 1 + (time % 4) && bytes.length > 0; change += 1) {
        bytes[next() % bytes.length] = next() >>> 16;
      }
      if (checkAvatar(bytes) !== undefined) refused += 1;
    }
    expect(refused).toBeGreaterThan(1000);
  });

  it('is refused when one vertex of it is missing', () => {
    const sound = bytesOf(cases[0] as Case);
    for (let length = 0; length < sound.length; length += 1) {
      expect(checkAvatar(sound.subarray(0, length))?.fault).toBe('not-glb');
    }
  });
});

describe('the size of an image', () => {
  it('is read from a JPEG whatever comes before its frame', () => {
    const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8, 1, 0, 2, 0, 3, 0, 0];
    expect(imageSize(Uint8Array.from(jpeg))).toEqual([512, 256]);
  });

  it('is unknown for a JPEG that ends before its frame, or has none', () => {
    expect(imageSize(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 200]))).toBeUndefined();
    expect(imageSize(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
    expect(imageSize(Uint8Array.from([0xff, 0xd8, 0xff, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
  });
});

describe('what is drawn of an avatar', () => {
  /** Meshes of so many vertices and morph targets each, and nodes that show these of them. */
  function file(vertices: readonly number[], targets: number, shown: readonly number[]): JsonObject {
    const meshes = vertices.map((_, index) => ({
      primitives: [{ attributes: { POSITION: index }, targets: Array.from({ length: targets }, () => ({ POSITION: index })) }],
    }));
    return { accessors: vertices.map((count) => ({ count })), meshes, nodes: shown.map((mesh) => ({ mesh })) };
  }

  it('may be as much as the caps say', () => {
    expect(() => checkAmounts(file([100_000, 100_000], 0, [0, 1]))).not.toThrow();
  });

  it('counts a mesh for each node that shows it', () => {
    expect(() => checkAmounts(file([100_000], 0, [0, 0]))).not.toThrow();
    expect(() => checkAmounts(file([100_000], 0, [0, 0, 0]))).toThrow('300000 vertices');
  });

  it('counts a vertex for each morph target that moves it', () => {
    expect(() => checkAmounts(file([16_000], 500, [0]))).not.toThrow();
    expect(() => checkAmounts(file([16_001], 500, [0]))).toThrow('vertices in morph targets');
  });

  it('counts no mesh that is not there', () => {
    expect(() => checkAmounts(file([10], 0, [7]))).not.toThrow();
  });
});
