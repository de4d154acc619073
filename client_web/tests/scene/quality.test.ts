import { describe, expect, it } from 'vitest';
import { isSoftware, Pace, QUALITIES } from '../../src/scene/quality';

const PLAINEST = QUALITIES[QUALITIES.length - 1];

/** Draws frames for some seconds, each after the last by what `gap` says of the level. */
class Screen {
  nowMs = 1_000;
  readonly changes: number[] = [];

  constructor(readonly pace: Pace) {}

  get level(): number {
    return QUALITIES.indexOf(this.pace.quality);
  }

  draw(seconds: number, gap: (level: number) => number): this {
    const endMs = this.nowMs + 1000 * seconds;
    while (this.nowMs < endMs) {
      this.nowMs += gap(this.level);
      if (this.pace.frame(this.nowMs)) this.changes.push(this.level);
    }
    return this;
  }
}

describe('the quality of the picture', () => {
  it('is the finest where there is a graphics card, and the plainest in software', () => {
    expect(new Pace(false).quality).toBe(QUALITIES[0]);
    expect(new Pace(true).quality).toBe(PLAINEST);
  });

  it('knows software by its name', () => {
    const swiftshader = 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)';
    const microsoft = 'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0)';
    for (const name of [swiftshader, microsoft, 'llvmpipe (LLVM 15.0.7, 256 bits)']) {
      expect(isSoftware(name)).toBe(true);
    }
    for (const name of ['ANGLE (Intel, Mesa Intel(R) UHD Graphics 620, OpenGL 4.6)', 'Apple GPU', '']) {
      expect(isSoftware(name)).toBe(false);
    }
  });

  it('stays where frames are fast enough, a screen of 30 Hz and a hitch now and then among them', () => {
    for (const usual of [7, 16.7, 33.4]) {
      let frame = 0;
      const screen = new Screen(new Pace(false));
      screen.draw(120, () => (++frame % 20 === 0 ? 300 : usual));
      expect(screen.changes).toEqual([]);
    }
  });

  it('goes down step by step until frames are fast enough, and stays there', () => {
    const screen = new Screen(new Pace(false)).draw(300, (level) => [120, 90, 35, 25][level] ?? 0);
    expect(screen.changes).toEqual([1, 2]);
  });

  it('is the plainest within 20 s where nothing helps, even at less than a frame a second', () => {
    for (const gap of [50, 400, 1_500]) {
      const screen = new Screen(new Pace(false)).draw(gap < 1000 ? 12 : 24, () => gap);
      expect(screen.pace.quality).toBe(PLAINEST);
      expect(screen.draw(60, () => gap).changes).toEqual([1, 2, 3]);
    }
  });

  it('becomes finer again after a long run of fast frames, one step at a time', () => {
    const screen = new Screen(new Pace(true)).draw(8, () => 16.7);
    expect(screen.changes).toEqual([]);
    expect(screen.draw(60, () => 16.7).changes).toEqual([2, 1, 0]);
  });

  it('does not swing: what was regretted is tried ever more rarely', () => {
    const gap = (level: number) => (level < 2 ? 60 : 16.7);
    const hour = new Screen(new Pace(true)).draw(3_600, gap).changes.length;
    expect(hour).toBeGreaterThan(1);
    expect(hour).toBeLessThan(24);
    expect(new Screen(new Pace(true)).draw(7_200, gap).changes.length - hour).toBeLessThan(14);
  });

  it('does not take a hidden tab for slow frames', () => {
    const screen = new Screen(new Pace(false));
    for (let time = 0; time < 20; time += 1) screen.draw(1, () => 16.7).draw(1, () => 6_000);
    expect(screen.changes).toEqual([]);
  });
});
