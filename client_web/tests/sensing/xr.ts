/** Owns a headset of paper: just as much of WebXR as `Headset` asks for, allocating nothing in a frame. */

import { Quaternion, Vector3 } from 'three';
import { vi } from 'vitest';
import type { Presenter } from '../../src/sensing/headset_session';
import { HAND_JOINTS } from '../../src/sensing/hand_joints';

class Placed {
  readonly position = new Vector3();
  readonly orientation = new Quaternion();
}

export class PaperPose {
  readonly transform = new Placed();
  emulatedPosition = false;
}

export class PaperHand {
  readonly gripSpace: PaperPose | undefined = new PaperPose();
  readonly targetRaySpace = new PaperPose();
  readonly gamepad = {
    axes: [0, 0, 0, 0],
    buttons: Array.from({ length: 7 }, () => ({ value: 0, pressed: false, touched: false })),
  };
  /** Null joints are not seen. */
  joints: Float32Array | null = null;
  hand: Map<string, string> | undefined;

  constructor(readonly handedness: 'left' | 'right') {}

  /** Lays the controller down and shows bare joints. */
  bare(joints: Float32Array | null): void {
    this.hand ??= new Map(HAND_JOINTS.map((name) => [name, name]));
    this.joints = joints;
  }
}

/** Space, session, frame, browser and presenter at once: each asks the same paper headset. */
export class PaperHeadset extends EventTarget implements Presenter {
  readonly viewer = new PaperPose();
  readonly left = new PaperHand('left');
  readonly right = new PaperHand('right');
  inputSources: PaperHand[] = [this.left, this.right];
  visibilityState = 'visible';
  /** Whether the head is seen, and whether a frame is being drawn. */
  seesHead = true;
  drawing = true;
  presented: string[] = [];
  offsets = 0;
  readonly space = Object.assign(new EventTarget(), {
    getOffsetReferenceSpace: () => {
      this.offsets += 1;
      return this.space;
    },
  });

  constructor(
    private readonly spaces: readonly string[] = ['local-floor', 'local'],
    readonly refusal: DOMException | undefined = undefined,
  ) {
    super();
    vi.stubGlobal('XRRigidTransform', class {});
    this.viewer.transform.position.set(0, 1.7, 0);
    this.left.gripSpace?.transform.position.set(-0.2, 1.2, -0.4);
    this.right.gripSpace?.transform.position.set(0.2, 1.2, -0.4);
  }

  get xr(): XRSystem {
    const requestSession = () => (this.refusal ? Promise.reject(this.refusal) : Promise.resolve(this));
    return { requestSession } as unknown as XRSystem;
  }

  get session(): this {
    return this;
  }

  requestReferenceSpace(kind: string): Promise<EventTarget> {
    return this.spaces.includes(kind)
      ? Promise.resolve(this.space)
      : Promise.reject(new DOMException(kind, 'NotSupportedError'));
  }

  present(_session: XRSession, _space: XRReferenceSpace, kind: string): Promise<void> {
    this.presented.push(kind);
    return Promise.resolve();
  }

  frame(): XRFrame | undefined {
    return this.drawing ? (this as unknown as XRFrame) : undefined;
  }

  getViewerPose(): PaperPose | null {
    return this.seesHead ? this.viewer : null;
  }

  getPose(space: PaperPose): PaperPose {
    return space;
  }

  fillPoses(_spaces: unknown, _base: unknown, out: Float32Array): boolean {
    const { joints } = this.left;
    if (joints === null) return false;
    out.set(joints);
    return true;
  }

  show(visibility: string): void {
    this.visibilityState = visibility;
    this.dispatchEvent(new Event('visibilitychange'));
  }

  end(): Promise<void> {
    this.dispatchEvent(new Event('end'));
    return Promise.resolve();
  }
}
