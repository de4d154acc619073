/** The QR code's drawing has exactly the dark modules of the code. */

import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { darkPath } from '../../src/ui/qr';

const RUN = /M(\d+) (\d+)h(\d+)v1H(\d+)z/g;

describe('the path of a QR code', () => {
  it('covers what is dark, once, and nothing else', () => {
    const link = 'https://10.1.2.3:8080/s/review#key=abcdefghijklmnopqrstuvwxyz012345';
    const { data, size } = encode(link, { ecc: 'M', border: 4 });
    const drawn = Array.from({ length: size }, () => Array<number>(size).fill(0));
    for (const [, x, y, width, back] of darkPath(data).matchAll(RUN)) {
      expect(back).toBe(x);
      for (let step = 0; step < Number(width); step += 1) {
        const row = drawn[Number(y)] ?? [];
        row[Number(x) + step] = (row[Number(x) + step] ?? 0) + 1;
      }
    }
    expect(drawn).toEqual(data.map((row) => row.map(Number)));
  });
});
