import { describe, expect, it } from 'vitest';
import { Sender, HANDS_HZ } from '../../src/net/sender';
import { FINGER_JOINTS, decodeHands, decodeTracker } from '../../src/protocol/generated';
import { Sensors } from '../../src/sensing/sensors';
import { random } from '../traces';

const POSE_ID = 1;
const HANDS_ID = 3;
const RATES = [30, 60, 72, 90, 120, 144];

/** A page with a display of some rate; what it sends is kept with the time. */
class Page {
  readonly sensors = new Sensors();
  readonly sent: { readonly ms: number; readonly bytes: Uint8Array }[] = [];
  waitingBytes = 0;
  nowMs = 5000;
  readonly sender = new Sender(this);
  private readonly next: () => number;

  constructor(
    readonly displayHz: number,
    readonly jitterMs = 0,
    seed = 1,
  ) {
    this.next = random(seed);
    this.sensors.tracked = 7;
  }

  sendFrame(bytes: Uint8Array, mostWaitingBytes: number): boolean {
    if (this.waitingBytes > mostWaitingBytes) return false;
    this.sent.push({ ms: this.nowMs, bytes: bytes.slice() });
    return true;
  }

  run(seconds: number, each: (at: number) => void = () => undefined): this {
    const startMs = this.nowMs;
    for (let frame = 1; frame <= seconds * this.displayHz; frame += 1) {
      this.nowMs = startMs + (1000 * frame) / this.displayHz + this.jitterMs * (this.next() - 0.5);
      this.sensors.sampleTimeUs = Math.round(1000 * this.nowMs);
      each((this.nowMs - startMs) / 1000);
      this.sender.take(this.sensors, this.nowMs);
    }
    return this;
  }

