import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CAPS, SignalKind } from '../../src/protocol/generated';
import { MOST_CANDIDATES } from '../../src/voice/candidates';
import { Mesh } from '../../src/voice/mesh';
import { BLINK_MS, CONNECT_MS, PATIENCE_MS } from '../../src/voice/recovery';
import { random } from '../traces';
import { asConnection, FakeConnection, pass } from './fakes';

interface Sent {
  readonly from: number;
  readonly to: number;
  readonly kind: SignalKind;
  readonly text: string;
}

/** People whose signals reach each other, one at a time and in order. */
class Room {
  readonly sent: Sent[] = [];
  readonly heard = new Map<string, boolean>();
  private readonly meshes = new Map<number, Mesh>();
  readonly connections = new Map<number, FakeConnection[]>();
  delivers = true;

  add(id: number): Mesh {
    const own: FakeConnection[] = [];
    this.connections.set(id, own);
    vi.stubGlobal('RTCRtpReceiver', { getCapabilities: () => ({ codecs: [] }) });
    const mesh = new Mesh({
      signalling: { send: (to, kind, text) => this.pass({ from: id, to, kind, text }) },
      connect: (configuration) => {
        const fake = new FakeConnection(configuration);
        own.push(fake);
        return asConnection(fake);
      },
      now: () => Date.now(),
      random: random(id),
      heard: (from, track) => this.heard.set(`${from} at ${id}`, track !== undefined),
      changed: () => undefined,
    });
    this.meshes.set(id, mesh);
    return mesh;
  }

  meet(...ids: number[]): void {
    for (const id of ids) this.mesh(id).meet(id, ids);
  }

  mesh(id: number): Mesh {
    return this.meshes.get(id) ?? this.add(id);
  }

  /** The newest connection of one person. */
  last(id: number): FakeConnection {
    const connection = this.connections.get(id)?.at(-1);
    if (connection === undefined) throw new Error(`${id} has no connection`);
    return connection;
  }

  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      for (const mesh of this.meshes.values()) mesh.tick();
      await pass(50);
    }
  }

  kinds(from: number): SignalKind[] {
    return this.sent.filter((each) => each.from === from).map(({ kind }) => kind);
  }

  private pass(signal: Sent): void {
    this.sent.push(signal);
    if (!this.delivers) return;
    setTimeout(() => this.meshes.get(signal.to)?.signal(signal.from, signal.kind, signal.text), 5);
  }
}

