import { describe, expect, it } from 'vitest';
import {
  BLINK_MS,
  CONNECT_MS,
  PATIENCE_MS,
  Recovery,
  SLOW_MS,
  TRIES,
  type Mending,
} from '../../src/voice/recovery';

/** Asks ten times a second, and says when what was to be done. */
function run(recovery: Recovery, fromMs: number, toMs: number): [atMs: number, mending: Mending][] {
  const done: [number, Mending][] = [];
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 100) {
    const mending = recovery.due(nowMs);
    if (mending !== undefined) done.push([nowMs, mending]);
  }
  return done;
}

function connected(offers: boolean): Recovery {
  const recovery = new Recovery(offers);
  recovery.begin(0);
  recovery.observe('connected', 1000);
  return recovery;
}

describe('the mending of a line', () => {
  it('leaves a good line alone', () => {
    const recovery = connected(true);
    expect(run(recovery, 1000, 600_000)).toEqual([]);
    expect(recovery.state).toBe('connected');
  });

  it('lets a blink of the network pass', () => {
    const recovery = connected(true);
    recovery.observe('disconnected', 2000);
    expect(recovery.state).toBe('troubled');
    expect(run(recovery, 2000, 2000 + BLINK_MS)).toEqual([]);
    recovery.observe('connected', 2000 + BLINK_MS - 1);
    expect(run(recovery, 2000 + BLINK_MS, 60_000)).toEqual([]);
    expect(recovery.state).toBe('connected');
  });

  it('restarts a line that stays away, and then makes a new one', () => {
    const recovery = connected(true);
    recovery.observe('disconnected', 2000);
    const done = run(recovery, 2000, 2000 + BLINK_MS + CONNECT_MS + 100);
    expect(done).toEqual([
      [2000 + BLINK_MS, 'restart'],
      [2000 + BLINK_MS + CONNECT_MS, 'renew'],
    ]);
  });

  it('restarts a failed line at once', () => {
    const recovery = connected(true);
    recovery.observe('disconnected', 2000);
    recovery.observe('failed', 2500);
    expect(recovery.due(2500)).toBe('restart');
  });

  it('never restarts from the side that answers, and is slower there', () => {
    const recovery = connected(false);
    recovery.observe('failed', 2000);
    const [first] = run(recovery, 2000, 60_000);
    expect(first).toEqual([2000 + PATIENCE_MS, 'renew']);
  });

  it('says so after some tries, and goes on trying slowly', () => {
    const recovery = new Recovery(true);
    recovery.begin(0);
    const times: number[] = [];
    const states: string[] = [];
    for (let nowMs = 0; nowMs < 300_000; nowMs += 100) {
      if (recovery.due(nowMs) === undefined) continue;
      times.push(nowMs);
      states.push(recovery.state);
      recovery.begin(nowMs);
      recovery.observe('failed', nowMs + 50);
    }
    expect(states.slice(0, TRIES)).toEqual(['connecting', 'connecting', 'failed']);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[0]).toBeLessThan(CONNECT_MS);
    expect(gaps.slice(TRIES).every((gap) => gap >= SLOW_MS && gap < SLOW_MS + 200)).toBe(true);
    recovery.observe('connected', 301_000);
    expect(recovery.state).toBe('connected');
  });

  it('makes a new line when the other has given the old one up', () => {
    const recovery = connected(true);
    recovery.lost(5000);
    expect(recovery.due(5000)).toBe('renew');
  });
});
