import { Quaternion, Vector3 } from 'three';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headset } from '../../src/sensing/headset';
import { HeadsetRefused } from '../../src/sensing/headset_session';
import { Sensors } from '../../src/sensing/sensors';
import { bytesPerCall } from '../allocation';
import { handJoints } from './hands';
import { PaperHeadset } from './xr';

const FRAME_MS = 1000 / 72;
const AT = { x: 3, z: -2, yaw: 0 };

/** Someone in a paper headset, read frame by frame. */
class Wearer {
  readonly sensors = new Sensors();
  readonly headset: Headset;
  nowMs = 1000;
  changes = 0;
  measured: number[] = [];
  pressed: boolean[] = [];

  constructor(readonly paper: PaperHeadset) {
    this.headset = new Headset(paper.xr, paper, this, {
      changed: () => (this.changes += 1),
      measured: (height) => this.measured.push(height),
      voice: (pressed) => this.pressed.push(pressed),
    });
  }

  static async in(paper = new PaperHeadset()): Promise<Wearer> {
    const wearer = new Wearer(paper);
    await wearer.headset.enter(AT);
    wearer.run(1);
    return wearer;
  }

  run(frames: number): void {
    for (let frame = 0; frame < frames; frame += 1) {
      this.nowMs += FRAME_MS;
      this.headset.read(this.nowMs, FRAME_MS / 1000, this.sensors);
    }
  }

  /** What lies in the way of a laser: a wall so far ahead. */
  wallM = Number.POSITIVE_INFINITY;

  hit(ray: Float64Array, out: Float64Array): boolean {
    for (let axis = 0; axis < 3; axis += 1) out[axis] = (ray[axis] ?? 0) + this.wallM * (ray[3 + axis] ?? 0);
    return Number.isFinite(this.wallM);
  }

  place(sensor: number): number[] {
    return [...this.sensors.poses.subarray(7 * sensor, 7 * sensor + 3)].map((each) => Math.round(each * 1e6) / 1e6);
  }
}

afterEach(() => vi.unstubAllGlobals());

