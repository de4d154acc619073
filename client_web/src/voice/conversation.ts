/**
 * Owns whether one takes part in the session's talk: what one wants, what the server was told and
 * what it confirmed. A pure state machine; times are local milliseconds.
 *
 * A lost connection ends one's part at the server, so it is asked for again after every welcome.
 */

import { Voice } from '../protocol/generated';

export type TalkPhase = 'out' | 'entering' | 'in';

/** Push-to-talk may flutter; everyone is told of it, but no oftener than this. */
export const ANNOUNCE_EVERY_MS = 300;
/** Credentials are asked for anew after this share of their life. */
export const REFRESH_AT = 0.75;

export class Conversation {
  private wanted = false;
  private live = false;
  private open = false;
  private sent: Voice = Voice.OFF;
  private sentMs = Number.NEGATIVE_INFINITY;
  private own: Voice = Voice.OFF;
  private granted = false;
  private refreshMs = Number.POSITIVE_INFINITY;

  constructor(private readonly announce: (voice: Voice) => void) {}

  get phase(): TalkPhase {
    if (!this.wanted) return 'out';
    return this.own !== Voice.OFF && this.granted ? 'in' : 'entering';
  }

  enter(nowMs: number): void {
    this.wanted = true;
    this.tick(nowMs);
  }

  leave(): void {
    this.wanted = false;
    if (this.live && this.sent !== Voice.OFF) this.announce(Voice.OFF);
    this.forget();
  }

  /** Says whether one can be heard. */
  speak(open: boolean, nowMs: number): void {
    this.open = open;
    this.tick(nowMs);
  }

  /** The session welcomed this page as a participant. */
  welcomed(nowMs: number): void {
    this.forget();
    this.live = true;
    this.tick(nowMs);
  }

  /** The connection is lost: the server has taken one out of the talk. */
  lost(): void {
    this.live = false;
    this.forget();
  }

  /** The session says how one's own voice is. True if it was taken away. */
  confirmed(own: Voice): boolean {
    const takenAway = this.wanted && this.own !== Voice.OFF && own === Voice.OFF;
    this.own = own;
    return takenAway;
  }

  /** The server said how to reach the others, for so many seconds (0: without end). */
  grant(expiresS: number, nowMs: number): void {
    this.granted = true;
    this.refreshMs = expiresS === 0 ? Number.POSITIVE_INFINITY : nowMs + 1000 * expiresS * REFRESH_AT;
  }

  /** The server would not have one in; one no longer asks. */
  refused(): void {
    this.wanted = false;
    this.forget();
  }

  tick(nowMs: number): void {
    if (!this.wanted || !this.live) return;
    const voice = this.open ? Voice.OPEN : Voice.MUTED;
    const due = nowMs >= this.refreshMs || voice !== this.sent;
    if (!due || (this.sent !== Voice.OFF && nowMs - this.sentMs < ANNOUNCE_EVERY_MS)) return;
    this.sent = voice;
    this.sentMs = nowMs;
    // If the answer gets lost with the connection, the next welcome asks again.
    this.refreshMs = Number.POSITIVE_INFINITY;
    this.announce(voice);
  }

  private forget(): void {
    this.sent = Voice.OFF;
    this.own = Voice.OFF;
    this.granted = false;
    this.refreshMs = Number.POSITIVE_INFINITY;
  }
}
