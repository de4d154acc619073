/**
 * Owns one person on screen, however drawn: the pose of the frame and where that puts the places of
 * the body, and how much of them is to be seen, by what is known.
 */

import { Quaternion, Vector3 } from 'three';
import { PLACE, PLACES_SIZE, POSE_SIZE, ROTATION, type Floats, type Place } from '../motion/bones';
import { placesFromPose } from '../motion/kinematics';
import { Provenance } from '../protocol/generated';
import { Body } from '../body/solve';

/** What a person is drawn from, besides the pose. */
export interface Appearance {
  readonly colour: string;
  readonly lengths: Floats;
  readonly connected: boolean;
  /** Head, left hand, right hand: members of Provenance. */
  readonly provenance: Floats;
  /** A shipped avatar's name, `vrm:HASH`, `figure`, or empty: the page chooses. */
  readonly avatar?: string;
  /** Forty angles, radians, in the protocol's order: left hand, then right. */
  readonly fingers?: Floats | undefined;
  /** Bit 0: the left hand's angles are known, bit 1: the right hand's. */
  readonly fingersKnown?: number;
  /** Seen by these very eyes: the head is not drawn. */
  readonly firstPerson?: boolean;
}

const FADE_S = 0.22;
const AWAY_OPACITY = 0.3;
/** By provenance: what is only inferred looks less solid, what is lost hardly there. */
const HAND_OPACITY = {
  [Provenance.LOST]: 0.26,
  [Provenance.INFERRED]: 0.55,
  [Provenance.TRACKED]: 1,
} as const;
const GONE = 0.02;
const TORSO_BELOW_CHEST_M = 0.5;

const _position = new Vector3();
const _rotation = new Quaternion();

export class FigureSlot {
  readonly pose = new Float64Array(POSE_SIZE);
  readonly places = new Float64Array(PLACES_SIZE);
  readonly body = new Body();
  /** Seen from within: it has no name tag. */
  firstPerson = false;
  /** Whether it is drawn as a capsule figure. */
  asFigure = true;
  private opacity = 0;
  private readonly handOpacity = [1, 1];

  constructor(readonly index: number) {}

  /** Of the whole person, 0…1: a label fades with it. */
  get visibility(): number {
    return this.opacity;
  }

  /** Of the hands, 0…1, besides that of the whole. */
  get leftHand(): number {
    return this.handOpacity[0] ?? 1;
  }

  get rightHand(): number {
    return this.handOpacity[1] ?? 1;
  }

  /**
   * Moves on by a frame. `present`: the pose holds; otherwise the last one fades out.
   * Returns false once the person has faded away entirely.
   */
  update(present: boolean, appearance: Appearance, passedS: number): boolean {
    const keep = Math.exp(-passedS / FADE_S);
    const wanted = present ? (appearance.connected ? 1 : AWAY_OPACITY) : 0;
    this.opacity = wanted + (this.opacity - wanted) * keep;
    for (const side of [0, 1] as const) {
      const provenance = (appearance.provenance[side + 1] ?? Provenance.LOST) as Provenance;
      const known = HAND_OPACITY[provenance];
      this.handOpacity[side] = known + ((this.handOpacity[side] ?? known) - known) * keep;
    }
    if (!present && this.opacity < GONE) {
      this.opacity = 0;
      return false;
    }
    this.firstPerson = appearance.firstPerson === true;
    if (present) placesFromPose(appearance.lengths, this.pose, this.places);
    return true;
  }

  /** Begins anew for another person. */
  reset(): void {
    this.opacity = 0;
    this.handOpacity.fill(1);
    this.body.reset();
  }

  /** Writes where a place of the body is, world metres. */
  placeOf(place: Place, out: Vector3): Vector3 {
    return out.fromArray(this.places, PLACE[place]);
  }

  /** Writes the point of the floor that the person stands on. */
  standsAt(out: Vector3): Vector3 {
    const { stance } = this.body;
    if (!this.asFigure && stance.isPlaced) {
      const { left, right } = stance;
      return out.set((left.x + right.x) / 2, 0, (left.z + right.z) / 2);
    }
    _rotation.fromArray(this.pose, ROTATION.chest);
    out.set(0, -TORSO_BELOW_CHEST_M, 0).applyQuaternion(_rotation);
    out.add(_position.fromArray(this.places, PLACE.chest));
    return out.setY(0);
  }
}
