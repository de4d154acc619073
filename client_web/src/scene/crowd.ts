/** Owns all figures: who has which instances, and what is drawn of them each frame. */

import { Group, Matrix4, Quaternion, Vector3 } from 'three';
import { DEFAULT_LENGTHS } from '../motion/bones';
import type { WritableFloats } from '../motion/bones';
import { FigureSlot, type Appearance, type PartMeshes } from './figure_slot';
import { FIGURE, PART_NAMES, type Finish, type PartName } from './figure';
import { Footprints } from './footprints';
import { LIGHT, type Theme } from './palette';
import { PartMesh, type Surface } from './parts';

const SURFACES: Readonly<Record<Finish, Surface>> = {
  garment: { roughness: 0.82 },
  trousers: { roughness: 0.88 },
  skin: { roughness: 0.6 },
  visor: { roughness: 0.22 },
  eyes: { roughness: 0.4, emissive: 0.9 },
};

/** Where the poses come from: writes one, or says that there is none. */
export type PoseSource = (id: number, pose: WritableFloats) => boolean;
export type AppearanceSource = (id: number) => Appearance | undefined;

/** One drawn part as the graphics card gets it. */
export interface DrawnPart {
  readonly position: readonly number[];
  readonly rotation: readonly number[];
}

const _matrix = new Matrix4();
const _position = new Vector3();
const _rotation = new Quaternion();
const _scale = new Vector3();

export class Crowd {
  readonly group = new Group();
  private readonly meshes: PartMeshes;
  private readonly footprints: Footprints;
  private readonly figures = new Map<number, FigureSlot>();
  private readonly looks = new Map<number, Appearance>();
  private readonly free: FigureSlot[] = [];
  private theme: Theme = LIGHT;

  /** `multisampled`: whether the renderer draws with multisampling. */
  constructor(capacity: number, multisampled = true) {
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
      this.group.add(this.meshes[name].mesh);
    }
    this.footprints = new Footprints(capacity);
    this.group.add(this.footprints.mesh);
    for (let index = capacity - 1; index >= 0; index -= 1) {
      this.free.push(new FigureSlot(index, this.meshes));
    }
  }

  wear(theme: Theme): void {
    this.theme = theme;
    for (const [id, figure] of this.figures) this.paint(id, figure);
  }

  /** Draws one frame: all who have a pose, and those still fading out. */
  update(ids: Iterable<number>, poses: PoseSource, looks: AppearanceSource, passedS: number): void {
    for (const id of ids) if (!this.figures.has(id)) this.admit(id, poses, looks);
    for (const [id, figure] of this.figures) {
      const look = looks(id);
      if (look !== undefined) this.looks.set(id, look);
      const present = look !== undefined && poses(id, figure.pose);
      const worn = this.looks.get(id) ?? STRANGER;
      this.paint(id, figure);
      if (!figure.update(present, worn, passedS)) this.dismiss(id, figure);
      else this.footprints.place(figure, worn.colour);
    }
    let count = 0;
    for (const { index } of this.figures.values()) count = Math.max(count, index + 1);
    for (const name of PART_NAMES) this.meshes[name].commit(count);
    this.footprints.commit(count);
  }

  /** Everyone on screen, with their figure. */
  shown(): IterableIterator<[number, FigureSlot]> {
    return this.figures.entries();
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

  /** The transforms of a person's parts as they were drawn. */
  drawn(id: number): Partial<Record<PartName, DrawnPart>> {
    const figure = this.figures.get(id);
    if (figure === undefined) return {};
    return Object.fromEntries(
      PART_NAMES.map((name) => {
        this.meshes[name].drawn(figure.index, _matrix);
        _matrix.decompose(_position, _rotation, _scale);
        return [name, { position: _position.toArray(), rotation: _rotation.toArray() }];
      }),
    );
  }

  private admit(id: number, poses: PoseSource, looks: AppearanceSource): void {
    const figure = this.free[this.free.length - 1];
    const look = looks(id);
    if (figure === undefined || look === undefined || !poses(id, figure.pose)) return;
    this.free.pop();
    this.figures.set(id, figure);
    this.looks.set(id, look);
  }

  private dismiss(id: number, figure: FigureSlot): void {
    this.figures.delete(id);
    this.looks.delete(id);
    this.footprints.hide(figure.index);
    this.free.push(figure);
    this.free.sort((a, b) => b.index - a.index); // the lowest is handed out next
  }

  private paint(id: number, figure: FigureSlot): void {
    figure.paint(this.looks.get(id)?.colour ?? STRANGER.colour, this.theme);
  }
}

const STRANGER: Appearance = {
  colour: '#888888',
  lengths: DEFAULT_LENGTHS,
  connected: false,
  provenance: [0, 0, 0],
};