  of(id: number): { readonly ms: number; readonly bytes: Uint8Array }[] {
    return this.sent.filter(({ bytes }) => bytes[0] === id);
  }
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

describe('poses', () => {
  for (const displayHz of RATES) {
    for (const rateHz of [20, 60, 72]) {
      it(`go at ${rateHz} a second at the most on a display of ${displayHz} Hz, evenly`, () => {
        const page = new Page(displayHz, 2, displayHz);
        page.sender.start(rateHz, true);
        page.run(20);
        const times = page.of(POSE_ID).map(({ ms }) => ms);
        const expected = Math.min(displayHz, rateHz);
        expect(times.length / 20).toBeLessThanOrEqual(rateHz + 0.1);
        expect(times.length / 20).toBeGreaterThan(0.97 * expected);
        const frameMs = 1000 / displayHz;
        const longest = Math.max(...gaps(times).slice(5));
        expect(longest).toBeLessThan(Math.max(1000 / rateHz, frameMs) + frameMs + 4);
        for (let second = 0; second < 19; second += 1) {
          const within = times.filter((ms) => ms >= 5000 + 1000 * second && ms < 6000 + 1000 * second);
          expect(within.length).toBeLessThanOrEqual(rateHz + 1);
        }
      });
    }
  }

  it('of a display nearly as fast as the session all go, for minutes', () => {
    for (const displayHz of [59.94, 60, 60.05]) {
      const page = new Page(displayHz, 3);
      page.sender.start(60, true);
      page.run(120);
      expect(page.of(POSE_ID).length / 120).toBeGreaterThan(59.8);
      expect(page.of(POSE_ID).length / 120).toBeLessThan(60.1);
    }
  });

  it('are the newest there are', () => {
    const page = new Page(144);
    page.sender.start(60, true);
    page.run(2);
    for (const { ms, bytes } of page.of(POSE_ID)) {
      expect(decodeTracker(bytes).sampleTimeUs).toBe(Math.round(1000 * ms));
    }
  });

  it('do not burst after frames that took long', () => {
    const page = new Page(120);
    page.sender.start(60, true);
    page.run(1);
    page.nowMs += 3000;
    page.sent.length = 0;
    page.run(0.5);
    expect(page.of(POSE_ID).length).toBeLessThanOrEqual(31);
  });

  it('are not sent before a session is live, nor by somebody who only watches', () => {
    const page = new Page(60).run(1);
    expect(page.sent).toEqual([]);
    page.sender.start(60, true);
    page.run(1);
    expect(page.sent.length).toBeGreaterThan(50);
    page.sender.stop();
    page.sent.length = 0;
    page.run(1);
    expect(page.sent).toEqual([]);
  });

  it('wait while the network is behind, and then go on with the newest', () => {
    const page = new Page(60);
    page.sender.start(60, true);
    page.sensors.fingersKnown = 3;
    page.run(1);
    page.sent.length = 0;
    page.waitingBytes = 300;
    page.run(1);
    expect(page.sent).toEqual([]);
    page.waitingBytes = 104;
    page.run(0.5);
    expect(page.of(POSE_ID).length).toBeGreaterThan(28);
    expect(decodeTracker(page.of(POSE_ID)[0]?.bytes ?? new Uint8Array()).sampleTimeUs).toBeGreaterThan(7e6);
  });

  it('are sent once a sample: none twice, none that goes back in time', () => {
    const page = new Page(60);
    page.sender.start(60, true);
    page.run(1, () => {
      page.sensors.sampleTimeUs = 77;
    });
    expect(page.of(POSE_ID).length).toBe(1);
  });

  it('hold nothing that the server refuses', () => {
    const page = new Page(60);
    page.sender.start(60, true);
    const { poses } = page.sensors;
    const next = random(3);
    const bad = [Number.NaN, Number.POSITIVE_INFINITY, -1e30, 101, 0];
    page.run(5, () => {
      poses.fill(0);
      for (let sensor = 0; sensor < 3; sensor += 1) poses[7 * sensor + 6] = 1;
      poses[Math.floor(next() * 21)] = bad[Math.floor(next() * bad.length)] ?? 0;
      page.sensors.tracked = Math.floor(next() * 8);
      page.sensors.discontinuity = Math.floor(next() * 40);
    });
    const frames = page.of(POSE_ID).map(({ bytes }) => decodeTracker(bytes));
    expect(frames.length).toBeGreaterThan(250);
    expect(frames.some((frame) => frame.tracked === 7)).toBe(true);
    expect(frames.some((frame) => frame.tracked === 0)).toBe(true);
  });
});

describe('the hands lane', () => {
  it('says nothing of hands that are at rest', () => {
    const page = new Page(60);
    page.sender.start(60, true);
    page.run(5);
    expect(page.of(HANDS_ID)).toEqual([]);
  });

  it('says nothing to a server that does not know it', () => {
    const page = new Page(60);
    page.sender.start(60, false);
    page.sensors.fingersKnown = 3;
    page.run(2);
    expect(page.of(HANDS_ID)).toEqual([]);
  });

  it('tells moving fingers fifteen times a second, on every display', () => {
    for (const displayHz of RATES) {
      const page = new Page(displayHz, 2);
      page.sender.start(60, true);
      page.sensors.fingersKnown = 2;
      page.run(10, (seconds) => page.sensors.fingers.fill(0.5 + 0.4 * Math.sin(3 * seconds)));
      expect(page.of(HANDS_ID).length / 10).toBeGreaterThan(0.9 * HANDS_HZ);
      expect(page.of(HANDS_ID).length / 10).toBeLessThanOrEqual(HANDS_HZ + 0.1);
    }
  });

  it('tells hands that keep still once a second, and once that they are at rest again', () => {
    const page = new Page(90);
    page.sender.start(60, true);
    page.sensors.fingersKnown = 1;
    page.run(10);
    expect(page.of(HANDS_ID).length).toBeGreaterThanOrEqual(9);
    expect(page.of(HANDS_ID).length).toBeLessThanOrEqual(11);
    page.sent.length = 0;
    page.sensors.fingersKnown = 0;
    page.run(5);
    const [last, ...rest] = page.of(HANDS_ID);
    expect(rest).toEqual([]);
    expect(decodeHands(last?.bytes ?? new Uint8Array()).flags).toBe(0);
  });

  it('carries fingers and points as they are, within their quantum', () => {
    const page = new Page(60);
    page.sender.start(60, true);
    const next = random(8);
    page.sensors.fingersKnown = 3;
    page.sensors.pointing = 2;
    page.sensors.fingers.forEach((_, index) => {
      const { low, high } = FINGER_JOINTS[index % FINGER_JOINTS.length] ?? { low: 0, high: 0 };
      page.sensors.fingers[index] = low + (high - low) * next();
    });
    page.sensors.points.set([1, 2, 3, -4.5, 0, 7.25]);
    page.run(0.1);
    const frame = decodeHands(page.of(HANDS_ID)[0]?.bytes ?? new Uint8Array());
    expect(frame.flags).toBe(3 + 8);
    frame.fingers.forEach((angle, index) => {
      expect(angle).toBeCloseTo(page.sensors.fingers[index] ?? 9, 2);
    });
    expect([...frame.points]).toEqual([0, 0, 0, -4.5, 0, 7.25]);
  });

  it('leaves out a point that is nowhere, or beyond the space', () => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 100.5]) {
      const page = new Page(60);
      page.sender.start(60, true);
      page.sensors.pointing = 3;
      page.sensors.points.set([1, 2, 3, 0, wrong, 0]);
      page.run(0.1);
      expect(decodeHands(page.of(HANDS_ID)[0]?.bytes ?? new Uint8Array()).flags).toBe(4);
    }
  });

  it('does not shout for a pointer that trembles less than a millimetre', () => {
    const page = new Page(60);
    page.sender.start(60, true);
    page.sensors.pointing = 1;
    page.run(5, () => (page.sensors.points[0] = 2 + 0.0004 * Math.sin(page.nowMs)));
    expect(page.of(HANDS_ID).length).toBeLessThanOrEqual(6);
  });
});
