/**
 * Owns the camera of someone who takes part: at their own eyes, or behind themselves. It goes from
 * one to the other in a glide, or at once for people who asked for less motion.
 */

import { Quaternion, Vector3, type PerspectiveCamera } from 'three';
import type { Covered } from './viewpoint';

/** Eyes first, 7 numbers: what src/sensing's `Sensors` holds. */
export interface SensedEyes {
  readonly poses: Float64Array;
}

const OWN_FOV = 66;
const BEHIND_FOV = 50;
/** An upright screen sees less to the sides: there the picture is at least this wide, degrees. */
const LEAST_WIDTH = 46;
const MOST_FOV = 92;
/** Arms begin a hand's breadth from the eyes. */
const NEAR_M = 0.05;
const GLIDE_S = 0.16;
/** Behind, over the right shoulder, in the head's axes. */
const ASIDE_M = 0.34;
const ABOVE_M = 0.22;
const DISTANCE_M = 2.5;
const NEAREST_M = 1.1;
const FURTHEST_M = 6;
const ZOOM_STEP = 1.12;
const ABOVE_FLOOR_M = 0.12;
/** With the camera nearer to the eyes than this, one's own head would be in the way. */
const HEAD_M = 0.35;

const _offset = new Vector3();
const _near = new Vector3();
const _far = new Vector3();

export class FirstPerson {
  /** Whether one sees oneself from behind. */
  behind = false;
  private readonly eyes = new Vector3();
  private readonly head = new Quaternion();
  private away = 0;
  private distanceM = DISTANCE_M;
  private covered: Covered = { right: 0, bottom: 0 };
  private camera: PerspectiveCamera | undefined;
  private before = { fov: 0, near: 0 };
  private fresh = true;

  /** `still`: whether to spare motion. */
  constructor(
    private readonly sensed: SensedEyes,
    private readonly canvas: { readonly clientWidth: number; readonly clientHeight: number },
    private readonly still: () => boolean,
  ) {}

  /** Whether one's own head is to be hidden: one looks out of it. */
  get inside(): boolean {
    return this.away * this.distanceM < HEAD_M;
  }

  /** CSS pixels under panels: one looks through the middle of what is free. */
  cover(covered: Covered): void {
    this.covered = covered;
  }

  /** Goes nearer to oneself or further away, seen from behind; by notches of the wheel. */
  zoom(notches: number): void {
    if (!this.behind || !Number.isFinite(notches)) return;
    const wanted = this.distanceM / ZOOM_STEP ** Math.min(Math.max(notches, -10), 10);
    this.distanceM = Math.min(Math.max(wanted, NEAREST_M), FURTHEST_M);
  }

  /** Places the camera; once a frame, after the sensors were read. */
  update(camera: PerspectiveCamera, passedS: number): void {
    if (this.camera !== camera) this.take(camera);
    const goal = this.behind ? 1 : 0;
    const keep = this.still() || this.fresh ? 0 : Math.exp(-passedS / GLIDE_S);
    this.fresh = false;
    this.away = goal + (this.away - goal) * keep;
    if (Math.abs(this.away - goal) < 1e-3) this.away = goal;
    this.eyes.fromArray(this.sensed.poses, 0);
    this.head.fromArray(this.sensed.poses, 3);
    _offset.set(ASIDE_M, ABOVE_M, this.distanceM).multiplyScalar(this.away).applyQuaternion(this.head);
    camera.position.copy(this.eyes).add(_offset);
    camera.position.y = Math.max(camera.position.y, Math.min(ABOVE_FLOOR_M, this.eyes.y));
    camera.quaternion.copy(this.head);
    this.frame(camera);
  }

  /** Gives the camera back as it was. */
  release(): void {
    const { camera } = this;
    if (camera === undefined) return;
    camera.fov = this.before.fov;
    camera.near = this.before.near;
    camera.updateProjectionMatrix();
    this.camera = undefined;
    this.fresh = true;
  }

  private take(camera: PerspectiveCamera): void {
    this.release();
    this.camera = camera;
    this.before = { fov: camera.fov, near: camera.near };
    camera.near = NEAR_M;
    camera.up.set(0, 1, 0);
  }

  /** The angle of view, and the picture's middle beside the panels. */
  private frame(camera: PerspectiveCamera): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const fov = fittedFov(OWN_FOV + (BEHIND_FOV - OWN_FOV) * this.away, width / height);
    const x = this.covered.right / 2;
    const y = this.covered.bottom / 2;
    const { view } = camera;
    const same =
      view?.enabled === true &&
      view.fullWidth === width &&
      view.fullHeight === height &&
      view.offsetX === x &&
      view.offsetY === y;
    if (same && Math.abs(camera.fov - fov) < 1e-3) return;
    camera.fov = fov;
    camera.setViewOffset(width, height, x, y, width, height); // also updates the projection
  }
}

/** The vertical angle that is wide enough on an upright screen, degrees. */
function fittedFov(fov: number, aspect: number): number {
  const radians = Math.PI / 180;
  const wide = (2 * Math.atan(Math.tan((LEAST_WIDTH * radians) / 2) / aspect)) / radians;
  return Math.min(Math.max(fov, wide), MOST_FOV);
}

/** Writes the ray behind a point of a camera's picture (−1…1): origin and unit direction, world. */
export function rayThrough(camera: PerspectiveCamera, x: number, y: number, out: Float64Array): void {
  _near.set(x, y, -1).unproject(camera);
  _far.set(x, y, 0.5).unproject(camera).sub(_near).normalize();
  _near.toArray(out, 0);
  _far.toArray(out, 3);
}
