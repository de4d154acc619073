/**
 * Owns the lines to everyone else who talks: who is to have one, and where their signals go. The
 * lower id offers. Nobody but those the session names as talking is listened to.
 */

import { CAPS, type SignalKind } from '../protocol/generated';
import { Partner } from './partner';
import type { LineState } from './recovery';

/** The way of signals to another person, over the session's own connection. */
export interface Signalling {
  send(to: number, kind: SignalKind, text: string): void;
}

export interface MeshOptions {
  readonly signalling: Signalling;
  readonly connect: (configuration: RTCConfiguration) => RTCPeerConnection;
  readonly now: () => number;
  /** In 0…1. */
  readonly random: () => number;
  readonly heard: (id: number, track: MediaStreamTrack | undefined) => void;
  readonly changed: () => void;
}

const CALLS = 2 ** 31;

export class Mesh {
  private readonly partners = new Map<number, Partner>();
  private servers: RTCIceServer[] = [];
  private track: MediaStreamTrack | null = null;
  private ownId = 0;

  constructor(private readonly options: MeshOptions) {}

  /** The line to a person; undefined if there is to be none. */
  state(id: number): LineState | undefined {
    return this.partners.get(id)?.state;
  }

  /** Has lines to these people and to no others. */
  meet(ownId: number, others: readonly number[]): void {
    if (ownId !== this.ownId) this.leave(true);
    this.ownId = ownId;
    const wanted = new Set(others.filter((id) => id !== ownId).slice(0, CAPS.VOICE_PEOPLE - 1));
    for (const id of this.partners.keys()) if (!wanted.has(id)) this.drop(id);
    for (const id of wanted) if (!this.partners.has(id)) this.add(id);
  }

  signal(sender: number, kind: SignalKind, text: string): void {
    this.partners.get(sender)?.signal(kind, text);
  }

  tick(): void {
    for (const partner of this.partners.values()) partner.tick();
  }

  changeTrack(track: MediaStreamTrack | null): void {
    this.track = track;
    for (const partner of this.partners.values()) partner.changeTrack();
  }

  changeServers(servers: RTCIceServer[]): void {
    this.servers = servers;
    for (const partner of this.partners.values()) partner.changeServers(servers);
  }

  /** Hangs up everywhere; silently if nobody could be told. */
  leave(farewell: boolean): void {
    for (const partner of this.partners.values()) partner.close(farewell);
    this.partners.clear();
  }

  private add(id: number): void {
    const { signalling, connect, now, random, heard, changed } = this.options;
    const partner = new Partner({
      offers: this.ownId < id,
      connect: () => connect({ iceServers: this.servers, bundlePolicy: 'max-bundle' }),
      track: () => this.track,
      newCall: () => 1 + Math.floor(random() * (CALLS - 1)),
      now,
      send: (kind, text) => signalling.send(id, kind, text),
      heard: (track) => heard(id, track),
      changed,
    });
    this.partners.set(id, partner);
  }

  private drop(id: number): void {
    const partner = this.partners.get(id);
    this.partners.delete(id);
    partner?.close(false);
  }
}
