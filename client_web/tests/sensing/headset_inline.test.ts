import { afterEach, describe, expect, it, vi } from 'vitest';
import { InlineHead } from '../../src/sensing/headset_inline';
import { Sensors } from '../../src/sensing/sensors';

/** A browser that offers inline sessions, with the spaces that it knows. */
class InlineBrowser extends EventTarget {
  ended = false;
  pose: object | null = null;
  private next: ((time: number, frame: object) => void) | undefined;
  readonly space = Object.assign(new EventTarget(), { getOffsetReferenceSpace: () => this.space });

  constructor(private readonly spaces: readonly string[]) {
    super();
    vi.stubGlobal('document', { createElement: () => ({ getContext: () => ({}) }) });
    vi.stubGlobal('XRWebGLLayer', class {});
    vi.stubGlobal('XRRigidTransform', class {});
  }

  get xr(): XRSystem {
    return { requestSession: () => Promise.resolve(this) } as unknown as XRSystem;
  }

  requestReferenceSpace(kind: string): Promise<EventTarget> {
    return this.spaces.includes(kind) ? Promise.resolve(this.space) : Promise.reject(new Error(kind));
  }

  updateRenderState(): void {
    expect(this.ended).toBe(false);
  }

  requestAnimationFrame(callback: (time: number, frame: object) => void): void {
    this.next = callback;
  }

  end(): Promise<void> {
    this.ended = true;
    this.dispatchEvent(new Event('end'));
    return Promise.resolve();
  }

  draw(y: number | undefined): void {
    const position = { x: 0.1, y, z: 0.2 };
    const pose = y === undefined ? null : { transform: { position, orientation: { x: 0, y: 0, z: 0, w: 1 } } };
    this.next?.(0, { getViewerPose: () => pose });
  }
}

describe('a phone as a window', () => {
  afterEach(() => vi.unstubAllGlobals());
  const at = { x: 3, z: 4, yaw: 0 };

  it('is not offered where the browser knows nothing of the device, and leaves no session behind', async () => {
    const browser = new InlineBrowser([]);
    expect(await InlineHead.open(browser.xr, at)).toBeUndefined();
    expect(browser.ended).toBe(true);
    expect(await InlineHead.open(undefined, at)).toBeUndefined();
  });

  it('is a head without hands, which stands where asked and is lost with the session', async () => {
    const browser = new InlineBrowser(['local']);
    const head = await InlineHead.open(browser.xr, at);
    const sensors = new Sensors();
    head?.read(0, 0, sensors);
    expect(sensors.tracked).toBe(0);
    browser.draw(1.5);
    head?.read(16, 0.016, sensors);
    expect(sensors.tracked).toBe(1);
    expect([...sensors.poses.subarray(0, 3)]).toEqual([3, 1.5, 4]);
    expect(sensors.discontinuity).toBe(1);
    browser.draw(1.4);
    head?.read(32, 0.016, sensors);
    expect([...sensors.poses.subarray(0, 3)]).toEqual([3, 1.4, 4]);
    expect(sensors.discontinuity).toBe(1);
    browser.draw(undefined);
    head?.read(48, 0.016, sensors);
    head?.read(148, 0.1, sensors);
    expect(sensors.tracked).toBe(0);
    browser.draw(1.4);
    head?.read(164, 0.016, sensors);
    expect([sensors.tracked, sensors.discontinuity]).toEqual([1, 2]);
    await head?.close();
    head?.read(300, 0.1, sensors);
    expect([browser.ended, sensors.tracked]).toEqual([true, 0]);
  });

  it('stays where it was in the world when the device lays its space anew', async () => {
    const browser = new InlineBrowser(['local']);
    const head = await InlineHead.open(browser.xr, at);
    const sensors = new Sensors();
    browser.draw(1.5);
    head?.read(0, 0, sensors);
    browser.space.dispatchEvent(new Event('reset'));
    browser.draw(1.5);
    head?.read(16, 0.016, sensors);
    expect([...sensors.poses.subarray(0, 3)]).toEqual([3, 1.5, 4]);
    expect(sensors.discontinuity).toBe(2);
  });
});
