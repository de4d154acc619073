/** Owns trying the microphone before one is in: it asks the browser, shows how loud one is, lets go. */

import { loudnessDb } from '../voice/level';
import { Microphone } from '../voice/microphone';
import type { Trouble } from '../voice/words';
import { element, write } from './dom';

const WINDOW = 512;
/** What is quieter is drawn as nothing, what is louder as all there is; decibels of full scale. */
const QUIET_DB = -60;
const LOUD_DB = -12;
const FALL_PER_S = 1.6;

export class MicrophoneTest {
  readonly root: HTMLElement;
  private readonly meter = element('meter', 'level', {
    min: '0',
    max: '1',
    'aria-label': 'How loud you are',
    hidden: true,
  });
  private readonly words = element('p', 'fault', { role: 'alert', hidden: true });
  private readonly microphone = new Microphone({
    changed: (track) => this.listen(track),
    lost: (trouble) => this.complain(trouble),
  });
  private context: AudioContext | undefined;

  constructor() {
    this.root = element('div', 'microphone-test', {}, this.meter, this.words);
  }

  /** Asks for the microphone and shows its level; says in words what is in the way. */
  async start(): Promise<void> {
    this.words.hidden = true;
    this.microphone.setOpen(true);
    const trouble = await this.microphone.acquire();
    if (trouble !== undefined) this.complain(trouble);
  }

  /** Lets the microphone go. */
  stop(): void {
    this.microphone.release();
    this.words.hidden = true;
  }

  private listen(track: MediaStreamTrack | null): void {
    void this.context?.close();
    this.context = undefined;
    this.meter.hidden = track === null;
    if (track === null) return;
    const context = new AudioContext();
    this.context = context;
    const analyser = new AnalyserNode(context, { fftSize: WINDOW });
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    this.draw(context, analyser);
  }

  private draw(context: AudioContext, analyser: AnalyserNode): void {
    const samples = new Float32Array(WINDOW);
    let shown = 0;
    let lastMs = performance.now();
    const show = (nowMs: number): void => {
      if (this.context !== context) return;
      analyser.getFloatTimeDomainData(samples);
      shown = Math.max(level(loudnessDb(samples)), shown - (FALL_PER_S * (nowMs - lastMs)) / 1000);
      lastMs = nowMs;
      this.meter.value = shown;
      requestAnimationFrame(show);
    };
    requestAnimationFrame(show);
  }

  private complain({ sentence, advice }: Trouble): void {
    write(this.words, `${sentence} ${advice}`.trim());
    this.words.hidden = false;
  }
}

/** Decibels as a share of the meter. */
export function level(db: number): number {
  return Math.min(Math.max((db - QUIET_DB) / (LOUD_DB - QUIET_DB), 0), 1);
}
