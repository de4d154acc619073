/** Owns everyone on screen: who is there, as what they are drawn, and what is drawn each frame. */

import { Color, Group, Quaternion, Vector3, type PerspectiveCamera } from 'three';
import { Troupe, type Worn } from '../avatars/troupe';
import type { Wardrobe } from '../avatars/wardrobe';
import { BONE, BONE_SIZE, TURN, type Skeleton } from '../body/skeleton';
import { isDrawable } from '../body/solve';
import { DEFAULT_LENGTHS, type WritableFloats } from '../motion/bones';
import { Capsules, type DrawnPart } from './capsules';
import type { PartName } from './figure';
import { FigureSlot, type Appearance } from './figure_slot';
import { Footprints } from './footprints';
import { LIGHT, type Theme } from './palette';

export type { DrawnPart } from './capsules';

/** Where the poses come from: writes one, or says that there is none. */
export type PoseSource = (id: number, pose: WritableFloats) => boolean;
export type AppearanceSource = (id: number) => Appearance | undefined;

/** What can be asked for of anyone who is drawn; feet only of whom is more than a figure. */
export type DrawnName = PartName | 'leftFoot' | 'rightFoot';
export type DrawnParts = Partial<Record<DrawnName, DrawnPart>>;

/** For how finely they are drawn everyone is this tall. */
const PERSON_M = 1.75;
const NEAREST_M = 0.3;

const _position = new Vector3();
const _eye = new Vector3();
const _rotation = new Quaternion();

/** Rewritten for everyone who is drawn. */
const _worn: { -readonly [Key in keyof Worn]: Worn[Key] } = {
  colour: new Color(),
  opacity: 1,
  leftHand: 1,
  rightHand: 1,
  headless: false,
  heightPx: Number.POSITIVE_INFINITY,
};

export class Crowd {
  readonly group = new Group();
  readonly troupe: Troupe | undefined;
  private readonly capsules: Capsules;
  private readonly footprints: Footprints;
  private readonly figures = new Map<number, FigureSlot>();
  private readonly looks = new Map<number, Appearance>();
  private readonly free: FigureSlot[] = [];
  private created = 0;
  private theme: Theme = LIGHT;
  private camera: PerspectiveCamera | undefined;
  private heightPx = 0;

  /**
   * `multisampled`: whether the renderer draws with multisampling. Without a wardrobe everyone is a
   * capsule figure.
   */
  constructor(
    private readonly capacity: number,
    multisampled = true,
    wardrobe?: Wardrobe,
  ) {
    this.capsules = new Capsules(this.group, capacity, multisampled);
    this.footprints = new Footprints(capacity);
    this.group.add(this.footprints.mesh);
    this.troupe = wardrobe && new Troupe(wardrobe, capacity, multisampled);
    if (this.troupe !== undefined) this.group.add(this.troupe.group);
  }

  wear(theme: Theme): void {
    this.theme = theme;
  }

  /** From where, and on how many drawn pixels of height, people are seen: they are as fine as that, and no finer than `finest`. */
  lookFrom(camera: PerspectiveCamera, heightPx: number, finest = 0): void {
    this.camera = camera;
    this.heightPx = heightPx;
    if (this.troupe !== undefined) this.troupe.finest = finest;
  }

  /** Draws one frame: all who have a pose, and those still fading out. */
  update(ids: Iterable<number>, poses: PoseSource, looks: AppearanceSource, passedS: number): void {
    for (const id of ids) if (!this.figures.has(id)) this.admit(id, poses, looks);
    this.troupe?.begin();
    let count = 0;
    let plain = 0;
    for (const [id, figure] of this.figures) {
      const look = looks(id);
      if (look !== undefined) this.looks.set(id, look);
      const present = look !== undefined && poses(id, figure.pose) && isDrawable(figure.pose);
      const worn = this.looks.get(id) ?? STRANGER;
      if (!figure.update(present, worn, passedS)) {
        this.dismiss(id, figure);
        continue;
      }
      this.draw(id, figure, worn, present, passedS);
      this.footprints.place(figure, worn.colour);
      count = Math.max(count, figure.index + 1);
      if (figure.asFigure) plain = Math.max(plain, figure.index + 1);
    }
    this.capsules.commit(plain);
    this.footprints.commit(count);
    this.troupe?.commit();
  }

  private draw(id: number, figure: FigureSlot, look: Appearance, present: boolean, passedS: number): void {
    const costume = this.troupe?.costume(figure.index, id, look.avatar ?? '');
    if (costume === undefined || this.troupe === undefined) {
      this.drawFigure(figure, look, present);
      return;
    }
    if (figure.asFigure) {
      this.capsules.hide(figure.index);
      figure.asFigure = false;
      figure.body.reset();
    }
    const { body, pose, places } = figure;
    const known = look.fingersKnown ?? 0;
    // Who fades out is solved no more, but drawn on.
    if (present) body.solve(costume.skeleton, look.lengths, pose, places, look.fingers, known, passedS);
    _worn.colour.set(look.colour);
    _worn.opacity = figure.visibility;
    _worn.leftHand = figure.leftHand;
    _worn.rightHand = figure.rightHand;
    _worn.headless = figure.firstPerson;
    _worn.heightPx = this.heightOf(figure);
    this.troupe.draw(figure.index, body, _worn, passedS);
  }

  private drawFigure(figure: FigureSlot, look: Appearance, present: boolean): void {
    const changed = !figure.asFigure;
    figure.asFigure = true;
    if (present || changed) {
      this.capsules.draw(figure, look.lengths, look.colour, this.theme, figure.firstPerson);
    } else {
      this.capsules.fade(figure);
    }
  }

