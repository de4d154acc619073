import { describe, expect, it } from 'vitest';
import { PassingWords } from '../../src/scene/passing_words';

const FRAME_S = 1 / 72;

function run(words: PassingWords, seconds: number, seen = true): void {
  for (let frame = 0; frame < seconds / FRAME_S; frame += 1) words.update(seen, FRAME_S);
}

describe('words before the eyes', () => {
  it('come at once, stay to be read, and fade away entirely', () => {
    const words = new PassingWords();
    run(words, 1);
    expect(words.opacity).toBe(0);
    words.say('Muted');
    run(words, 0.4);
    expect([words.text, words.opacity > 0.98]).toEqual(['Muted', true]);
    run(words, 1.5);
    expect(words.opacity).toBeGreaterThan(0.98);
    run(words, 2);
    expect(words.opacity).toBe(0);
  });

  it('go before a lasting state, which stays until it is over', () => {
    const words = new PassingWords();
    words.keep('Disconnected');
    run(words, 20);
    expect([words.text, words.opacity > 0.98]).toEqual(['Disconnected', true]);
    words.say('No');
    run(words, 1);
    expect(words.text).toBe('No');
    run(words, 2);
    expect(words.text).toBe('Disconnected');
    words.keep('');
    run(words, 3);
    expect(words.opacity).toBe(0);
  });

  it('said while nobody wears the headset are not kept for later, but a state is', () => {
    const words = new PassingWords();
    words.say('Gone');
    run(words, 0.1, false);
    run(words, 1);
    expect(words.opacity).toBe(0);
    words.keep('Disconnected');
    run(words, 1, false);
    run(words, 1);
    expect([words.text, words.opacity > 0.98]).toEqual(['Disconnected', true]);
  });
});