describe('the lines between people who talk', () => {
  let room: Room;

  beforeEach(() => {
    vi.useFakeTimers();
    room = new Room();
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('are one each, offered by the lower id, whoever comes first', async () => {
    for (const id of [1, 2, 3, 4, 5, 6]) room.add(id);
    room.meet(3, 1);
    await room.run(200);
    room.meet(6, 3, 1, 5, 2, 4);
    await room.run(1000);
    for (const a of [1, 2, 3, 4, 5, 6]) {
      expect(room.connections.get(a)).toHaveLength(5);
      for (const b of [1, 2, 3, 4, 5, 6]) {
        if (a === b) continue;
        expect(room.mesh(a).state(b)).toBe('connected');
        expect(room.heard.get(`${a} at ${b}`)).toBe(true);
      }
    }
    for (const { from, to, kind } of room.sent) {
      if (kind === SignalKind.OFFER) expect(from).toBeLessThan(to);
      if (kind === SignalKind.ANSWER) expect(from).toBeGreaterThan(to);
    }
  });

  it('send a description first and what was gathered behind it, together', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(20);
    for (let index = 0; index < 5; index += 1) room.last(1).find('srflx');
    await room.run(1000);
    expect(room.kinds(1)).toEqual([SignalKind.OFFER, SignalKind.CANDIDATES]);
    expect(room.last(2).candidates).toHaveLength(6);
    for (const { text } of room.sent) expect(text.length).toBeLessThanOrEqual(CAPS.SIGNAL_BYTES);
  });

  it('end for who leaves, and only for them', async () => {
    for (const id of [1, 2, 3]) room.add(id);
    room.meet(1, 2, 3);
    await room.run(500);
    room.mesh(3).leave(true);
    room.meet(1, 2);
    await room.run(500);
    expect(room.heard.get('3 at 1')).toBe(false);
    expect(room.mesh(1).state(3)).toBeUndefined();
    expect(room.mesh(1).state(2)).toBe('connected');
    expect(room.connections.get(3)?.every(({ closed }) => closed)).toBe(true);
  });

  it('are made anew when the other comes again', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(500);
    room.mesh(2).leave(false);
    room.mesh(1).meet(1, [1]);
    room.meet(1, 2);
    await room.run(500);
    expect(room.mesh(1).state(2)).toBe('connected');
    expect(room.mesh(2).state(1)).toBe('connected');
    expect(room.heard.get('1 at 2')).toBe(true);
  });

  it('are restarted in place after a break of the network', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(500);
    room.last(1).become('disconnected');
    await room.run(BLINK_MS + 500);
    expect(room.connections.get(1)).toHaveLength(1);
    expect(room.last(1).restarts).toBe(1);
    expect(room.mesh(1).state(2)).toBe('connected');
  });

  it('are asked for anew by the one who answers, when only there they are broken', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(500);
    room.last(2).become('failed');
    expect(room.mesh(2).state(1)).toBe('troubled');
    await room.run(PATIENCE_MS + 1000);
    expect(room.connections.get(1)).toHaveLength(2);
    expect(room.mesh(1).state(2)).toBe('connected');
    expect(room.mesh(2).state(1)).toBe('connected');
  });

  it('come to stand after signals were lost for a while', async () => {
    room.add(1);
    room.add(2);
    room.delivers = false;
    room.meet(1, 2);
    await room.run(CONNECT_MS / 2);
    room.delivers = true;
    await room.run(CONNECT_MS + 1000);
    expect(room.mesh(1).state(2)).toBe('connected');
    expect(room.mesh(2).state(1)).toBe('connected');
  });

  it('do not take an answer to an earlier call for one to this', async () => {
    room.add(1);
    room.delivers = false;
    room.meet(1, 2);
    await room.run(50);
    const offer = room.sent[0]?.text ?? '';
    const stale = offer.replace(/a=armspan-call:\d+/, 'a=armspan-call:5');
    room.mesh(1).signal(2, SignalKind.ANSWER, stale);
    await room.run(100);
    expect(room.last(1).remoteDescription).toBeNull();
    room.mesh(1).signal(2, SignalKind.ANSWER, offer);
    await room.run(100);
    expect(room.last(1).remoteDescription).not.toBeNull();
  });

  it('survive nonsense from the other side', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(500);
    const mesh = room.mesh(2);
    const next = random(9);
    for (let round = 0; round < 300; round += 1) {
      const kind = [0, 1, 2, 3][Math.floor(next() * 4)] as SignalKind;
      const text = ['', 'x', '[]', '{}', '[{"candidate":1}]', 'v=0\r\n', '99'][Math.floor(next() * 7)] ?? '';
      mesh.signal(1, kind, text);
      mesh.signal(7, kind, text);
    }
    await room.run(500);
    expect(mesh.state(1)).toBe('connected');
    expect(mesh.state(7)).toBeUndefined();
    expect(room.connections.get(2)).toHaveLength(1);
  });

  it('take no more candidates than are worth trying', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(500);
    const one = { candidate: 'candidate:1 1 udp 1 192.0.2.1 5000 typ host', sdpMid: '0' };
    const many = JSON.stringify(Array.from({ length: 40 }, () => one));
    for (let round = 0; round < 10; round += 1) room.mesh(1).signal(2, SignalKind.CANDIDATES, many);
    await room.run(500);
    expect(room.last(1).candidates).toHaveLength(MOST_CANDIDATES);
  });

  it('give a broken description up and try again', async () => {
    room.add(2);
    room.delivers = false;
    room.mesh(2).meet(2, [1, 2]);
    const broken = 'v=0\r\no=broken\r\nm=audio 9 X 111\r\na=armspan-call:8\r\n';
    room.mesh(2).signal(1, SignalKind.OFFER, broken);
    await room.run(100);
    expect(room.last(2).closed).toBe(true);
    expect(room.sent).toEqual([{ from: 2, to: 1, kind: SignalKind.BYE, text: '8' }]);
  });

  it('are not made oftener than they could be of use', async () => {
    room.add(2);
    room.delivers = false;
    room.mesh(2).meet(2, [1, 2]);
    for (let call = 1; call <= 50; call += 1) {
      const text = `v=0\r\nm=audio 9 X 111\r\na=armspan-call:${call}\r\n`;
      room.mesh(2).signal(1, SignalKind.OFFER, text);
    }
    await room.run(100);
    expect(room.connections.get(2)).toHaveLength(1);
  });

  it('carry another microphone without a new offer, and know new servers', async () => {
    room.add(1);
    room.add(2);
    room.meet(1, 2);
    await room.run(500);
    const offers = room.sent.length;
    const track = { kind: 'audio' } as MediaStreamTrack;
    room.mesh(1).changeTrack(track);
    room.mesh(1).changeServers([{ urls: ['stun:192.0.2.1'] }]);
    await room.run(200);
    expect(room.last(1).tracks.at(-1)).toBe(track);
    expect(room.last(1).configuration.iceServers).toEqual([{ urls: ['stun:192.0.2.1'] }]);
    expect(room.sent).toHaveLength(offers);
  });

  it('are to no more people than a talk holds', () => {
    room.add(1);
    room.delivers = false;
    room.mesh(1).meet(1, Array.from({ length: 50 }, (_, index) => index + 1));
    expect(room.connections.get(1)).toHaveLength(CAPS.VOICE_PEOPLE - 1);
  });
});