  /** How high a person is on the screen, drawn pixels. */
  private heightOf(figure: FigureSlot): number {
    const { camera } = this;
    if (camera === undefined) return Number.POSITIVE_INFINITY;
    figure.placeOf('chest', _position);
    const away = _position.distanceTo(_eye.setFromMatrixPosition(camera.matrixWorld));
    const across = 2 * Math.tan((camera.fov * Math.PI) / 360) * Math.max(away, NEAREST_M);
    return (this.heightPx * PERSON_M) / across;
  }

  /** Everyone on screen, with their figure. */
  shown(): IterableIterator<[number, FigureSlot]> {
    return this.figures.entries();
  }

  /** Calls for everyone on screen; a kept `visit` makes this a loop that allocates nothing. */
  each(visit: (figure: FigureSlot, id: number) => void): void {
    this.figures.forEach(visit);
  }

  figure(id: number): FigureSlot | undefined {
    return this.figures.get(id);
  }

  /** Of everyone on screen, on average; 1 with nobody. */
  get visibility(): number {
    let sum = 0;
    for (const figure of this.figures.values()) sum += figure.visibility;
    return this.figures.size === 0 ? 1 : sum / this.figures.size;
  }

  /** Rings the floor below one person, or nobody. */
  highlight(id: number | undefined): void {
    this.footprints.highlighted = id === undefined ? -1 : (this.figures.get(id)?.index ?? -1);
  }

  /** As what a person is drawn, and on which level; a figure has level 0. */
  worn(figure: FigureSlot): { readonly avatar: string; readonly level: number } {
    // What has just become ready is worn from the next frame on.
    const worn = figure.asFigure ? undefined : this.troupe?.wornBy(figure.index);
    return worn ?? { avatar: 'figure', level: 0 };
  }

  /**
   * Where a person's parts were drawn, read back from what the graphics card got: an arm at its
   * upper joint, a hand at its palm, the head between its eyes, the trunk at the sternum, a foot
   * at its ankle.
   */
  drawn(id: number): DrawnParts {
    const figure = this.figures.get(id);
    if (figure === undefined) return {};
    const { troupe } = this;
    if (figure.asFigure || troupe === undefined) return this.capsules.drawn(figure.index);
    const skeleton = figure.body.worn;
    return skeleton === undefined ? {} : drawnParts(troupe, figure, skeleton, this.looks.get(id) ?? STRANGER);
  }

  private admit(id: number, poses: PoseSource, looks: AppearanceSource): void {
    const look = looks(id);
    if (look === undefined) return;
    const figure = this.free.pop() ?? this.create();
    if (figure === undefined) return;
    if (!poses(id, figure.pose) || !isDrawable(figure.pose)) {
      this.free.push(figure);
      return;
    }
    figure.reset();
    this.figures.set(id, figure);
    this.looks.set(id, look);
  }

  private create(): FigureSlot | undefined {
    if (this.created >= this.capacity) return undefined;
    this.created += 1;
    return new FigureSlot(this.created - 1);
  }

  private dismiss(id: number, figure: FigureSlot): void {
    this.figures.delete(id);
    this.looks.delete(id);
    this.capsules.hide(figure.index);
    this.troupe?.undress(figure.index);
    figure.asFigure = true;
    this.footprints.hide(figure.index);
    this.free.push(figure);
    this.free.sort((a, b) => b.index - a.index); // the lowest is handed out next
  }
}

const STRANGER: Appearance = {
  colour: '#888888',
  lengths: DEFAULT_LENGTHS,
  connected: false,
  provenance: [0, 0, 0],
};

/** From the T-pose's frame to the one that a part has: see figure.ts. */
const ARM = { left: new Quaternion(0, 0, -Math.SQRT1_2, Math.SQRT1_2), right: new Quaternion(0, 0, Math.SQRT1_2, Math.SQRT1_2) };
const HAND = { left: new Quaternion(0, Math.SQRT1_2, 0, Math.SQRT1_2), right: new Quaternion(0, -Math.SQRT1_2, 0, Math.SQRT1_2) };
const NONE = new Quaternion();

function drawnParts(troupe: Troupe, figure: FigureSlot, skeleton: Skeleton, look: Appearance): DrawnParts {
  const { rest, eyes, palms } = skeleton;
  const part = (bone: number, point: ArrayLike<number>, first: number, frame: Quaternion): DrawnPart => {
    const [x = 0, y = 0, z = 0] = [0, 1, 2].map((axis) => point[first + axis] ?? 0);
    _rotation.fromArray(figure.body.bones, BONE_SIZE * bone + TURN).multiply(frame);
    return { position: troupe.drawn(figure.index, bone, x, y, z), rotation: _rotation.toArray() };
  };
  const joint = (bone: number, frame = NONE) => part(bone, rest, 3 * bone, frame);
  const sternum = figure.body.sternum(look.lengths);
  return {
    upperTrunk: part(BONE.upperChest, sternum, 0, NONE),
    lowerTrunk: joint(BONE.hips),
    neck: joint(BONE.neck),
    head: part(BONE.head, eyes, 0, NONE),
    leftUpperArm: joint(BONE.left.upperArm, ARM.left),
    leftLowerArm: joint(BONE.left.lowerArm, ARM.left),
    leftHand: part(BONE.left.hand, palms, 0, HAND.left),
    leftFoot: joint(BONE.left.foot),
    rightUpperArm: joint(BONE.right.upperArm, ARM.right),
    rightLowerArm: joint(BONE.right.lowerArm, ARM.right),
    rightHand: part(BONE.right.hand, palms, 3, HAND.right),
    rightFoot: joint(BONE.right.foot),
  };
}
