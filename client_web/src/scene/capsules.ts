/** Owns all capsule figures on screen: one instanced mesh a part, an instance of each a person. */

import { Color, Matrix4, Quaternion, Vector3, type Group } from 'three';
import { DEFAULT_LENGTHS, LENGTH, PLACE, ROTATION, type Floats, type Place } from '../motion/bones';
import { FIGURE, PART_NAMES, type Finish, type PartName } from './figure';
import type { FigureSlot } from './figure_slot';
import type { Theme } from './palette';
import { PartMesh, type Surface } from './parts';

const SURFACES: Readonly<Record<Finish, Surface>> = {
  garment: { roughness: 0.82 },
  trousers: { roughness: 0.88 },
  skin: { roughness: 0.6 },
  visor: { roughness: 0.22 },
  eyes: { roughness: 0.4, emissive: 0.9 },
};
/** What is in the way of one's own eyes. */
const HEAD_PARTS: readonly PartName[] = ['head', 'visor', 'eyes', 'neck'];

/** One drawn part as the graphics card gets it. */
export interface DrawnPart {
  readonly position: readonly number[];
  readonly rotation: readonly number[];
}

const _matrix = new Matrix4();
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

export class Capsules {
  private readonly meshes: Readonly<Record<PartName, PartMesh>>;
  private readonly painted: string[] = [];

  constructor(group: Group, capacity: number, multisampled: boolean) {
    this.meshes = Object.fromEntries(
      PART_NAMES.map((name) => {
        const { geometry, finish } = FIGURE[name];
        return [name, new PartMesh(geometry(), SURFACES[finish], capacity, multisampled)];
      }),
    ) as Record<PartName, PartMesh>;
    // Lights on the visor: they neither throw nor take shadow.
    this.meshes.eyes.mesh.castShadow = false;
    this.meshes.eyes.mesh.receiveShadow = false;
    for (const name of PART_NAMES) {
      this.meshes[name].mesh.name = name;
      group.add(this.meshes[name].mesh);
    }
  }

  /** Draws a figure in its person's colour. */
  draw(figure: FigureSlot, lengths: Floats, colour: string, theme: Theme, headless: boolean): void {
    this.paint(figure.index, colour, theme);
    this.arrange(figure, lengths);
    if (headless) for (const name of HEAD_PARTS) this.meshes[name].hide(figure.index);
    this.fade(figure);
  }

  /** Fades a figure where it stands. */
  fade({ index, visibility, leftHand, rightHand }: FigureSlot): void {
    for (const name of PART_NAMES) this.meshes[name].setOpacity(index, visibility);
    this.meshes.leftHand.setOpacity(index, visibility * leftHand);
    this.meshes.leftLowerArm.setOpacity(index, visibility * Math.sqrt(leftHand));
    this.meshes.rightHand.setOpacity(index, visibility * rightHand);
    this.meshes.rightLowerArm.setOpacity(index, visibility * Math.sqrt(rightHand));
  }

  hide(index: number): void {
    for (const name of PART_NAMES) this.meshes[name].hide(index);
  }

  /** Sends the first `count` figures to the graphics card, and draws only those; once a frame. */
  commit(count: number): void {
    for (const name of PART_NAMES) this.meshes[name].commit(count);
  }

  /** The transforms of a figure's parts as they were drawn. */
  drawn(index: number): Partial<Record<PartName, DrawnPart>> {
    return Object.fromEntries(
      PART_NAMES.map((name) => {
        this.meshes[name].drawn(index, _matrix);
        _matrix.decompose(_position, _rotation, _scale);
        return [name, { position: _position.toArray(), rotation: _rotation.toArray() }];
      }),
    );
  }

  /** Paints the instances; does nothing unless the colour or the theme is another. */
  private paint(index: number, colour: string, theme: Theme): void {
    const key = colour + theme.skin;
    if (key === this.painted[index]) return;
    this.painted[index] = key;
    for (const name of PART_NAMES) {
      finishColour(FIGURE[name].finish, colour, theme);
      this.meshes[name].paint(index, _colour);
    }
  }

  private arrange(figure: FigureSlot, lengths: Floats): void {
    const wide = lengthRatio(lengths, LENGTH.shoulderLateral);
    this.put(figure, 'upperTrunk', 'chest', ROTATION.upperChest, _scale.set(wide, 1, 1));
    this.put(figure, 'lowerTrunk', 'chest', ROTATION.chest, _scale.set(wide, 1, 1));
    this.put(figure, 'head', 'eyes', ROTATION.head, _one);
    this.put(figure, 'visor', 'eyes', ROTATION.head, _one);
    this.put(figure, 'eyes', 'eyes', ROTATION.head, _one);
    this.putNeck(figure);
    const upper = lengthRatio(lengths, LENGTH.upperArm);
    const lower = lengthRatio(lengths, LENGTH.forearm);
    const hand = lengthRatio(lengths, LENGTH.hand);
    this.put(figure, 'leftUpperArm', 'leftShoulder', ROTATION.leftUpperArm, _scale.set(1, upper, 1));
    this.put(figure, 'leftLowerArm', 'leftElbow', ROTATION.leftLowerArm, _scale.set(1, lower, 1));
    this.put(figure, 'leftHand', 'leftPalm', ROTATION.leftHand, _scale.setScalar(hand));
    this.put(figure, 'rightUpperArm', 'rightShoulder', ROTATION.rightUpperArm, _scale.set(1, upper, 1));
    this.put(figure, 'rightLowerArm', 'rightElbow', ROTATION.rightLowerArm, _scale.set(1, lower, 1));
    this.put(figure, 'rightHand', 'rightPalm', ROTATION.rightHand, _scale.setScalar(hand));
  }

  private put(figure: FigureSlot, part: PartName, place: Place, rotation: number, scale: Vector3): void {
    _position.fromArray(figure.places, PLACE[place]);
    _rotation.fromArray(figure.pose, rotation);
    this.meshes[part].place(figure.index, _position, _rotation, scale);
  }

  private putNeck(figure: FigureSlot): void {
    figure.placeOf('neckBase', _position);
    figure.placeOf('skullBase', _target).sub(_position);
    const length = _target.length();
    if (length < 1e-6) return;
    _rotation.setFromUnitVectors(_up, _target.divideScalar(length));
    this.meshes.neck.place(figure.index, _position, _rotation, _scale.set(1, length, 1));
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
