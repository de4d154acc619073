/**
 * Owns a stand-in for a browser's RTCPeerConnection that knows the order of signals and nothing of
 * sound: two of them are connected once the answer and a candidate each have arrived.
 */

import { vi } from 'vitest';

const LINES = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=mid:0'];

export class FakeConnection {
  static made: FakeConnection[] = [];
  ontrack: ((event: { track: unknown }) => void) | null = null;
  onconnectionstatechange: (() => void) | null = null;
  onicecandidate: ((event: { candidate: { toJSON(): RTCIceCandidateInit } | null }) => void) | null = null;
  connectionState: RTCPeerConnectionState = 'new';
  signalingState: RTCSignalingState = 'stable';
  remoteDescription: { sdp: string } | null = null;
  candidates: RTCIceCandidateInit[] = [];
  restarts = 0;
  closed = false;
  tracks: unknown[] = [];
  private transceivers: unknown[] = [];

  constructor(public configuration: RTCConfiguration) {
    FakeConnection.made.push(this);
  }

  addTransceiver(): unknown {
    const sender = {
      replaceTrack: (track: unknown) => {
        this.tracks.push(track);
        return Promise.resolve();
      },
      getParameters: () => ({ encodings: [{}] }),
      setParameters: () => Promise.resolve(),
    };
    const transceiver = { sender, direction: 'sendrecv', setCodecPreferences: () => undefined };
    this.transceivers.push(transceiver);
    return transceiver;
  }

  getTransceivers(): unknown[] {
    return this.transceivers;
  }

  getSenders(): unknown[] {
    return this.transceivers.map((each) => (each as { sender: unknown }).sender);
  }

  createOffer(options: { iceRestart?: boolean }): Promise<RTCSessionDescriptionInit> {
    if (options.iceRestart === true) this.restarts += 1;
    return Promise.resolve({ type: 'offer', sdp: `${LINES.join('\r\n')}\r\n` });
  }

  createAnswer(): Promise<RTCSessionDescriptionInit> {
    return Promise.resolve({ type: 'answer', sdp: `${LINES.join('\r\n')}\r\n` });
  }

  setLocalDescription({ type }: RTCSessionDescriptionInit): Promise<void> {
    this.signalingState = type === 'offer' ? 'have-local-offer' : 'stable';
    this.find('host');
    return Promise.resolve();
  }

  setRemoteDescription({ type, sdp = '' }: RTCSessionDescriptionInit): Promise<void> {
    if (sdp.includes('broken')) return Promise.reject(new Error('a broken description'));
    if (this.transceivers.length === 0) this.addTransceiver();
    this.remoteDescription = { sdp };
    this.signalingState = type === 'offer' ? 'have-remote-offer' : 'stable';
    this.ontrack?.({ track: { kind: 'audio' } });
    return Promise.resolve();
  }

  addIceCandidate(candidate: RTCIceCandidateInit): Promise<void> {
    if (this.remoteDescription === null) return Promise.reject(new Error('no description yet'));
    this.candidates.push(candidate);
    this.become('connected');
    return Promise.resolve();
  }

  getConfiguration(): RTCConfiguration {
    return this.configuration;
  }

  setConfiguration(configuration: RTCConfiguration): void {
    this.configuration = configuration;
  }

  close(): void {
    this.closed = true;
    this.signalingState = 'closed';
  }

  become(state: RTCPeerConnectionState): void {
    if (this.connectionState === state) return;
    this.connectionState = state;
    this.onconnectionstatechange?.();
  }

  find(kind: string): void {
    const candidate = { candidate: `candidate:1 1 udp 1 192.0.2.1 5000 typ ${kind}`, sdpMid: '0', sdpMLineIndex: 0 };
    this.onicecandidate?.({ candidate: { toJSON: () => candidate } });
  }
}

export function asConnection(fake: FakeConnection): RTCPeerConnection {
  return fake as unknown as RTCPeerConnection;
}

/** Lets every promise and every timer up to now + `ms` run. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}
