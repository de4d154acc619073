import { beforeEach, describe, expect, it } from 'vitest';
import { closing, IMPOSSIBLE, MISSED } from '../../src/net/closing';
import { Connection, type Phase, type Transport } from '../../src/net/connection';

class Recorder implements Transport {
  readonly calls: string[] = [];
  open = () => void this.calls.push('open');
  sayHello = () => void this.calls.push('hello');
  ping = () => void this.calls.push('ping');
  close = () => void this.calls.push('close');
  drop = () => void this.calls.push('drop');
  count = (name: string) => this.calls.filter((call) => call === name).length;
}

let transport: Recorder;
let phases: Phase[];
let connection: Connection;

beforeEach(() => {
  transport = new Recorder();
  phases = [];
  connection = new Connection(transport, (phase) => phases.push(phase), () => 1);
});

function goLive(nowMs: number): void {
  connection.start(nowMs);
  connection.onOpen(nowMs + 5);
  connection.onHeard(nowMs + 10);
  connection.onWelcome(nowMs + 10);
}

/** Ticks as a timer does, until a time or until the phase changes; returns the time. */
function tickUntil(fromMs: number, untilMs: number, everyMs = 250): number {
  const { kind } = connection.phase;
  let now = fromMs;
  while (now < untilMs && connection.phase.kind === kind) {
    now += everyMs;
    connection.tick(now);
  }
  return now;
}

describe('a connection', () => {
  it('says hello once open, is live once welcomed, and pings soon and then steadily', () => {
    goLive(0);
    expect(phases.map((phase) => phase.kind)).toEqual(['connecting', 'live']);
    for (let now = 20; now <= 20_000; now += 20) connection.onHeard(now);
    expect(transport.calls.slice(0, 3)).toEqual(['open', 'hello', 'ping']);
    expect(transport.count('ping')).toBeGreaterThanOrEqual(12);
    expect(transport.count('ping')).toBeLessThanOrEqual(16);
  });

  it('does not ask for what can only be refused', () => {
    connection.refuse(IMPOSSIBLE);
    for (let now = 0; now < 60_000; now += 250) connection.tick(now);
    connection.wake(60_000);
    expect(phases).toEqual([{ kind: 'ended', why: closing(4404, '') }]);
    expect(IMPOSSIBLE.sentence).toMatch(/session of that name/);
    expect(transport.calls).toEqual([]);
  });

  it('keeps pinging on arrivals alone, when timers stand still in a hidden tab', () => {
    goLive(0);
    for (let now = 0; now < 120_000; now += 1000) connection.onHeard(now);
    expect(transport.count('ping')).toBeGreaterThan(50);
    expect(connection.phase.kind).toBe('live');
  });

  it('waits and comes back after a loss, a restart and a silence', () => {
    for (const lose of [
      (now: number) => connection.onClose(now, 1006, ''),
      (now: number) => connection.onClose(now, 1012, 'restarting'),
      (now: number) => void tickUntil(now, now + 10_000),
    ]) {
      transport.calls.length = 0;
      goLive(0);
      connection.tick(6_000);
      lose(6_000);
      expect(connection.phase.kind).toBe('waiting');
      tickUntil(12_000, 40_000);
      expect(connection.phase).toEqual({ kind: 'connecting', again: true });
      expect(transport.count('open')).toBe(2);
    }
  });

  it('says how long it waits: doubling, capped, starting small again after a good connection', () => {
    goLive(0);
    let now = 10_000;
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      connection.onClose(now, 1006, '');
      const { phase } = connection;
      if (phase.kind !== 'waiting') throw new Error(`is ${phase.kind}`);
      waits.push(phase.untilMs - now);
      now = phase.untilMs;
      connection.tick(now);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
    connection.onOpen(now);
    connection.onWelcome(now);
    connection.onClose(now + 6_000, 1006, '');
    expect(connection.phase).toMatchObject({ kind: 'waiting', untilMs: now + 6_500 });
  });

  it('does not start small again after a connection that failed at once', () => {
    goLive(0);
    connection.onClose(100, 1012, '');
    connection.tick(600);
    connection.onOpen(600);
    connection.onWelcome(600);
    connection.onClose(700, 1012, '');
    expect(connection.phase).toMatchObject({ kind: 'waiting', untilMs: 1700 });
  });

  it('ends without trying again where that can not help, and says why', () => {
    for (const code of [4400, 4401, 4402, 4404, 4410, 4429, 4503, 4504, 4999]) {
      goLive(0);
      connection.onClose(20, code, 'the server’s words');
      expect(connection.phase).toEqual({ kind: 'ended', why: closing(code, 'the server’s words') });
      transport.calls.length = 0;
      for (let now = 0; now < 60_000; now += 250) connection.tick(now);
      connection.wake(60_000);
      expect(transport.calls).toEqual([]);
    }
  });

  it('has a sentence for every close code, and the server’s words for those it does not know', () => {
    expect(closing(4777, 'Try the blue door.').sentence).toBe('Try the blue door.');
    expect(closing(1011, '').sentence).not.toBe('');
    expect(closing(4401, '').remedy).toBe('link');
  });

  it('starts again when asked to, after an end too', () => {
    goLive(0);
    connection.onClose(20, 4503, '');
    connection.start(5_000);
    expect(connection.phase.kind).toBe('connecting');
  });

  it('gives up a socket that does not open, and one that is not welcomed', () => {
    connection.start(0);
    tickUntil(0, 30_000);
    expect(connection.phase).toMatchObject({ kind: 'waiting' });
    expect(transport.calls).toEqual(['open', 'drop']); // not for good: the person's place is kept
    tickUntil(12_000, 30_000);
    connection.onOpen(13_000);
    tickUntil(13_000, 40_000);
    expect(connection.phase).toMatchObject({ kind: 'waiting' });
  });

  it('connects at once when the tab is looked at while it waits', () => {
    goLive(0);
    connection.onClose(6_000, 1006, '');
    connection.wake(6_010);
    expect(connection.phase.kind).toBe('connecting');
  });

  it('does not take its own sleep for the server’s silence', () => {
    goLive(0);
    connection.tick(1_000);
    connection.tick(3_600_000);
    expect(connection.phase.kind).toBe('live');
    expect(transport.count('ping')).toBeGreaterThan(1);
    connection.onHeard(3_600_100);
    tickUntil(3_600_100, 3_604_000);
    expect(connection.phase.kind).toBe('live');
  });

  it('notices after a sleep that the server is gone', () => {
    goLive(0);
    connection.tick(1_000);
    connection.wake(3_600_000);
    const now = tickUntil(3_600_000, 3_620_000);
    expect(connection.phase.kind).toBe('waiting');
    expect(now).toBeLessThan(3_604_000);
  });

  it('joins anew when something is missing', () => {
    goLive(0);
    connection.onNonsense(100, MISSED);
    expect(connection.phase).toMatchObject({ kind: 'waiting', why: MISSED });
    expect(transport.calls.at(-1)).toBe('drop');
  });

  it('leaves for good', () => {
    goLive(0);
    connection.leave();
    tickUntil(0, 60_000);
    expect(connection.phase.kind).toBe('ended');
    expect(transport.calls.at(-1)).toBe('close');
    expect(transport.count('open')).toBe(1);
  });
});
