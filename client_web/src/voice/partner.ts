/**
 * Owns what stands between oneself and one other person: the present line, and its mending. The
 * one with the lower id offers; a call's number tells an answer to it from one that comes late.
 */

import { SignalKind } from '../protocol/generated';
import { readCandidates } from './candidates';
import { Line } from './line';
import { Recovery, type LineState } from './recovery';
import { readDescription, type Description } from './sdp';

export interface PartnerOptions {
  readonly offers: boolean;
  readonly connect: () => RTCPeerConnection;
  readonly track: () => MediaStreamTrack | null;
  readonly newCall: () => number;
  readonly now: () => number;
  readonly send: (kind: SignalKind, text: string) => void;
  /** The other's sound, or that there is none for now. */
  readonly heard: (track: MediaStreamTrack | undefined) => void;
  readonly changed: () => void;
}

/** New calls from one person are taken no oftener: each costs a connection. */
const CALL_EVERY_MS = 300;

export class Partner {
  private line: Line | undefined;
  private calledMs = Number.NEGATIVE_INFINITY;
  private readonly recovery: Recovery;

  constructor(private readonly options: PartnerOptions) {
    this.recovery = new Recovery(options.offers);
    this.recovery.begin(options.now());
    if (options.offers) this.call();
  }

  get state(): LineState {
    return this.recovery.state;
  }

  /** Takes what the other sent; nonsense is passed over. */
  signal(kind: SignalKind, text: string): void {
    switch (kind) {
      case SignalKind.OFFER: {
        const offer = readDescription(text);
        if (offer !== undefined && !this.options.offers) this.answer(offer);
        break;
      }
      case SignalKind.ANSWER: {
        const answer = readDescription(text);
        if (this.options.offers && answer?.call === this.line?.call) this.line?.takeAnswer(answer?.sdp ?? '');
        break;
      }
      case SignalKind.CANDIDATES:
        this.line?.takeCandidates(readCandidates(text));
        break;
      case SignalKind.BYE:
        if (text === String(this.line?.call)) this.lose();
        break;
    }
  }

  /** Mends what is to be mended; a few times a second. */
  tick(): void {
    const before = this.recovery.state;
    const mending = this.recovery.due(this.options.now());
    if (mending === 'restart' && this.line?.settled) this.line.offer(true);
    else if (mending !== undefined) this.renew();
    if (this.recovery.state !== before) this.options.changed();
  }

  changeTrack(): void {
    this.line?.changeTrack();
  }

  changeServers(servers: RTCIceServer[]): void {
    this.line?.changeServers(servers);
  }

  /** Hangs up, and says so unless the other is known to be gone. */
  close(farewell: boolean): void {
    if (this.line === undefined) return;
    if (farewell) this.options.send(SignalKind.BYE, String(this.line.call));
    this.drop();
  }

  private renew(): void {
    this.close(true);
    if (this.options.offers) this.call();
  }

  private call(): void {
    this.open(this.options.newCall()).offer(false);
  }

  private answer({ call, sdp }: Description): void {
    if (this.line?.call !== call) {
      const nowMs = this.options.now();
      if (nowMs - this.calledMs < CALL_EVERY_MS) return;
      this.calledMs = nowMs;
      this.open(call);
    }
    this.line?.takeOffer(sdp);
  }

  private open(call: number): Line {
    this.drop();
    this.recovery.begin(this.options.now());
    const { connect, track, send } = this.options;
    this.line = new Line(call, connect(), track, {
      send,
      heard: (heard) => this.options.heard(heard),
      state: (state) => {
        this.recovery.observe(state, this.options.now());
        this.options.changed();
      },
      broke: (error) => this.broke(error),
    });
    return this.line;
  }

  private broke(error: unknown): void {
    console.warn(`A voice line broke: ${String(error)}`);
    this.close(true);
    this.lose();
  }

  private lose(): void {
    this.drop();
    this.recovery.lost(this.options.now());
    this.options.changed();
  }

  private drop(): void {
    if (this.line === undefined) return;
    this.line.close();
    this.line = undefined;
    this.options.heard(undefined);
  }
}
