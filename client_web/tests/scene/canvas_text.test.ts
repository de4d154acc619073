import { describe, expect, it } from 'vitest';
import { fitted, wrapped } from '../../src/scene/canvas_text';

/** Every letter is one pixel wide. */
const measure = (text: string) => [...text].length;

describe('text on a canvas', () => {
  it.each([
    ['Ada', 3, 'Ada'],
    ['Adalbert', 5, 'Adal…'],
    ['Ada Maria', 5, 'Ada…'],
    ['👩👩👩', 2, '👩…'],
    ['Ada', 0, '…'],
  ])('fits %s into %d', (text, width, expected) => {
    expect(fitted(text, width, measure)).toBe(expected);
  });

  it.each([
    ['', 10, 2, []],
    ['one two', 10, 2, ['one two']],
    ['one two three', 7, 3, ['one two', 'three']],
    ['one two three four', 7, 2, ['one two', 'three…']],
    ['unspeakable word', 5, 3, ['unsp…', 'word']],
  ])('wraps “%s” at %d into %d lines', (text, width, most, lines) => {
    expect(wrapped(text, width, most, measure)).toEqual(lines);
  });
});
