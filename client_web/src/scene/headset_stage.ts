/**
 * Owns the headset's picture: three's XR, the camera on a rig that stands where the person's floor lies,
 * the arc of a teleport, the darkness over its jump, names, words, and the sign of one's voice.
 */

import { Group, PerspectiveCamera, type Scene, type WebGLRenderer } from 'three';
import { HeadsetArc } from './headset_arc';
import { HeadsetLabels } from './headset_labels';
import { HeadsetMark, type VoiceMark } from './headset_mark';
import { HeadsetShade } from './headset_shade';
import { HeadsetWords } from './headset_words';

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
/** As many people as a session has room for unless its server says otherwise. */
const MOST_NAMES = 64;

export class HeadsetStage {
  /** Draw with this one while the headset shows the picture; three moves it to the eyes. */
  readonly camera = new PerspectiveCamera(70, 1, NEAR_M, FAR_M);
  private readonly rig = new Group();
  private readonly arc = new HeadsetArc();
  private readonly shade = new HeadsetShade();
  private readonly panel = new HeadsetWords();
  private readonly mark = new HeadsetMark();
  /** What the wearer's microphone does. */
  voice: VoiceMark = 'off';
  readonly labels = new HeadsetLabels(MOST_NAMES);

  constructor(
    private readonly renderer: WebGLRenderer,
    scene: Scene,
  ) {
    renderer.xr.enabled = true;
    this.camera.add(this.shade.mesh, this.panel.mesh, this.mark.mesh);
    this.rig.add(this.camera);
    scene.add(this.rig, this.arc.group, this.labels.mesh);
  }

  /** Words for the wearer; forgotten while there is none. */
  get words(): HeadsetWords['words'] {
    return this.panel.words;
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
  update({ floor, travel }: HeadsetState, passedS: number): void {
    this.rig.position.set(floor.x, 0, floor.z);
    this.rig.rotation.set(0, floor.yaw, 0);
    const presenting = this.presenting;
    this.arc.update(presenting && travel.aiming, travel.arc.points, travel.arc.valid);
    this.shade.update(presenting ? travel.shade : 0);
    this.panel.update(presenting, passedS);
    this.mark.update(presenting, this.voice);
  }
}
