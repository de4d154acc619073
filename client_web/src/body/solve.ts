/**
 * Owns one drawn body: what it remembers between frames, and the order in which its parts are
 * solved. Positions are world metres; nothing here allocates after the first frame.
 */

import { Vector3 } from 'three';
import { LENGTH, PLACE, POSE_SIZE, ROTATION, type Floats } from '../motion/bones';
import { solveArms } from './arms';
import { HAND_ANGLES, RELAXED, solveFingers } from './fingers';
import { solveLegs } from './legs';
import { measure, newMeasures, type Measures } from './measures';
import { positionOf } from './rigid';
import { BONE, BONES_SIZE, type Skeleton } from './skeleton';
import { Stance, type Stand } from './stance';
import { headingOf, restShoulders, solveHead, solveTrunk } from './trunk';
import { smoothstep, wrapped } from './turns';

/** How far the middle of the feet is from below the pelvis to below the chest. */
const CHEST_SHARE = 0.3;
/** Fingers follow what is told of them within about this long. */
const FINGERS_S = 0.05;
/** From this share of the standing height of the pelvis on a body is low; fully at the second. */
const LOW_FROM = 0.92;
const LOW_TO = 0.5;
/** A person of ordinary size has hips this high, m. */
const ORDINARY_HIPS_M = 0.9;

const _place = new Vector3();
const _stand: Stand = { x: 0, z: 0, yaw: 0, low: 0, size: 1 };

export class Body {
  /** What is drawn: see skeleton.ts. */
  readonly bones = new Float64Array(BONES_SIZE);
  readonly stance = new Stance();
  readonly measures: Measures = newMeasures();
  /** Forty angles as shown: they follow what is told, and rest where nothing is. */
  readonly fingers = new Float64Array(2 * HAND_ANGLES);
  private fresh = true;
  private yaw = 0;
  private skeleton: Skeleton | undefined;
  private readonly lengths = new Float64Array(16);

  /** Forgets where the feet were: the person jumped, or appears for the first time. */
  reset(): void {
    this.fresh = true;
    this.stance.reset();
  }

  /**
   * Solves a frame. `pose` and `places` as motion/ has them; `fingers`: forty radians, of which hand
   * 0 (left) counts if bit 0 of `fingersKnown` is set, hand 1 if bit 1; `passedS` since the last frame.
   */
  solve(
    skeleton: Skeleton,
    lengths: Floats,
    pose: Floats,
    places: Floats,
    fingers: Floats | undefined,
    fingersKnown: number,
    passedS: number,
  ): void {
    this.remeasure(skeleton, lengths);
    this.followFingers(fingers, fingersKnown, passedS);
    const { bones, measures, stance } = this;
    this.yaw = headingOf(pose, this.yaw);
    const feetTurn = stance.isPlaced ? wrapped(stance.heading - this.yaw) : 0;
    solveTrunk(skeleton, measures, lengths, pose, this.yaw, clamp(feetTurn), bones);
    this.stand(places);
    stance.advance(_stand, passedS);
    solveLegs(skeleton, measures, stance, this.yaw, bones);
    solveHead(skeleton, measures, pose, places, bones);
    solveArms(skeleton, measures, pose, places, bones);
    solveFingers(skeleton, this.fingers, bones);
    this.fresh = false;
  }

  /** The skeleton that was solved last. */
  get worn(): Skeleton | undefined {
    return this.skeleton;
  }

  /** The point of the rest skeleton that the chest's origin is; a new array: for diagnosis. */
  sternum(lengths: Floats): number[] {
    if (this.skeleton === undefined) return [0, 0, 0];
    restShoulders(this.skeleton, _place);
    _place.y -= (lengths[LENGTH.shoulderUp] ?? 0) / this.measures.trunk;
    return _place.toArray();
  }

  private remeasure(skeleton: Skeleton, lengths: Floats): void {
    let same = this.skeleton === skeleton;
    for (let index = 0; index < lengths.length; index += 1) {
      if (this.lengths[index] === lengths[index]) continue;
      this.lengths[index] = lengths[index] ?? 0;
      same = false;
    }
    if (same) return;
    this.skeleton = skeleton;
    measure(skeleton, lengths, this.measures);
  }

  private followFingers(told: Floats | undefined, known: number, passedS: number): void {
    const share = this.fresh ? 1 : 1 - Math.exp(-passedS / FINGERS_S);
    for (let angle = 0; angle < 2 * HAND_ANGLES; angle += 1) {
      const hand = angle < HAND_ANGLES ? 0 : 1;
      const rest = RELAXED[angle - hand * HAND_ANGLES] ?? 0;
      const wanted = (known & (1 << hand)) === 0 ? rest : (told?.[angle] ?? rest);
      const shown = this.fingers[angle] ?? 0;
      this.fingers[angle] = shown + share * (wanted - shown);
    }
  }

  /** Leaves in _stand what the feet are asked for. */
  private stand(places: Floats): void {
    positionOf(this.bones, BONE.hips, _place);
    const x = places[PLACE.chest] ?? 0;
    const z = places[PLACE.chest + 2] ?? 0;
    _stand.x = _place.x + CHEST_SHARE * (x - _place.x);
    _stand.z = _place.z + CHEST_SHARE * (z - _place.z);
    _stand.yaw = this.yaw;
    const { standing } = this.measures;
    _stand.low = smoothstep(LOW_FROM, LOW_TO, _place.y / Math.max(standing, 1e-3));
    _stand.size = standing / ORDINARY_HIPS_M;
  }
}

/** The pelvis turns with the feet, but not round the back. */
function clamp(turn: number): number {
  return Math.min(Math.max(turn, -0.8), 0.8);
}

/** Nothing but finite numbers gets in: a pose of anything else is not drawn. */
export function isDrawable(pose: Floats): boolean {
  for (let part = 0; part < POSE_SIZE; part += 1) if (!Number.isFinite(pose[part])) return false;
  for (let part: number = ROTATION.chest; part < POSE_SIZE; part += 4) {
    const x = pose[part] ?? 0;
    const y = pose[part + 1] ?? 0;
    const z = pose[part + 2] ?? 0;
    const w = pose[part + 3] ?? 0;
    if (x * x + y * y + z * z + w * w < 0.5) return false;
  }
  return true;
}
