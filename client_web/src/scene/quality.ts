/**
 * Owns how finely the picture is drawn on this machine: from whether it draws in software, and
 * then from how long frames really take. Slow frames make it plainer soon; it becomes finer again
 * only after a long run of fast ones, and ever later once that was regretted.
 */

export interface Quality {
  /** Drawn pixels per CSS pixel, at the most. */
  readonly pixelRatio: number;
  readonly shadows: boolean;
  /** People are drawn no finer than on this level of detail, 0 being the finest. */
  readonly finestLevel: number;
}

/** From the finest to the plainest. */
export const QUALITIES: readonly [Quality, ...Quality[]] = [
  { pixelRatio: 2, shadows: true, finestLevel: 0 },
  { pixelRatio: 1, shadows: true, finestLevel: 0 },
  { pixelRatio: 1, shadows: false, finestLevel: 1 },
  { pixelRatio: 0.6, shadows: false, finestLevel: 1 },
];

/** Fewer than 22 frames a second are slow; a screen of 30 Hz is not. */
const SLOW_MS = 45;
const FAST_MS = 21;
const WINDOW_MS = 2_500;
const FEWEST_FRAMES = 4;
/** A change compiles shaders; frames so soon after it tell nothing. */
const SETTLE_MS = 1_000;
/** Frames this far apart are no slow frames: the tab was hidden, or the machine slept. */
const SLEPT_MS = 5_000;
/** Fast windows in a row before it becomes finer: 10 s, twice as many after each regret. */
const PATIENCE = 4;
const LONGEST_PATIENCE = 256;

export class Pace {
  private index: number;
  private readonly gaps: number[] = [];
  private passedMs = -SETTLE_MS;
  private lastMs = Number.NaN;
  private fast = 0;
  private patience = PATIENCE;
  private climbed = false;

  /** Begins with the plainest where the machine draws in `software`. */
  constructor(software: boolean) {
    this.index = software ? QUALITIES.length - 1 : 0;
  }

  get quality(): Quality {
    return QUALITIES[this.index] ?? QUALITIES[0];
  }

  /** Takes the time of a frame; says whether the quality is another one now. */
  frame(nowMs: number): boolean {
    const gap = nowMs - this.lastMs;
    this.lastMs = nowMs;
    if (Number.isNaN(gap)) return false;
    if (gap > SLEPT_MS) {
      this.begin(SETTLE_MS);
      return false;
    }
    this.passedMs += gap;
    if (this.passedMs <= 0) return false;
    this.gaps.push(gap);
    if (this.passedMs < WINDOW_MS || this.gaps.length < FEWEST_FRAMES) return false;
    const typical = median(this.gaps);
    this.begin(0);
    return this.judge(typical);
  }

  private judge(typicalMs: number): boolean {
    if (typicalMs > SLOW_MS) {
      if (this.climbed) this.patience = Math.min(2 * this.patience, LONGEST_PATIENCE);
      return this.go(1);
    }
    this.fast = typicalMs < FAST_MS ? this.fast + 1 : 0;
    return this.fast >= this.patience && this.go(-1);
  }

  private go(step: 1 | -1): boolean {
    this.fast = 0;
    const to = this.index + step;
    if (to < 0 || to >= QUALITIES.length) return false;
    this.index = to;
    this.climbed = step < 0;
    this.begin(SETTLE_MS);
    return true;
  }

  private begin(settleMs: number): void {
    this.gaps.length = 0;
    this.passedMs = -settleMs;
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether a renderer of this name draws with the processor alone. */
export function isSoftware(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}

/** Whether WebGL, if there is any, is drawn by the processor; browsers call that a major caveat. */
export function drawsInSoftware(): boolean {
  const probe = document.createElement('canvas');
  const gl = probe.getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return true;
  const names = gl.getExtension('WEBGL_debug_renderer_info'); // some browsers give the name freely
  const renderer: unknown = gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext(); // browsers allow only a few at a time
  return isSoftware(String(renderer));
}
