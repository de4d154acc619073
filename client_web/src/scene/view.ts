/** Owns the picture of a session: figures, names, camera and light, drawn once a frame. */

import { Quaternion, Vector3, type PerspectiveCamera } from 'three';
import type { Wardrobe } from '../avatars/wardrobe';
import { ROTATION, type WritableFloats } from '../motion/bones';
import { Crowd, type AppearanceSource, type DrawnParts, type PoseSource } from './crowd';
import type { FigureSlot } from './figure_slot';
import { Labels, type LabelText } from './labels';
import { Stage } from './stage';
import { Viewpoint, type Covered, type Standing } from './viewpoint';
import type { Playback } from '../motion/playback';

/** Where the view gets what it draws. */
export interface Cast {
  readonly playback: Playback;
  readonly pose: PoseSource;
  readonly look: AppearanceSource;
  readonly label: (id: number) => LabelText | undefined;
  /** What people can wear; without it everyone is a plain figure. */
  readonly wardrobe?: Wardrobe;
  /** Called first in every frame: what was sensed since the last one. */
  readonly sense: (nowMs: number, passedS: number) => void;
  /** Called last, when everyone and the camera are in their places. */
  readonly placed: (passedS: number) => void;
}

/** Whoever moves the camera in place of the orbiting viewpoint. */
export interface Eye {
  update(camera: PerspectiveCamera, passedS: number): void;
}

/** One person as drawn in the last frame. */
export interface DrawnBody {
  readonly id: number;
  readonly opacity: number;
  /** As what they are drawn: a shipped avatar's name, `vrm:HASH`, or `figure`; and how finely, 0 the finest. */
  readonly avatar: string;
  readonly level: number;
  /** World transforms of the drawn parts, metres and xyzw; a part sits at its upper joint. */
  readonly parts: DrawnParts;
  /** Where the point between the eyes is on the canvas, CSS pixels. */
  readonly screen: readonly [x: number, y: number];
}

const TIDY_EVERY_S = 0.7;
/** The camera goes along with a group once a better view of it is this much away. */
const RESTLESS_M = 0.45;
const LONGEST_FRAME_S = 0.1;

const _point = new Vector3();
const _rotation = new Quaternion();

