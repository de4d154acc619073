/**
 * Owns one line to one person: an RTCPeerConnection that carries one sound each way, and the order
 * in which signals are applied to it. One call, one line: a new call gets a new line.
 *
 * Who offers is settled beforehand, so offers never cross. The microphone's track is put into the
 * line or taken out of it without a new offer.
 */

import { CAPS, SignalKind } from '../protocol/generated';
import {
  MOST_CANDIDATES,
  readCandidate,
  writeCandidates,
  type Candidate,
} from './candidates';
import { SPEECH_BITS_PER_S, withSparseSpeech, writeDescription } from './sdp';

export interface LineEvents {
  readonly send: (kind: SignalKind, text: string) => void;
  /** The other's sound. */
  readonly heard: (track: MediaStreamTrack) => void;
  readonly state: (state: RTCPeerConnectionState) => void;
  /** A step failed: this line is good for nothing. */
  readonly broke: (error: unknown) => void;
}

/** Candidates found within this long travel together. */
export const GATHER_MS = 120;
/** Steps that wait behind each other; the server lets far fewer signals through. */
const MOST_STEPS = 64;

export class Line {
  private work: Promise<void> = Promise.resolve();
  private steps = 0;
  private closed = false;
  private described = false;
  private received = 0;
  private found: Candidate[] = [];
  private gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly call: number,
    private readonly connection: RTCPeerConnection,
    private readonly track: () => MediaStreamTrack | null,
    private readonly events: LineEvents,
  ) {
    connection.ontrack = ({ track: heard }) => this.tell(() => events.heard(heard));
    connection.onconnectionstatechange = () => {
      this.tell(() => events.state(connection.connectionState));
    };
    connection.onicecandidate = ({ candidate }) => this.collect(candidate?.toJSON());
  }

  /** Whether a restart can be offered: not while an earlier offer waits for its answer. */
  get settled(): boolean {
    return this.connection.signalingState === 'stable';
  }

  /** Offers the call, or, with `restart`, new ways to it. */
  offer(restart: boolean): void {
    this.step(async () => {
      if (!restart) await this.prepare(this.connection.addTransceiver('audio', { direction: 'sendrecv' }));
      const offer = await this.connection.createOffer({ iceRestart: restart });
      await this.describe(SignalKind.OFFER, offer);
    });
  }

  takeOffer(sdp: string): void {
    this.step(async () => {
      this.received = 0;
      await this.connection.setRemoteDescription({ type: 'offer', sdp: withSparseSpeech(sdp) });
      const [transceiver] = this.connection.getTransceivers();
      if (transceiver !== undefined) {
        transceiver.direction = 'sendrecv';
        await this.prepare(transceiver);
      }
      await this.describe(SignalKind.ANSWER, await this.connection.createAnswer());
      await this.limit();
    });
  }

  takeAnswer(sdp: string): void {
    this.step(async () => {
      if (this.connection.signalingState !== 'have-local-offer') return;
      this.received = 0;
      await this.connection.setRemoteDescription({ type: 'answer', sdp: withSparseSpeech(sdp) });
      await this.limit();
    });
  }

  /** Signals keep their order, so candidates come behind the description that they belong to. */
  takeCandidates(candidates: readonly Candidate[]): void {
    this.step(async () => {
      for (const each of candidates) {
        if (this.received >= MOST_CANDIDATES) return;
        this.received += 1;
        await this.add(each);
      }
    });
  }

  /** Takes the microphone's present track, or none. */
  changeTrack(): void {
    this.step(async () => {
      for (const sender of this.connection.getSenders()) await sender.replaceTrack(this.track());
    });
  }

  changeServers(servers: RTCIceServer[]): void {
    this.step(() => {
      this.connection.setConfiguration({ ...this.connection.getConfiguration(), iceServers: servers });
      return Promise.resolve();
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.gathering);
    this.connection.ontrack = null;
    this.connection.onconnectionstatechange = null;
    this.connection.onicecandidate = null;
    this.connection.close();
  }

  private tell(event: () => void): void {
    if (!this.closed) event();
  }

  /** Runs after the steps before it. */
  private step(run: () => Promise<void>): void {
    if (this.steps >= MOST_STEPS) return;
    this.steps += 1;
    this.work = this.work
      .then(() => (this.closed ? undefined : run()))
      .catch((error: unknown) => this.tell(() => this.events.broke(error)))
      .finally(() => (this.steps -= 1));
  }

  /** Nothing but Opus, which everyone has; it keeps descriptions short. */
  private async prepare(transceiver: RTCRtpTransceiver): Promise<void> {
    const codecs = RTCRtpReceiver.getCapabilities?.('audio')?.codecs ?? [];
    const opus = codecs.filter(({ mimeType }) => mimeType.toLowerCase() === 'audio/opus');
    if (opus.length > 0) transceiver.setCodecPreferences?.(opus);
    await transceiver.sender.replaceTrack(this.track());
  }

  private async describe(kind: SignalKind, description: RTCSessionDescriptionInit): Promise<void> {
    await this.connection.setLocalDescription(description);
    const text = writeDescription({ call: this.call, sdp: description.sdp ?? '' });
    if (text === undefined) throw new Error(`A description is longer than ${CAPS.SIGNAL_BYTES} bytes.`);
    this.tell(() => this.events.send(kind, text));
    this.described = true;
    this.collect(undefined);
  }

  /** What a browser that cannot be told sends is more, and no harm. */
  private async limit(): Promise<void> {
    for (const sender of this.connection.getSenders()) {
      const parameters = sender.getParameters();
      if (parameters.encodings.length === 0) continue;
      for (const encoding of parameters.encodings) encoding.maxBitrate = SPEECH_BITS_PER_S;
      await sender.setParameters(parameters).catch(() => undefined);
    }
  }

  /** One that does not fit (of an earlier offer, or nonsense) is passed over; others may serve. */
  private async add(candidate: Candidate): Promise<void> {
    try {
      await this.connection.addIceCandidate(candidate);
    } catch (error) {
      console.info(`A candidate was passed over: ${String(error)}`);
    }
  }

  private collect(candidate: RTCIceCandidateInit | undefined): void {
    const found = readCandidate(candidate);
    if (found !== undefined && this.found.length < MOST_CANDIDATES) this.found.push(found);
    if (!this.described || this.found.length === 0) return;
    this.gathering ??= setTimeout(() => this.sendFound(), GATHER_MS);
  }

  private sendFound(): void {
    this.gathering = undefined;
    const texts = writeCandidates(this.found);
    this.found = [];
    for (const text of texts) this.tell(() => this.events.send(SignalKind.CANDIDATES, text));
  }
}
