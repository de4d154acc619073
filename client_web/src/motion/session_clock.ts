/**
 * Owns the map from this machine's clock to the session's: offset = session − local.
 *
 * Of the recent pings the one with the shortest round trip decides, because the error of an
 * offset is at most half its round trip. Two things correct it at once: a snapshot can not come
 * from the future, and an offset that is off by more than its round trip allows means that a
 * clock jumped (a machine that slept). Microseconds throughout.
 */

const KEPT = 16;
/** Offsets may disagree by half a round trip and this much. */
const JUMP_SLACK_US = 30_000;

interface Exchange {
  readonly offsetUs: number;
  readonly roundTripUs: number;
}

export class SessionClock {
  private exchanges: Exchange[] = [];
  private offset = Number.NaN;
  private latest = Number.NaN;

  /** Whether session time is known at all. */
  get known(): boolean {
    return !Number.isNaN(this.offset);
  }

  /** The shortest recent round trip; NaN before the first answer. */
  get roundTripUs(): number {
    return this.exchanges.reduce((least, each) => Math.min(least, each.roundTripUs), this.latest);
  }

  sessionUs(localUs: number): number {
    return localUs + this.offset;
  }

  /** Starts afresh from one time stamp, good to a latency, until pings are answered. */
  start(sessionUs: number, localUs: number): void {
    this.exchanges = [];
    this.latest = Number.NaN;
    this.offset = sessionUs - localUs;
  }

  /** Takes an answered ping: sent and answered by this clock, received and sent by the session's. */
  observe(sentUs: number, remoteReceivedUs: number, remoteSentUs: number, answeredUs: number): void {
    const roundTripUs = Math.max(answeredUs - sentUs - (remoteSentUs - remoteReceivedUs), 0);
    const offsetUs = (remoteReceivedUs - sentUs + (remoteSentUs - answeredUs)) / 2;
    const jumped = Math.abs(offsetUs - this.offset) > roundTripUs / 2 + JUMP_SLACK_US;
    if (jumped && this.exchanges.length > 0) this.exchanges = [];
    this.exchanges.push({ offsetUs, roundTripUs });
    if (this.exchanges.length > KEPT) this.exchanges.shift();
    this.latest = roundTripUs;
    let best: Exchange = { offsetUs, roundTripUs };
    for (const each of this.exchanges) if (each.roundTripUs < best.roundTripUs) best = each;
    this.offset = best.offsetUs;
  }

  /** Takes the time stamp of something that has just arrived: it can not lie in the future. */
  notBefore(sessionUs: number, localUs: number): void {
    if (sessionUs > localUs + this.offset) this.offset = sessionUs - localUs;
  }
}
