/**
 * Owns everyone who is drawn as more than a figure: shipped models, all bodies of one model and
 * level in one draw call, and people's own VRMs, each by itself.
 */

import { Group, type Color, type Material } from 'three';
import type { Body } from '../body/solve';
import type { Skeleton } from '../body/skeleton';
import { levelFor } from './detail';
import { Guest } from './guest';
import type { Model } from './model';
import { BodyRows, bodyMaterial, LevelMesh, shadowMaterial } from './skinning';
import { FIGURE_NAME, hashOf, type Wardrobe } from './wardrobe';

/** How a person is drawn this frame, besides the body. */
export interface Worn {
  readonly colour: Color;
  readonly opacity: number;
  readonly leftHand: number;
  readonly rightHand: number;
  readonly headless: boolean;
  /** The body's height on the screen, drawn pixels. */
  readonly heightPx: number;
}

export interface Costume {
  readonly skeleton: Skeleton;
}

interface Ensemble extends Costume {
  readonly levels: readonly LevelMesh[];
}

interface Wearer {
  costume: Ensemble | Guest;
  avatar: string;
  level: number;
}

export class Troupe {
  readonly group = new Group();
  /** No finer level than this is drawn: 0 for the finest. */
  finest = 0;
  private readonly rows = new BodyRows();
  private readonly material: Material;
  private readonly shadow: Material;
  private readonly ensembles = new Map<Model, Ensemble>();
  private readonly wearers = new Map<number, Wearer>();
  private readonly levels: LevelMesh[] = [];

  constructor(
    private readonly wardrobe: Wardrobe,
    private readonly capacity: number,
    multisampled: boolean,
  ) {
    this.material = bodyMaterial(this.rows, multisampled);
    this.shadow = shadowMaterial(this.rows);
  }

  begin(): void {
    for (const level of this.levels) level.begin();
  }

  /** What the person in `row` wears of this avatar; undefined while, or if, it cannot be shown. */
  costume(row: number, id: number, avatar: string): Costume | undefined {
    const chosen = avatar === '' ? this.wardrobe.usual(id) : avatar;
    if (chosen === undefined || chosen === FIGURE_NAME) {
      this.undress(row);
      return undefined;
    }
    const hash = hashOf(chosen);
    const wearer = this.wearers.get(row);
    if (wearer !== undefined && wearer.avatar === chosen) {
      return wearer.costume instanceof Guest && !wearer.costume.ready ? undefined : wearer.costume;
    }
    this.undress(row);
    return hash === undefined ? this.dressModel(row, chosen) : this.dressGuest(row, chosen, hash);
  }

  private dressModel(row: number, name: string): Costume | undefined {
    const model = this.wardrobe.model(name);
    if (model === undefined) return undefined;
    this.rows.reserve(row);
    const costume = this.ensemble(model);
    this.wearers.set(row, { costume, avatar: name, level: -1 });
    return costume;
  }

  private dressGuest(row: number, avatar: string, hash: string): undefined {
    const bytes = this.wardrobe.own(hash);
    if (bytes === undefined) return undefined;
    const guest = new Guest(bytes, this.group, (why) => this.wardrobe.complain(avatar, why));
    this.wearers.set(row, { costume: guest, avatar, level: 0 });
    return undefined;
  }

  private ensemble(model: Model): Ensemble {
    const known = this.ensembles.get(model);
    if (known !== undefined) return known;
    const levels = model.levels.map(
      (geometry) => new LevelMesh(geometry, this.capacity, this.material, this.shadow),
    );
    for (const level of levels) {
      this.levels.push(level);
      this.group.add(level.mesh);
    }
    const ensemble = { skeleton: model.skeleton, levels };
    this.ensembles.set(model, ensemble);
    return ensemble;
  }

  /** Draws a person's solved body. */
  draw(row: number, body: Body, worn: Worn, passedS: number): void {
    const wearer = this.wearers.get(row);
    if (wearer === undefined) return;
    const { costume } = wearer;
    if (costume instanceof Guest) {
      costume.draw(body.bones, worn, passedS);
      return;
    }
    wearer.level = levelFor(worn.heightPx, wearer.level, costume.levels.length, this.finest);
    costume.levels[wearer.level]?.add(row);
    this.rows.pose(row, costume.skeleton, body.bones);
    const { colour, opacity, leftHand, rightHand, headless } = worn;
    this.rows.dress(row, colour, opacity, leftHand, rightHand, headless);
  }

  /** Where a bone took a point of the rest skeleton in the last frame, from what was drawn. */
  drawn(row: number, bone: number, x: number, y: number, z: number): readonly number[] {
    const costume = this.wearers.get(row)?.costume;
    if (costume === undefined) return [];
    return costume instanceof Guest
      ? costume.drawn(bone, x, y, z)
      : this.rows.drawn(row, bone, x, y, z);
  }

  /** What the person in `row` wears, and how finely; undefined for a figure. */
  wornBy(row: number): { readonly avatar: string; readonly level: number } | undefined {
    const wearer = this.wearers.get(row);
    if (wearer === undefined || (wearer.costume instanceof Guest && !wearer.costume.ready)) return undefined;
    return { avatar: wearer.avatar, level: wearer.level };
  }

  undress(row: number): void {
    const wearer = this.wearers.get(row);
    if (wearer === undefined) return;
    this.wearers.delete(row);
    if (!(wearer.costume instanceof Guest)) return;
    wearer.costume.dispose();
    for (const other of this.wearers.values()) if (other.avatar === wearer.avatar) return;
    this.wardrobe.forget(hashOf(wearer.avatar) ?? '');
  }

  commit(): void {
    for (const level of this.levels) level.commit();
    this.rows.commit();
  }

  /** Of the shipped models in this frame, for diagnosis. */
  get cost(): { readonly draws: number; readonly triangles: number } {
    let draws = 0;
    let triangles = 0;
    for (const level of this.levels) {
      if (level.mesh.visible) draws += 1;
      triangles += level.triangles;
    }
    return { draws, triangles };
  }

  dispose(): void {
    for (const row of [...this.wearers.keys()]) this.undress(row);
    for (const level of this.levels) level.dispose();
    this.rows.dispose();
    this.material.dispose();
    this.shadow.dispose();
  }
}
