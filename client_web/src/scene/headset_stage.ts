/**
 * Owns the headset's picture: three's XR, the camera on a rig that stands where the person's floor lies,
 * the arc of a teleport, and the darkness over its jump.
 */

import { Group, PerspectiveCamera, type Scene, type WebGLRenderer } from 'three';
import { HeadsetArc } from './headset_arc';
import { HeadsetShade } from './headset_shade';

/** What is drawn of a person in a headset; `Headset` has it. */
export interface HeadsetState {
  /** world_from_floor: metres and radians about +Y. */
  readonly floor: { readonly x: number; readonly z: number; readonly yaw: number };
  readonly travel: {
    readonly aiming: boolean;
    readonly shade: number;
    /** World points from the hand to the floor, xyz. */
    readonly arc: { readonly points: Float64Array; readonly valid: boolean };
  };
}

const NEAR_M = 0.04;
const FAR_M = 120;

export class HeadsetStage {
  /** Draw with this one while the headset shows the picture; three moves it to the eyes. */
  readonly camera = new PerspectiveCamera(70, 1, NEAR_M, FAR_M);
  private readonly rig = new Group();
  private readonly arc = new HeadsetArc();
  private readonly shade = new HeadsetShade();

  constructor(
    private readonly renderer: WebGLRenderer,
    scene: Scene,
  ) {
    renderer.xr.enabled = true;
    this.camera.add(this.shade.mesh);
    this.rig.add(this.camera);
    scene.add(this.rig, this.arc.group);
  }

  get presenting(): boolean {
    return this.renderer.xr.isPresenting;
  }

  async present(session: XRSession, space: XRReferenceSpace, kind: 'local-floor' | 'local'): Promise<void> {
    this.renderer.xr.setReferenceSpaceType(kind);
    await this.renderer.xr.setSession(session);
    this.renderer.xr.setReferenceSpace(space);
  }

  frame(): XRFrame | undefined {
    // three has none between frames, whatever its types say.
    return (this.renderer.xr.getFrame() as XRFrame | null) ?? undefined;
  }

  /** Once a frame, after the sensors were read: they say where the floor is. */
  update({ floor, travel }: HeadsetState): void {
    this.rig.position.set(floor.x, 0, floor.z);
    this.rig.rotation.set(0, floor.yaw, 0);
    const presenting = this.presenting;
    this.arc.update(presenting && travel.aiming, travel.arc.points, travel.arc.valid);
    this.shade.update(presenting ? travel.shade : 0);
  }
}
