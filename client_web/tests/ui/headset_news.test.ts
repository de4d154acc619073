import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/net/connection';
import { PassingWords } from '../../src/scene/passing_words';
import { BACK, HeadsetNews, LOST } from '../../src/ui/headset_news';

const LIVE = { kind: 'live' } as Phase;
const WAITING = { kind: 'waiting' } as Phase;
const FIRST = { kind: 'connecting', again: false } as Phase;
const AGAIN = { kind: 'connecting', again: true } as Phase;

describe('news in a headset', () => {
  it('tell of a lost connection until it is back, and of that once', () => {
    const words = new PassingWords();
    const news = new HeadsetNews(() => words);
    const seen = [FIRST, LIVE, AGAIN, LIVE, WAITING, AGAIN, WAITING, AGAIN, LIVE, LIVE].map((phase) => {
      news.show(phase);
      words.update(true, 1);
      return words.text;
    });
    expect(seen).toEqual(['', '', '', '', LOST, LOST, LOST, LOST, BACK, BACK]);
    for (let second = 0; second < 5; second += 1) words.update(true, 1);
    news.show(LIVE);
    words.update(true, 1);
    expect(words.opacity).toBe(0);
  });

  it('go nowhere where nothing is drawn', () => {
    const news = new HeadsetNews(() => undefined);
    news.say('Hello');
    news.show(WAITING);
    news.show(LIVE);
  });
});