describe('a headset', () => {
  it('is let go again by who went while the browser still asked for it', async () => {
    const wearer = new Wearer(new PaperHeadset());
    let ended = 0;
    wearer.paper.addEventListener('end', () => (ended += 1));
    const entering = wearer.headset.enter(AT);
    await wearer.headset.leave();
    await entering;
    expect([wearer.headset.entered, ended]).toEqual([false, 1]);
    await wearer.headset.enter(AT);
    expect(wearer.headset.entered).toBe(true);
  });

  it('is entered where one stood, with head and hands in the world', async () => {
    const wearer = await Wearer.in();
    expect(wearer.paper.presented).toEqual(['local-floor']);
    expect([wearer.headset.entered, wearer.sensors.tracked, wearer.sensors.fingersKnown]).toEqual([true, 7, 3]);
    expect([0, 1, 2].map((sensor) => wearer.place(sensor))).toEqual([
      [3, 1.7, -2],
      [2.8, 1.2, -2.4],
      [3.2, 1.2, -2.4],
    ]);
    expect(wearer.headset.standing).toMatchObject({ x: 3, z: -2 });
    const jumps = wearer.sensors.discontinuity;
    wearer.run(10);
    expect(wearer.sensors.discontinuity).toBe(jumps);
  });

  it.each([
    ['NotAllowedError', /allow it/],
    ['SecurityError', /https/],
    ['NotSupportedError', /no headset/],
    ['InvalidStateError', /Something else/],
    ['AbortError', /did not open: why/],
  ])('that refuses with %s says so in words, and can be asked again', async (name, words) => {
    const wearer = new Wearer(new PaperHeadset(['local'], new DOMException('why', name)));
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const refused = await wearer.headset.enter(AT).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(HeadsetRefused);
      expect(String(refused)).toMatch(words);
    }
    expect(wearer.headset.entered).toBe(false);
    const nowhere = new Headset(undefined, wearer.paper, wearer, { changed: () => 0, measured: () => 0, voice: () => 0 });
    await expect(nowhere.enter(AT)).rejects.toThrow(/no headset/);
  });

  it('that does not know its floor has it below the eyes, and measures nobody by it', async () => {
    const wearer = await Wearer.in(new PaperHeadset(['local']));
    expect([wearer.paper.offsets, wearer.paper.presented]).toEqual([1, ['local']]);
    wearer.run(400);
    expect(wearer.measured).toEqual([]);
  });

  it('tells once how tall one is', async () => {
    const wearer = await Wearer.in();
    wearer.run(400);
    expect(wearer.measured).toEqual([expect.closeTo(1.7, 6)]);
  });

  it('holds a hand that blinks, loses one that stays away, and tells its return as a jump', async () => {
    const wearer = await Wearer.in();
    const { left } = wearer.paper;
    const jumps = wearer.sensors.discontinuity;
    wearer.paper.inputSources = [wearer.paper.right];
    wearer.run(3);
    expect([wearer.sensors.tracked, wearer.place(1)]).toEqual([7, [2.8, 1.2, -2.4]]);
    wearer.paper.inputSources = [left, wearer.paper.right];
    wearer.run(1);
    expect(wearer.sensors.discontinuity).toBe(jumps);
    wearer.paper.inputSources = [wearer.paper.right];
    wearer.run(6);
    expect([wearer.sensors.tracked, wearer.sensors.fingersKnown]).toEqual([0b101, 0b10]);
    wearer.paper.inputSources = [left, wearer.paper.right];
    wearer.run(1);
    expect([wearer.sensors.tracked, wearer.sensors.discontinuity]).toEqual([7, jumps + 1]);
  });

  it('loses a controller whose place is guessed after it was measured, and takes one that never was', async () => {
    const guessed = (paper: PaperHeadset, yes: boolean): void => {
      const { gripSpace } = paper.left;
      if (gripSpace !== undefined) gripSpace.emulatedPosition = yes;
    };
    const wearer = await Wearer.in();
    guessed(wearer.paper, true);
    wearer.run(10);
    expect(wearer.sensors.tracked).toBe(0b101);
    const simple = new PaperHeadset();
    guessed(simple, true);
    expect((await Wearer.in(simple)).sensors.tracked).toBe(7);
  });

  it('reads buttons, grip and trigger of a controller and bends the fingers with them', async () => {
    const wearer = await Wearer.in();
    const { buttons } = wearer.paper.right.gamepad;
    Object.assign(buttons[0] ?? {}, { value: 1, pressed: true });
    Object.assign(buttons[1] ?? {}, { value: 0.5 });
    Object.assign(buttons[4] ?? {}, { pressed: true });
    const before = wearer.sensors.fingers[24] ?? 0;
    wearer.run(30);
    expect([...wearer.sensors.inputs]).toEqual([0, 0, 0, 0, 0b10001, 0, 128, 255]);
    expect(wearer.sensors.fingers[24]).toBeGreaterThan(before + 0.1);
    expect(wearer.sensors.pointing).toBe(0b10);
  });

  it('points at what is in the way, or into the air', async () => {
    const wearer = await Wearer.in();
    const { right } = wearer.paper;
    right.targetRaySpace.transform.position.set(0.2, 1.2, -0.4);
    Object.assign(right.gamepad.buttons[0] ?? {}, { value: 1, pressed: true });
    const pointed = [Number.POSITIVE_INFINITY, 2.5, 14, 16].map((wallM) => {
      wearer.wallM = wallM;
      wearer.run(1);
      return [...wearer.sensors.points.subarray(3)].map((each) => Math.round(1000 * each) / 1000);
    });
    expect(pointed).toEqual([4, 2.5, 14, 4].map((far) => [3.2, 1.2, -2.4 - far]));
  });

  it('tells of the button for the voice, on either hand, and that it is let go with the hand', async () => {
    const wearer = await Wearer.in();
    const { left, right } = wearer.paper;
    for (const hand of [left, right]) {
      Object.assign(hand.gamepad.buttons[5] ?? {}, { pressed: true });
      wearer.run(3);
      Object.assign(hand.gamepad.buttons[5] ?? {}, { pressed: false });
      wearer.run(3);
    }
    expect(wearer.pressed).toEqual([true, false, true, false]);
    Object.assign(left.gamepad.buttons[5] ?? {}, { pressed: true });
    wearer.run(1);
    wearer.paper.show('visible-blurred');
    wearer.run(1);
    expect(wearer.pressed).toEqual([true, false, true, false, true, false]);
  });

  it('reads a bare hand’s palm, fingers and pinch, and forgets them with its joints', async () => {
    const wearer = await Wearer.in();
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 0.3);
    const angles = new Float64Array(20).fill(0.3);
    wearer.paper.left.bare(handJoints('left', new Vector3(-0.1, 1.4, -0.3), turn, angles));
    wearer.run(1);
    expect(wearer.place(1)).toEqual([2.9, 1.4, -2.3].map((each) => expect.closeTo(each, 4)));
    for (let joint = 0; joint < 20; joint += 1) expect(wearer.sensors.fingers[joint]).toBeCloseTo(0.3, 2);
    expect([...wearer.sensors.inputs.subarray(0, 4)]).toEqual([0, expect.any(Number), 0, 0]);
    wearer.paper.left.bare(null);
    wearer.run(10);
    expect(wearer.sensors.tracked).toBe(0b101);
  });

  it('lets hands rest while a menu lies over the picture, and all of one while nobody looks', async () => {
    const wearer = await Wearer.in();
    const before = wearer.changes;
    wearer.paper.show('visible-blurred');
    wearer.run(10);
    expect(wearer.sensors.tracked).toBe(1);
    wearer.paper.show('hidden');
    wearer.paper.drawing = false; // no more frames come
    wearer.headset.read(wearer.nowMs + 1, 0, wearer.sensors);
    expect(wearer.sensors.tracked).toBe(0);
    expect(wearer.changes).toBe(before + 2);
    const jumps = wearer.sensors.discontinuity;
    wearer.paper.drawing = true;
    wearer.paper.show('visible');
    wearer.run(1);
    expect([wearer.sensors.tracked, wearer.sensors.discontinuity]).toEqual([7, jumps + 1]);
  });

  it('changes nothing when it is read between two frames', async () => {
    const wearer = await Wearer.in();
    const { sampleTimeUs, discontinuity } = wearer.sensors;
    wearer.paper.drawing = false;
    wearer.run(20);
    expect(wearer.sensors).toMatchObject({ tracked: 7, sampleTimeUs, discontinuity });
  });

  it('keeps one’s place in the world when it lays its own floor anew', async () => {
    const wearer = await Wearer.in();
    wearer.paper.viewer.transform.position.set(1, 1.7, 1);
    wearer.run(1);
    const before = wearer.place(0);
    const jumps = wearer.sensors.discontinuity;
    wearer.paper.space.dispatchEvent(new Event('reset'));
    wearer.paper.viewer.transform.position.set(0, 1.7, 0);
    wearer.run(1);
    expect(wearer.place(0)).toEqual(before);
    expect(wearer.sensors.discontinuity).toBe(jumps + 1);
    wearer.headset.recentre();
    wearer.run(1);
    expect(wearer.place(0)).toEqual([3, 1.7, -2]);
  });

  it('that ended is left, can be entered again, and tells nothing meanwhile', async () => {
    const wearer = await Wearer.in();
    await wearer.headset.leave();
    expect(wearer.headset.entered).toBe(false);
    wearer.run(1);
    expect(wearer.sensors.tracked).toBe(0);
    await wearer.headset.enter({ x: 1, z: 1, yaw: 0 });
    wearer.run(1);
    expect([wearer.sensors.tracked, wearer.place(0)]).toEqual([7, [1, 1.7, 1]]);
  });

  it('is read without allocating', { timeout: 30_000 }, async () => {
    const wearer = await Wearer.in();
    wearer.paper.left.bare(handJoints('left', new Vector3(-0.1, 1.4, -0.3), new Quaternion(), new Float64Array(20)));
    // What remains is the clock of this test, and a number or two that V8 keeps on the heap.
    expect(bytesPerCall(() => wearer.run(1), 64)).toBeLessThan(64);
  });
});
