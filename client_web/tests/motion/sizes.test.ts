import { beforeEach, describe, expect, it } from 'vitest';
import { lengthsOf } from '../../src/motion/bones';
import { Sizes } from '../../src/motion/sizes';
import { DEFAULT_LENGTHS } from '../../src/protocol/generated';

const LONGER = { ...DEFAULT_LENGTHS, forearmM: 0.3 };
const LONGEST = { ...DEFAULT_LENGTHS, forearmM: 0.34 };
let sizes: Sizes;

beforeEach(() => {
  sizes = new Sizes();
  sizes.tell(1, 1, DEFAULT_LENGTHS, Number.NEGATIVE_INFINITY);
});

describe('lengths on screen', () => {
  it('are those of before until the poses that were solved for the new ones are played', () => {
    sizes.tell(1, 2, LONGER, 5_000);
    sizes.tell(1, 2, LONGER, 9_000); // said again, it is no news
    expect(sizes.at(1, 4_000)).toEqual(lengthsOf(DEFAULT_LENGTHS));
    expect(sizes.at(1, 5_000)).toEqual(lengthsOf(DEFAULT_LENGTHS));
    expect(sizes.at(1, 5_001)).toEqual(lengthsOf(LONGER));
    expect(sizes.at(1, 4_000)).toEqual(lengthsOf(LONGER)); // there is no way back
  });

  it('are the last ones in the end, however fast they change', () => {
    sizes.tell(1, 2, LONGER, 5_000);
    sizes.tell(1, 3, LONGEST, 6_000);
    expect(sizes.at(1, 7_000)).toEqual(lengthsOf(LONGEST));
  });

  it('are there before anything is played, and not for strangers', () => {
    expect(sizes.at(1, Number.NaN)).toEqual(lengthsOf(DEFAULT_LENGTHS));
    sizes.tell(1, 2, LONGER, Number.NEGATIVE_INFINITY);
    expect(sizes.at(1, Number.NaN)).toEqual(lengthsOf(LONGER));
    expect(sizes.at(2, 0)).toBeUndefined();
    sizes.forget(1);
    expect(sizes.at(1, 0)).toBeUndefined();
  });
});
