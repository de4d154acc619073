/**
 * Owns what is heard: each person's voice, placed in space where their head is drawn, for ears
 * where one's own head (or camera) is. Also measures how loud everyone is. Levels are decibels of
 * full scale, positions world metres.
 */

import type { Floats } from '../motion/bones';
import { SILENCE_DB, loudnessDb } from './level';
import { placeListener, placePanner } from './space';
import { WhoSpeaks } from './who_speaks';

/** At this distance a voice has its own loudness; a table's width. */
const REFERENCE_M = 1.5;
/** Gentler than in the open: whoever talks across a hall is still to be understood. */
const ROLLOFF = 0.6;
const SAMPLES = 1024;
/** Volumes glide, so that they do not click. */
const GLIDE_S = 0.03;
export const LOUDEST = 2;

/** Where all voices come together. */
interface Output {
  readonly entry: GainNode;
  readonly left: AnalyserNode;
  readonly right: AnalyserNode;
}

/** Writes where a person's head is drawn, world metres; false if it is not drawn. */
export type HeadOf = (id: number, out: Float64Array) => boolean;

interface Heard {
  readonly id: number;
  /** Chromium lets a remote sound flow into Web Audio only while an element takes it, too. */
  readonly pump: HTMLAudioElement;
  readonly source: MediaStreamAudioSourceNode;
  readonly meter: AnalyserNode;
  readonly gain: GainNode;
  readonly panner: PannerNode;
  /** Until a head is drawn, the voice is at the listener. */
  placed: boolean;
}

const _head = new Float64Array(3);
const _samples = new Float32Array(SAMPLES);

export class Hearing {
  private context: AudioContext | undefined;
  private output: Output | undefined;
  /** A list: it is gone through in every frame. */
  private heard: Heard[] = [];
  private readonly who = new WhoSpeaks();
  private readonly volumes = new Map<number, number>();
  private own: { source: MediaStreamAudioSourceNode; meter: AnalyserNode } | undefined;

  /** `changed` is told when the browser lets sound begin, or stops it. */
  constructor(private readonly changed: () => void) {}

  /** Whether the browser waits for a click or a key before it lets anything sound. */
  get asleep(): boolean {
    return this.context !== undefined && this.context.state !== 'running';
  }

  /** Lets sound begin; works within a person's own click or key. */
  wake(): void {
    const context = this.open();
    if (context.state !== 'running') void context.resume().catch(() => undefined);
    for (const { pump } of this.heard) play(pump);
  }

  add(id: number, track: MediaStreamTrack): void {
    this.remove(id);
    const context = this.open();
    const stream = new MediaStream([track]);
    const pump = new Audio();
    pump.muted = true;
    pump.srcObject = stream;
    play(pump);
    const source = context.createMediaStreamSource(stream);
    const meter = new AnalyserNode(context, { fftSize: SAMPLES });
    const gain = new GainNode(context, { gain: this.volume(id) });
    const panner = new PannerNode(context, {
      panningModel: 'HRTF',
      distanceModel: 'inverse',
      refDistance: REFERENCE_M,
      rolloffFactor: ROLLOFF,
    });
    source.connect(meter);
    this.output ??= createOutput(context);
    source.connect(gain).connect(panner).connect(this.output.entry);
    this.heard.push({ id, pump, source, meter, gain, panner, placed: false });
  }

  remove(id: number): void {
    const heard = this.find(id);
    if (heard === undefined) return;
    this.heard = this.heard.filter((each) => each !== heard);
    this.who.forget(id);
    heard.pump.srcObject = null;
    for (const node of [heard.source, heard.gain, heard.panner]) node.disconnect();
  }

  /** Measures one's own voice; it is not played. */
  measure(track: MediaStreamTrack | null): void {
    this.own?.source.disconnect();
    this.own = undefined;
    if (track === null) return;
    const context = this.open();
    const source = context.createMediaStreamSource(new MediaStream([track]));
    const meter = new AnalyserNode(context, { fftSize: SAMPLES });
    source.connect(meter);
    this.own = { source, meter };
  }

  /** How loud a person is for this listener: 0 silent, 1 as they are, LOUDEST at most. */
  setVolume(id: number, volume: number): void {
    const within = Math.min(Math.max(volume, 0), LOUDEST);
    this.volumes.set(id, within);
    const heard = this.find(id);
    if (heard === undefined || this.context === undefined) return;
    heard.gain.gain.setTargetAtTime(within, this.context.currentTime, GLIDE_S);
  }

