/**
 * Owns the camera: orbit by mouse, touch and keys, a view of everyone, following one person.
 * Moves glide, or jump for people who asked for less motion.
 */

import { Spherical, Vector3, type PerspectiveCamera } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { viewDirection, viewOf, type View } from './framing';

/** What is kept free of people: widths and heights in CSS pixels that a panel covers. */
export interface Covered {
  readonly right: number;
  readonly bottom: number;
}

export interface Standing {
  readonly chest: Vector3;
  /** Horizontal direction the chest faces. */
  readonly facing: Vector3;
}

const GLIDE_S = 0.35;
const TURN_STEP = 0.12;
const ZOOM_STEP = 0.88;
const FOLLOW_DISTANCE_M = 2.6;
const MARGIN = 0.94;
const ABOVE_CHEST_M = 0.62;
const AROUND_M = 0.4;

const _offset = new Vector3();
const _spherical = new Spherical();
const _shift = new Vector3();

export class Viewpoint {
  readonly controls: OrbitControls;
  /** Whether a person has taken the camera; until then it keeps everyone in view. */
  touched = false;
  private goal: View | undefined;
  private covered: Covered = { right: 0, bottom: 0 };
  /** Whether to spare motion; as the person told their system, unless the page knows better. */
  still: () => boolean = () => this.stillness.matches;
  private readonly stillness = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.controls = new OrbitControls(camera, canvas);
    this.controls.enableDamping = !this.stillness.matches;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 40;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.zoomToCursor = false;
    this.controls.addEventListener('start', () => this.take());
    camera.position.set(1.6, 2.1, 4.2);
    this.controls.target.set(0, 1.1, 0);
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  /** Says how much of the canvas lies under panels; people are framed beside them. */
  cover(covered: Covered): void {
    this.covered = covered;
    this.applyOffset();
  }

  /** Goes to a view of everyone, from the side that shows most faces. */
  frameAll(people: readonly Standing[], how: 'gliding' | 'at once' = 'gliding'): void {
    if (people.length === 0) return;
    const points = people.flatMap(({ chest }) => surrounding(chest));
    const direction = viewDirection(people.map(({ facing }) => facing));
    this.goal = viewOf(points, direction, this.camera, this.share());
    if (how === 'gliding') return;
    this.camera.position.copy(this.goal.position);
    this.controls.target.copy(this.goal.target);
  }

  /** Goes to a new view of everyone, from where it looks now, if that is far from the present one. */
  keepInView(people: readonly Standing[], toleranceM: number): void {
    const position = this.goal?.position ?? this.camera.position;
    const direction = position.clone().sub(this.goal?.target ?? this.controls.target).normalize();
    const points = people.flatMap(({ chest }) => surrounding(chest));
    const wanted = viewOf(points, direction, this.camera, this.share());
    if (wanted.position.distanceTo(position) > toleranceM) this.goal = wanted;
  }

  /** Glides towards one person and faces them. */
  approach({ chest, facing }: Standing): void {
    const direction = viewDirection([facing]);
    const target = chest.clone().setY(chest.y + 0.05);
    this.goal = { target, position: target.clone().addScaledVector(direction, FOLLOW_DISTANCE_M) };
  }

  /** Keeps a person where they are in the picture. */
  follow(chest: Vector3, passedS: number): void {
    const share = this.still() ? 1 : 1 - Math.exp(-passedS / 0.25);
    _shift.copy(chest).setY(chest.y + 0.05);
    const target = this.goal?.target ?? this.controls.target;
    _shift.sub(target).multiplyScalar(share);
    target.add(_shift);
    (this.goal?.position ?? this.camera.position).add(_shift);
  }

  /** Takes the camera back from someone's eyes. */
  resume(): void {
    this.camera.up.set(0, 1, 0);
    this.touched = false;
    this.controls.update();
  }

  update(passedS: number): void {
    if (this.goal !== undefined) this.glide(this.goal, passedS);
    this.controls.update(passedS);
    this.applyOffset();
  }

  private glide(goal: View, passedS: number): void {
    const share = this.still() ? 1 : 1 - Math.exp(-passedS / GLIDE_S);
    this.camera.position.lerp(goal.position, share);
    this.controls.target.lerp(goal.target, share);
    if (this.camera.position.distanceTo(goal.position) < 0.005) this.goal = undefined;
  }

  private take(): void {
    this.touched = true;
    this.goal = undefined;
  }

  private share(): { width: number; height: number } {
    const { clientWidth, clientHeight } = this.canvas;
    return {
      width: (MARGIN * (clientWidth - this.covered.right)) / Math.max(clientWidth, 1),
      height: (MARGIN * (clientHeight - this.covered.bottom)) / Math.max(clientHeight, 1),
    };
  }

  /** Shifts the picture so that its middle is the middle of what no panel covers. */
  private applyOffset(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const x = this.covered.right / 2;
    const y = this.covered.bottom / 2;
    const view = this.camera.view;
    if (view?.enabled && view.fullWidth === width && view.fullHeight === height) {
      if (view.offsetX === x && view.offsetY === y) return;
    }
    this.camera.setViewOffset(width, height, x, y, width, height);
  }

  private key(event: KeyboardEvent): void {
    if (!this.controls.enabled) return; // somebody sees through other eyes
    const turns: Record<string, readonly [number, number]> = {
      ArrowLeft: [-TURN_STEP, 0],
      ArrowRight: [TURN_STEP, 0],
      ArrowUp: [0, -TURN_STEP],
      ArrowDown: [0, TURN_STEP],
    };
    const zooms: Record<string, number> = {
      '+': ZOOM_STEP,
      '=': ZOOM_STEP,
      '-': 1 / ZOOM_STEP,
      _: 1 / ZOOM_STEP,
    };
    const turn = turns[event.key];
    const zoom = zooms[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (turn === undefined && zoom === undefined) return;
    event.preventDefault();
    this.take();
    const { target, minDistance, maxDistance, maxPolarAngle } = this.controls;
    _spherical.setFromVector3(_offset.subVectors(this.camera.position, target));
    _spherical.theta += turn?.[0] ?? 0;
    _spherical.phi = Math.min(Math.max(_spherical.phi + (turn?.[1] ?? 0), 0.05), maxPolarAngle);
    const radius = _spherical.radius * (zoom ?? 1);
    _spherical.radius = Math.min(Math.max(radius, minDistance), maxDistance);
    this.camera.position.copy(target).add(_offset.setFromSpherical(_spherical));
  }
}

/** The corners of the space that a person takes, from the floor to above the head. */
function surrounding(chest: Vector3): Vector3[] {
  const corners: Vector3[] = [];
  for (const x of [-AROUND_M, AROUND_M]) {
    for (const z of [-AROUND_M, AROUND_M]) {
      for (const y of [0, chest.y + ABOVE_CHEST_M]) {
        corners.push(new Vector3(chest.x + x, y, chest.z + z));
      }
    }
  }
  return corners;
}
