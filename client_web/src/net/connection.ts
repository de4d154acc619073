/**
 * Owns the life of a connection: when to connect, say hello, ping, give up and try again.
 *
 * A pure state machine. Whatever happens is told to it with the time; it acts through a
 * `Transport` and reports its phase. It must hear `tick` a few times a second, but copes with
 * ticks that stop for minutes, as they do in a sleeping tab. Times are local milliseconds.
 */

import { waitMs } from './backoff';
import { closing, LOST, SILENCE, UNREACHABLE, type Closing } from './closing';

export type Phase =
  | { readonly kind: 'connecting'; readonly again: boolean }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly why: Closing; readonly untilMs: number }
  | { readonly kind: 'ended'; readonly why: Closing };

export interface Transport {
  /** Opens a new socket; events of any earlier one no longer reach the connection. */
  open(): void;
  sayHello(): void;
  ping(): void;
  /** Closes the socket for good; nothing more of it reaches the connection. */
  close(): void;
  /** Gives the socket up to open another one later; nothing more of it reaches the connection. */
  drop(): void;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 6_000;
const PING_EVERY_MS = 2_000;
/** The first pings follow each other faster, to learn the clock's offset soon. */
const FIRST_PINGS = 5;
const FIRST_PING_EVERY_MS = 250;
/** A connection that held this long was a good one: the next wait is short again. */
const PROVEN_MS = 5_000;
/** Ticks this far apart mean that the tab slept, and what arrived meanwhile is still queued. */
const SLEPT_MS = 3_000;
const WAKE_GRACE_MS = 2_500;

export class Connection {
  private current: Phase = { kind: 'ended', why: closing(1000, '') };
  private attempt = 0;
  private opened = false;
  private sinceMs = 0;
  private heardMs = 0;
  private pingDueMs = 0;
  private pings = 0;
  private tickMs = 0;
  private wasLive = false;

  constructor(
    private readonly transport: Transport,
    private readonly onPhase: (phase: Phase) => void,
    private readonly random: () => number = Math.random,
  ) {}

  get phase(): Phase {
    return this.current;
  }

  /** Connects now, whatever the phase: at the start, or because a person asked. */
  start(nowMs: number): void {
    this.attempt = 0;
    this.connect(nowMs);
  }

  /** Ends before it began: it is known that the server would only refuse. */
  refuse(why: Closing): void {
    this.enter({ kind: 'ended', why });
  }

  /** The socket is open. */
  onOpen(nowMs: number): void {
    this.opened = true;
    this.heardMs = nowMs;
    this.transport.sayHello();
  }

  /** Anything at all arrived. */
  onHeard(nowMs: number): void {
    this.heardMs = nowMs;
    if (this.current.kind === 'live') this.keepAlive(nowMs);
  }

  onWelcome(nowMs: number): void {
    this.wasLive = true;
    this.sinceMs = nowMs;
    this.pings = 0;
    this.pingDueMs = nowMs;
    this.enter({ kind: 'live' });
    this.keepAlive(nowMs);
  }

  /** The socket closed by itself, with the server's code and reason or the browser's 1006. */
  onClose(nowMs: number, code: number, reason: string): void {
    const unnamed = code === 1005 || code === 1006;
    const why = unnamed ? (this.opened || this.wasLive ? LOST : UNREACHABLE) : closing(code, reason);
    this.fall(nowMs, why);
  }

  /** What arrived does not fit together: a message nobody can read, or an event that is missing. */
  onNonsense(nowMs: number, why: Closing): void {
    if (why.retry) this.transport.drop();
    else this.transport.close();
    this.fall(nowMs, why);
  }

  tick(nowMs: number): void {
    if (nowMs - this.tickMs > SLEPT_MS) this.forgive(nowMs);
    this.tickMs = nowMs;
    switch (this.current.kind) {
      case 'connecting':
        if (nowMs - this.sinceMs > CONNECT_MS) this.give(nowMs, this.opened ? LOST : UNREACHABLE);
        break;
      case 'live':
        if (nowMs - this.heardMs > SILENCE_MS) this.give(nowMs, SILENCE);
        else this.keepAlive(nowMs);
        break;
      case 'waiting':
        if (nowMs >= this.current.untilMs) this.connect(nowMs);
        break;
      case 'ended':
        break;
    }
  }

  /** The tab is looked at again, or the machine has its network back. */
  wake(nowMs: number): void {
    if (this.current.kind === 'waiting') {
      this.connect(nowMs);
    } else if (this.current.kind === 'live') {
      this.forgive(nowMs);
      this.pingDueMs = nowMs;
      this.keepAlive(nowMs);
    }
  }

  /** Ends for good. */
  leave(): void {
    this.transport.close();
    this.enter({ kind: 'ended', why: closing(1000, '') });
  }

  private connect(nowMs: number): void {
    this.sinceMs = nowMs;
    this.heardMs = nowMs;
    this.opened = false;
    this.enter({ kind: 'connecting', again: this.wasLive || this.attempt > 0 });
    this.transport.open();
  }

  private give(nowMs: number, why: Closing): void {
    this.transport.drop();
    this.fall(nowMs, why);
  }

  private fall(nowMs: number, why: Closing): void {
    if (this.current.kind === 'ended') return;
    if (this.current.kind === 'live' && nowMs - this.sinceMs > PROVEN_MS) this.attempt = 0;
    this.opened = false;
    if (!why.retry) {
      this.enter({ kind: 'ended', why });
      return;
    }
    this.attempt += 1;
    const untilMs = nowMs + waitMs(this.attempt, this.random());
    this.enter({ kind: 'waiting', why, untilMs });
  }

  private keepAlive(nowMs: number): void {
    if (nowMs < this.pingDueMs) return;
    this.pings += 1;
    this.pingDueMs = nowMs + (this.pings < FIRST_PINGS ? FIRST_PING_EVERY_MS : PING_EVERY_MS);
    this.transport.ping();
  }

  private forgive(nowMs: number): void {
    this.heardMs = Math.max(this.heardMs, nowMs - SILENCE_MS + WAKE_GRACE_MS);
    if (this.current.kind === 'connecting') {
      this.sinceMs = Math.max(this.sinceMs, nowMs - CONNECT_MS + WAKE_GRACE_MS);
    }
  }

  private enter(phase: Phase): void {
    this.current = phase;
    this.onPhase(phase);
  }
}
