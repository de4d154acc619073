/**
 * Owns when the line to one person is mended, and how: a pure state machine over what WebRTC says
 * of the connection. Times are local milliseconds.
 *
 * The one who offers may restart ICE on the line or make a new one. The other can only give the
 * line up, which asks the first to make a new one; so it waits longer before it does.
 */

export type LineState = 'connecting' | 'connected' | 'troubled' | 'failed';
export type Mending = 'restart' | 'renew';

/** A blink of the network mends itself within this long. */
export const BLINK_MS = 4_000;
/** A line, or a restart of it, that is not through after this long will not be. */
export const CONNECT_MS = 12_000;
/** The one who answers leaves the first move to the other. */
export const PATIENCE_MS = 8_000;
/** After so many tries in a row people are told; the trying goes on, slowly. */
export const TRIES = 3;
export const SLOW_MS = 30_000;
const FIRST_WAIT_MS = 500;

export class Recovery {
  private current: LineState = 'connecting';
  private tries = 0;
  private planned: Mending = 'renew';
  private dueMs = Number.POSITIVE_INFINITY;
  private restarted = false;

  constructor(private readonly offers: boolean) {}

  get state(): LineState {
    return this.current;
  }

  /** A new line is tried. */
  begin(nowMs: number): void {
    this.restarted = false;
    if (this.current === 'connected') this.current = 'troubled';
    this.plan('renew', nowMs + this.patience(this.tryMs));
  }

  /** WebRTC says how the line is. */
  observe(state: RTCPeerConnectionState, nowMs: number): void {
    if (state === 'connected') {
      this.current = 'connected';
      this.tries = 0;
      this.restarted = false;
      this.dueMs = Number.POSITIVE_INFINITY;
    } else if (state === 'disconnected' && this.current === 'connected') {
      this.current = 'troubled';
      this.plan(this.firstAid, nowMs + this.patience(BLINK_MS));
    } else if (state === 'failed') {
      if (this.current === 'connected') this.current = 'troubled';
      this.plan(this.firstAid, nowMs + this.patience(this.waitMs));
    }
  }

  /** The line is gone: the other gave it up, or something about it could not be understood. */
  lost(nowMs: number): void {
    if (this.current === 'connected') this.current = 'troubled';
    this.plan('renew', nowMs + this.patience(this.waitMs));
  }

  /** What is to be done now, if anything; asked a few times a second. */
  due(nowMs: number): Mending | undefined {
    if (nowMs < this.dueMs) return undefined;
    const mending = this.planned;
    this.tries += 1;
    if (this.tries >= TRIES) this.current = 'failed';
    this.restarted = true;
    this.plan('renew', nowMs + this.patience(this.tryMs));
    return mending;
  }

  private get firstAid(): Mending {
    return this.offers && !this.restarted ? 'restart' : 'renew';
  }

  private get waitMs(): number {
    return this.tries < TRIES ? this.tries * FIRST_WAIT_MS : SLOW_MS;
  }

  /** How long a try may take. */
  private get tryMs(): number {
    return this.tries < TRIES ? CONNECT_MS : SLOW_MS;
  }

  private patience(ms: number): number {
    return this.offers ? ms : ms + PATIENCE_MS;
  }

  private plan(mending: Mending, dueMs: number): void {
    this.planned = mending;
    this.dueMs = dueMs;
  }
}
