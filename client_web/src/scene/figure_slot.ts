/**
 * Owns one figure: turns a pose and lengths into the transforms of its instances in the shared
 * part meshes, and fades it and its hands by what is known of them.
 */

import { Color, Quaternion, Vector3 } from 'three';
import {
  DEFAULT_LENGTHS,
  LENGTH,
  PLACE,
  PLACES_SIZE,
  POSE_SIZE,
  ROTATION,
  type Floats,
  type Place,
} from '../motion/bones';
import { Provenance } from '../protocol/generated';
import { placesFromPose } from '../motion/kinematics';
import { FIGURE, PART_NAMES, type Finish, type PartName } from './figure';
import type { Theme } from './palette';
import type { PartMesh } from './parts';

/** What a figure is drawn from, besides its pose. */
export interface Appearance {
  readonly colour: string;
  readonly lengths: Floats;
  readonly connected: boolean;
  /** Head, left hand, right hand: members of Provenance. */
  readonly provenance: Floats;
}

export type PartMeshes = Readonly<Record<PartName, PartMesh>>;

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
const _scale = new Vector3();
const _target = new Vector3();
const _one = new Vector3(1, 1, 1);
const _up = new Vector3(0, 1, 0);
const _colour = new Color();

function lengthRatio(lengths: Floats, index: number): number {
  return (lengths[index] ?? 1) / (DEFAULT_LENGTHS[index] ?? 1);
}

export class FigureSlot {
  readonly pose = new Float64Array(POSE_SIZE);
  readonly places = new Float64Array(PLACES_SIZE);
  private opacity = 0;
  private readonly handOpacity = [1, 1];
  private painted = '';

  constructor(
    readonly index: number,
    private readonly meshes: PartMeshes,
  ) {}

  /** Of the whole figure, 0…1: a label fades with it. */
  get visibility(): number {
    return this.opacity;
  }

  /** Paints the instances; does nothing unless the colour or the theme is another. */
  paint(colour: string, theme: Theme): void {
    const key = colour + theme.skin;
    if (key === this.painted) return;
    this.painted = key;
    for (const name of PART_NAMES) {
      finishColour(FIGURE[name].finish, colour, theme);
      this.meshes[name].paint(this.index, _colour);
    }
  }

  /**
   * Draws one frame. `present`: the pose holds; otherwise the last one fades out.
   * Returns false once the figure has faded away entirely.
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
      this.hide();
      return false;
    }
    if (present) this.arrange(appearance.lengths);
    this.fade();
    return true;
  }

  hide(): void {
    this.opacity = 0;
    for (const name of PART_NAMES) this.meshes[name].hide(this.index);
  }

  /** Writes where a place of the body is, world metres. */
  placeOf(place: Place, out: Vector3): Vector3 {
    return out.fromArray(this.places, PLACE[place]);
  }

  /** Writes the point of the floor below the trunk. */
  standsAt(out: Vector3): Vector3 {
    _rotation.fromArray(this.pose, ROTATION.chest);
    out.set(0, -TORSO_BELOW_CHEST_M, 0).applyQuaternion(_rotation);
    out.add(_position.fromArray(this.places, PLACE.chest));
    return out.setY(0);
  }

  private arrange(lengths: Floats): void {
    placesFromPose(lengths, this.pose, this.places);
    const wide = lengthRatio(lengths, LENGTH.shoulderLateral);
    this.put('upperTrunk', 'chest', ROTATION.upperChest, _scale.set(wide, 1, 1));
    this.put('lowerTrunk', 'chest', ROTATION.chest, _scale.set(wide, 1, 1));
    this.put('head', 'eyes', ROTATION.head, _one);
    this.put('visor', 'eyes', ROTATION.head, _one);
    this.put('eyes', 'eyes', ROTATION.head, _one);
    this.putNeck();
    const upper = lengthRatio(lengths, LENGTH.upperArm);
    const lower = lengthRatio(lengths, LENGTH.forearm);
    const hand = lengthRatio(lengths, LENGTH.hand);
    this.put('leftUpperArm', 'leftShoulder', ROTATION.leftUpperArm, _scale.set(1, upper, 1));
    this.put('leftLowerArm', 'leftElbow', ROTATION.leftLowerArm, _scale.set(1, lower, 1));
    this.put('leftHand', 'leftPalm', ROTATION.leftHand, _scale.setScalar(hand));
    this.put('rightUpperArm', 'rightShoulder', ROTATION.rightUpperArm, _scale.set(1, upper, 1));
    this.put('rightLowerArm', 'rightElbow', ROTATION.rightLowerArm, _scale.set(1, lower, 1));
    this.put('rightHand', 'rightPalm', ROTATION.rightHand, _scale.setScalar(hand));
  }

  private put(part: PartName, place: Place, rotation: number, scale: Vector3): void {
    _position.fromArray(this.places, PLACE[place]);
    this.meshes[part].place(this.index, _position, _rotation.fromArray(this.pose, rotation), scale);
  }

  private putNeck(): void {
    this.placeOf('neckBase', _position);
    this.placeOf('skullBase', _target).sub(_position);
    const length = _target.length();
    if (length < 1e-6) return;
    _rotation.setFromUnitVectors(_up, _target.divideScalar(length));
    this.meshes.neck.place(this.index, _position, _rotation, _scale.set(1, length, 1));
  }

  private fade(): void {
    for (const name of PART_NAMES) this.meshes[name].setOpacity(this.index, this.opacity);
    const [left = 1, right = 1] = this.handOpacity;
    this.meshes.leftHand.setOpacity(this.index, this.opacity * left);
    this.meshes.leftLowerArm.setOpacity(this.index, this.opacity * Math.sqrt(left));
    this.meshes.rightHand.setOpacity(this.index, this.opacity * right);
    this.meshes.rightLowerArm.setOpacity(this.index, this.opacity * Math.sqrt(right));
  }
}

const WHITE = new Color('#ffffff');
const _second = new Color();

/** Leaves in _colour what a finish looks like on the person with this colour. */
function finishColour(finish: Finish, colour: string, theme: Theme): void {
  switch (finish) {
    case 'garment':
      _colour.set(colour).lerp(WHITE, 0.1);
      break;
    case 'trousers':
      _colour.set(colour).lerp(_second.set(theme.cloth), 0.82);
      break;
    case 'skin':
      _colour.set(theme.skin);
      break;
    case 'visor':
      _colour.set(theme.visor);
      break;
    case 'eyes':
      _colour.set(colour).lerp(WHITE, 0.75);
      break;
  }
}