export class View {
  readonly viewpoint: Viewpoint;
  readonly stage: Stage;
  readonly crowd: Crowd;
  private readonly labels: Labels;
  private focused: number | undefined;
  private lastMs = Number.NaN;
  private tidyS = 0;
  private framed = false;
  private eye: Eye | undefined;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    labels: HTMLElement,
    capacity: number,
    private readonly cast: Cast,
  ) {
    this.stage = new Stage(canvas);
    this.crowd = new Crowd(capacity, this.stage.multisampled, cast.wardrobe);
    this.labels = new Labels(labels);
    this.viewpoint = new Viewpoint(this.stage.camera, canvas);
    this.stage.scene.add(this.crowd.group);
    this.stage.onTheme((theme) => this.crowd.wear(theme));
  }

  run(): void {
    this.stage.run((nowMs) => this.frame(nowMs));
  }

  /** Sees through someone's eyes from now on; or, with none, from where the viewpoint is. */
  seeThrough(eye: Eye | undefined): void {
    this.eye = eye;
    this.viewpoint.controls.enabled = eye === undefined;
    if (eye === undefined) this.viewpoint.resume();
  }

  cover(covered: Covered): void {
    this.viewpoint.cover(covered);
    this.tidyS = 0;
  }

  /** Goes to one person and stays with them, or lets go. */
  focus(id: number | undefined): void {
    this.focused = id;
    this.crowd.highlight(id);
    const figure = id === undefined ? undefined : this.crowd.figure(id);
    if (figure !== undefined) this.viewpoint.approach(standing(figure));
  }

  /** A view of everyone, kept until someone takes the camera. */
  showAll(): void {
    this.focus(undefined);
    this.viewpoint.touched = false;
    this.viewpoint.frameAll(this.everyone());
  }

  /** Everyone as drawn in the last frame, for tests and diagnosis. */
  drawn(): DrawnBody[] {
    const { clientWidth, clientHeight } = this.canvas;
    return [...this.crowd.shown()].map(([id, figure]) => {
      figure.placeOf('eyes', _point).project(this.stage.camera);
      return {
        id,
        opacity: figure.visibility,
        ...this.crowd.worn(figure),
        parts: this.crowd.drawn(id),
        screen: [((_point.x + 1) / 2) * clientWidth, ((1 - _point.y) / 2) * clientHeight],
      };
    });
  }

  /** Writes where someone's eyes are drawn, world metres; false if they are not. */
  headOf(id: number, out: WritableFloats): boolean {
    const figure = this.crowd.figure(id);
    if (figure === undefined) return false;
    const eyes = figure.placeOf('eyes', _point);
    out[0] = eyes.x;
    out[1] = eyes.y;
    out[2] = eyes.z;
    return true;
  }

  private frame(nowMs: number): void {
    const passedS = Number.isNaN(this.lastMs) ? 0 : (nowMs - this.lastMs) / 1000;
    const stepS = Math.min(passedS, LONGEST_FRAME_S);
    this.lastMs = nowMs;
    const { playback, pose, look, label, sense, placed } = this.cast;
    sense(nowMs, stepS);
    playback.advance(nowMs * 1000);
    const { inHeadset, headsetCamera, camera, heightPx, finestLevel } = this.stage;
    this.crowd.lookFrom((inHeadset ? headsetCamera : undefined) ?? camera, heightPx, finestLevel);
    this.crowd.update(playback.ids(), pose, look, passedS);
    this.tidy(stepS);
    this.stage.surroundings.fadeShadows(this.crowd.visibility);
    this.moveCamera(stepS);
    placed(stepS);
    if (this.stage.inHeadset) return;
    const { clientWidth, clientHeight } = this.canvas;
    this.labels.update(this.crowd.shown(), label, this.stage.camera, clientWidth, clientHeight);
  }

  private moveCamera(stepS: number): void {
    const { stage, viewpoint, eye } = this;
    if (eye !== undefined) {
      eye.update(stage.camera, stepS);
    } else {
      const followed = this.focused === undefined ? undefined : this.crowd.figure(this.focused);
      if (followed !== undefined) viewpoint.follow(followed.placeOf('chest', _point), stepS);
      viewpoint.update(stepS);
    }
    stage.camera.updateMatrixWorld();
  }

  /** What need not happen every frame: the light, and the camera while nobody holds it. */
  private tidy(passedS: number): void {
    this.tidyS -= passedS;
    if (this.tidyS > 0) return;
    const everyone = this.everyone();
    if (everyone.length === 0) return;
    this.tidyS = TIDY_EVERY_S;
    this.lightUp(everyone);
    this.crowd.highlight(this.focused);
    if (this.eye !== undefined || this.viewpoint.touched || this.focused !== undefined) return;
    if (!this.framed) {
      this.viewpoint.frameAll(everyone, 'at once');
      this.framed = true;
    } else {
      this.viewpoint.keepInView(everyone, RESTLESS_M);
    }
  }

  private lightUp(everyone: readonly Standing[]): void {
    const xs = everyone.map(({ chest }) => chest.x);
    const zs = everyone.map(({ chest }) => chest.z);
    const middle = (values: readonly number[]) => (Math.min(...values) + Math.max(...values)) / 2;
    const x = middle(xs);
    const z = middle(zs);
    const radius = Math.max(...everyone.map(({ chest }) => Math.hypot(chest.x - x, chest.z - z)));
    this.stage.light(x, z, radius);
  }

  private everyone(): Standing[] {
    return [...this.crowd.shown()].map(([, figure]) => standing(figure));
  }
}

function standing(figure: FigureSlot): Standing {
  const facing = new Vector3(0, 0, -1);
  facing.applyQuaternion(_rotation.fromArray(figure.pose, ROTATION.chest));
  return { chest: figure.placeOf('chest', new Vector3()), facing };
}
