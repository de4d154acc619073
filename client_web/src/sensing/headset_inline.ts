/**
 * Owns an inline session as a source of sensors: a browser that knows where its device is held (a phone
 * as a window into the room) but shows it in the page. The head is known then, the hands are not.
 */

import { Floor, type Standing } from './headset_floor';
import { Loss } from './headset_loss';
import { writePose } from './headset_pose';
import { floorOf } from './headset_session';
import { HEAD, SENSOR_SIZE, jump, type SensorSource, type Sensors } from './sensors';

export class InlineHead implements SensorSource {
  readonly floor = new Floor();
  private readonly eyes = new Float64Array(SENSOR_SIZE);
  private readonly loss = new Loss();
  private seen = false;
  private placed = false;
  private running = true;

  private constructor(
    private readonly session: XRSession,
    private readonly space: XRReferenceSpace,
    private readonly at: Standing,
  ) {
    this.eyes[6] = 1;
    session.addEventListener('end', () => this.stop());
    space.addEventListener('reset', () => (this.placed = false));
    session.requestAnimationFrame((_, frame) => this.frame(frame));
  }

  /**
   * Opens one where the browser offers it, and stands as asked; undefined where it does not. Call it in
   * a click: browsers ask people before they tell how a device is held.
   */
  static async open(xr: XRSystem | undefined, at: Standing): Promise<InlineHead | undefined> {
    const session = await xr
      ?.requestSession('inline', { optionalFeatures: ['local-floor', 'local'] })
      .catch(() => undefined);
    if (session === undefined) return undefined;
    try {
      const [space] = await floorOf(session);
      giveLayer(session);
      return new InlineHead(session, space, at);
    } catch {
      await session.end().catch(() => undefined); // no sensor is behind it
      return undefined;
    }
  }

  async close(): Promise<void> {
    if (this.running) await this.session.end().catch(() => undefined);
  }

  read(nowMs: number, _passedS: number, out: Sensors): void {
    out.sampleTimeUs = Math.round(1000 * nowMs);
    out.fingersKnown = out.pointing = 0;
    out.inputs.fill(0);
    const state = this.loss.note(this.running && this.seen, nowMs);
    out.tracked = state === 'lost' ? 0 : 1;
    if (state === 'lost') return;
    if (!this.placed) {
      this.placed = true;
      this.floor.place(this.eyes, this.at);
      if (state === 'tracked') jump(out);
    }
    this.floor.poseToWorld(this.eyes, 0, out.poses, HEAD);
    if (state === 'returned') jump(out);
  }

  private frame(frame: XRFrame): void {
    if (!this.running) return;
    this.session.requestAnimationFrame((_, next) => this.frame(next));
    const pose = frame.getViewerPose(this.space);
    this.seen = pose !== null && pose !== undefined;
    if (pose) writePose(pose.transform, this.eyes);
  }

  private stop(): void {
    this.running = false;
    this.seen = false;
  }
}

/** Without a layer to draw into a session has no frames; this one is never looked at. */
function giveLayer(session: XRSession): void {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('webgl2');
  if (context === null) throw new Error('No WebGL for the frames of an inline session.');
  session.updateRenderState({ baseLayer: new XRWebGLLayer(session, context) });
}