  volume(id: number): number {
    return this.volumes.get(id) ?? 1;
  }

  /** Puts the ears where a pose (position xyz, rotation xyzw) is, at `offset` of the array. */
  listen(pose: Floats, offset = 0): void {
    if (this.context === undefined) return;
    const x = pose[offset] ?? 0;
    const y = pose[offset + 1] ?? 0;
    const z = pose[offset + 2] ?? 0;
    const qx = pose[offset + 3] ?? 0;
    const qy = pose[offset + 4] ?? 0;
    const qz = pose[offset + 5] ?? 0;
    const qw = pose[offset + 6] ?? 1;
    if (!Number.isFinite(x + y + z + qx + qy + qz + qw)) return;
    placeListener(this.context.listener, x, y, z, qx, qy, qz, qw);
    for (let index = 0; index < this.heard.length; index += 1) {
      const heard = this.heard[index];
      if (heard !== undefined && !heard.placed) placePanner(heard.panner, x, y, z);
    }
  }

  /** Puts everyone's voice where their head is; who is not drawn stays where they were. */
  place(headOf: HeadOf): void {
    for (let index = 0; index < this.heard.length; index += 1) {
      const heard = this.heard[index];
      if (heard === undefined || !headOf(heard.id, _head)) continue;
      const x = _head[0] ?? 0;
      const y = _head[1] ?? 0;
      const z = _head[2] ?? 0;
      if (!Number.isFinite(x + y + z)) continue;
      heard.placed = true;
      placePanner(heard.panner, x, y, z);
    }
  }

  /** Listens who speaks, oneself (`open`: with an open microphone) among them; true if that changed. */
  observe(ownId: number, open: boolean, nowMs: number): boolean {
    let changed = this.who.observe(ownId, open ? this.ownLevelDb() : SILENCE_DB, nowMs);
    for (const { id, meter } of this.heard) {
      changed = this.who.observe(id, measured(meter), nowMs) || changed;
    }
    return changed;
  }

  speaking(id: number): boolean {
    return this.who.speaking(id);
  }

  /** People whose sound arrives. */
  get ids(): number[] {
    return this.heard.map(({ id }) => id);
  }

  /** How loud a person is, as they arrive; silence for who is not heard. */
  levelDb(id: number): number {
    return measured(this.find(id)?.meter);
  }

  ownLevelDb(): number {
    return measured(this.own?.meter);
  }

  /** How loud all together is at either ear, and where a person's voice is: for tests and diagnosis. */
  earsDb(): [left: number, right: number] {
    return [measured(this.output?.left), measured(this.output?.right)];
  }

  positionOf(id: number): [x: number, y: number, z: number] | undefined {
    const panner = this.find(id)?.panner;
    if (panner === undefined) return undefined;
    return [panner.positionX.value, panner.positionY.value, panner.positionZ.value];
  }

  close(): void {
    for (const { id } of this.heard) this.remove(id);
    this.who.clear();
    this.measure(null);
    const { context } = this;
    this.context = undefined;
    this.output = undefined;
    if (context !== undefined) void context.close().catch(() => undefined);
  }

  private find(id: number): Heard | undefined {
    return this.heard.find((each) => each.id === id);
  }

  private open(): AudioContext {
    if (this.context !== undefined) return this.context;
    const context = new AudioContext({ latencyHint: 'interactive' });
    context.onstatechange = () => {
      if (this.context === context) this.changed();
    };
    this.context = context;
    return context;
  }
}

function createOutput(context: AudioContext): Output {
  const entry = new GainNode(context, { channelCount: 2, channelCountMode: 'explicit' });
  const ears = new ChannelSplitterNode(context, { numberOfOutputs: 2 });
  const left = new AnalyserNode(context, { fftSize: SAMPLES });
  const right = new AnalyserNode(context, { fftSize: SAMPLES });
  entry.connect(context.destination);
  entry.connect(ears);
  ears.connect(left, 0);
  ears.connect(right, 1);
  return { entry, left, right };
}

function measured(meter: AnalyserNode | undefined): number {
  if (meter === undefined) return SILENCE_DB;
  meter.getFloatTimeDomainData(_samples);
  return loudnessDb(_samples);
}

/** A browser may refuse to play before a person has clicked; `wake` tries again. */
function play(element: HTMLAudioElement): void {
  void element.play().catch(() => undefined);
}
