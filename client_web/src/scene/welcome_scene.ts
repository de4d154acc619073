/** Owns the three figures of the start page and how they move: gently, or not at all on request. */

import { DEFAULT_LENGTHS, type WritableFloats } from '../motion/bones';
import { poseFromAngles } from '../motion/kinematics';
import { Vector3 } from 'three';
import { Crowd } from './crowd';
import type { Appearance } from './figure_slot';
import { Provenance } from '../protocol/generated';
import { viewOf } from './framing';
import { colourOf } from './palette';
import type { Stage } from './stage';

interface Pose {
  readonly place: readonly [number, number, number];
  /** Where the chest faces: turn about the vertical, radians. */
  readonly heading: number;
  /** Flexion, abduction, rotation, elbow, pronation, wrist flexion, deviation; left, then right. */
  readonly arms: readonly number[];
  /** How far each of those swings. */
  readonly swing: readonly number[];
}

const POSES: readonly Pose[] = [
  {
    place: [0, 1.36, 0],
    heading: Math.PI,
    arms: [0.1, 1.35, 0, 0.18, 0, 0, 0, 0.1, 1.35, 0, 0.18, 0, 0, 0],
    swing: [0.06, 0.12, 0.1, 0.1, 0.1, 0.1, 0, 0.06, 0.12, 0.1, 0.1, 0.1, 0.1, 0],
  },
  {
    place: [1.25, 1.3, -0.75],
    heading: Math.PI - 0.5,
    arms: [0.5, 0.1, 0.2, 1.35, 0.4, 0, 0, 0.9, 1.1, -0.9, 1.5, 0, 0, 0],
    swing: [0.1, 0.05, 0.1, 0.12, 0.1, 0.1, 0, 0.05, 0.05, 0.25, 0.3, 0, 0.2, 0.1],
  },
  {
    place: [-1.2, 1.31, -0.85],
    heading: Math.PI + 0.45,
    arms: [1.25, 0.1, 0.1, 0.45, 0.8, 0.1, 0, 0.7, 0, 0.3, 1.45, 0.7, 0, 0],
    swing: [0.12, 0.08, 0.1, 0.15, 0.2, 0.1, 0, 0.1, 0.04, 0.1, 0.14, 0.2, 0.1, 0],
  },
];

const _angles = new Float64Array(15);
const _chest = new Float64Array(7);
const _head = new Float64Array(4);

/** Writes a rotation: a turn about the vertical, then a lean forward or back. */
function turned(heading: number, lean: number, out: Float64Array, offset: number): void {
  const [sh, ch] = [Math.sin(heading / 2), Math.cos(heading / 2)];
  const [sl, cl] = [Math.sin(lean / 2), Math.cos(lean / 2)];
  out.set([ch * sl, sh * cl, -sh * sl, ch * cl], offset);
}

function poseAt(index: number, seconds: number, pose: WritableFloats): void {
  const { place, heading, arms, swing } = POSES[index] as Pose;
  const phase = seconds * 0.9 + index * 2.1;
  _angles[0] = 0.08 * Math.sin(0.7 * phase);
  arms.forEach((rest, joint) => {
    const own = phase * (1 + 0.13 * (joint % 3)) + joint * 0.8;
    _angles[joint + 1] = rest + (swing[joint] ?? 0) * Math.sin(own);
  });
  const [x, y, z] = place;
  _chest.set([x + 0.01 * Math.sin(phase), y + 0.008 * Math.sin(1.6 * phase), z]);
  turned(heading + 0.05 * Math.sin(0.6 * phase), -0.03, _chest, 3);
  turned(heading + 0.22 * Math.sin(0.5 * phase), 0.05 * Math.sin(0.8 * phase), _head, 0);
  poseFromAngles(_chest, _head, _angles, 0, pose);
}

export function runWelcomeScene(stage: Stage): void {
  const crowd = new Crowd(POSES.length, stage.multisampled);
  stage.scene.add(crowd.group);
  stage.onTheme((theme) => crowd.wear(theme));
  stage.light(0, -0.4, 1.6);
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const looks: Appearance[] = POSES.map((_, index) => ({
    colour: colourOf(index + 1),
    lengths: DEFAULT_LENGTHS,
    connected: true,
    provenance: [Provenance.TRACKED, Provenance.TRACKED, Provenance.TRACKED],
  }));
  const ids = POSES.map((_, index) => index);
  let lastMs = performance.now();
  stage.run((nowMs) => {
    const passedS = Math.min((nowMs - lastMs) / 1000, 0.1);
    lastMs = nowMs;
    const seconds = still.matches ? 4 : nowMs / 1000;
    crowd.update(ids, (id, pose) => (poseAt(id, seconds, pose), true), (id) => looks[id], passedS);
    aim(stage);
  });
}

const CORNERS = [-1.75, 1.75].flatMap((x) =>
  [0.35, 2.0].map((y) => new Vector3(x, y, -0.4)),
);
const DIRECTION = new Vector3(0.16, 0.1, 1).normalize();

/** All three in the right part of a wide picture, or in the whole of a narrow one. */
function aim(stage: Stage): void {
  const { camera } = stage;
  const { clientWidth: width, clientHeight: height } = stage.renderer.domElement;
  const covered = width > 760 ? Math.min(500, width / 2) : 0;
  const share = { width: (0.96 * (width - covered)) / Math.max(width, 1), height: 0.94 };
  const { position, target } = viewOf(CORNERS, DIRECTION, camera, share);
  camera.position.copy(position);
  camera.lookAt(target);
  camera.setViewOffset(width, height, -covered / 2, 0, width, height);
}
