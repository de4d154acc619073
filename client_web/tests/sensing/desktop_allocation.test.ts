import { describe, expect, it } from 'vitest';
import { Sender } from '../../src/net/sender';
import { bytesPerCall } from '../allocation';
import { Person } from './people';

/** The engine boxes numbers where it does not inline a call: 16 bytes each, and nothing else. */
const BOXED_BYTES = 1200;

describe('a frame of a person at a desk', () => {
  it('makes no objects: walking, reaching and pointing, and sending it', { timeout: 60_000 }, () => {
    const person = new Person(144);
    const sender = new Sender({ sendFrame: () => true });
    sender.start(60, true);
    person.intent.press('KeyW', 0);
    person.intent.press('KeyQ', 0);
    person.intent.press('KeyF', 0);
    person.intent.togglePoint();
    const bytes = bytesPerCall(() => {
      person.frame();
      sender.take(person.sensors, person.nowMs);
    }, BOXED_BYTES);
    expect(sender.handsSent).toBeGreaterThan(100);
    expect(bytes).toBeLessThan(BOXED_BYTES);
  });

  it('would be caught allocating', { timeout: 60_000 }, () => {
    const kept = { last: new Float64Array(1) };
    const bytes = bytesPerCall(() => {
      for (let time = 0; time < 10; time += 1) kept.last = new Float64Array(12);
    }, BOXED_BYTES);
    expect(bytes).toBeGreaterThan(BOXED_BYTES);
  });
});
