/**
 * Owns the names above the heads in a headset, where page elements are not seen: one instanced draw
 * call of upright tags that face the eyes, with their texts in one texture. Sizes are metres.
 */

import {
  Color,
  DynamicDrawUsage,
  Float32BufferAttribute,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  NoColorSpace,
  ShaderMaterial,
  Vector2,
  Vector3,
} from 'three';
import type { Floats } from '../motion/bones';
import { fitted, TextCanvas } from './canvas_text';
import type { FigureSlot } from './figure_slot';
import type { LabelText } from './labels';

/** Whom to name; `Crowd` is one. */
export interface NamedCrowd {
  each(visit: (figure: FigureSlot, id: number) => void): void;
}

const ABOVE_EYES_M = 0.2;
/** A tag is this high, seen from one metre; nearer and farther ones stay within limits. */
const SIZE = 0.034;
const LOWEST_M = 0.05;
const HIGHEST_M = 0.3;
/** In the texture each tag has a cell: dot, text, and round ends. */
const CELL_PX = 48;
const CELL_WIDTH_PX = 512;
const COLUMNS = 2;
const LETTER_PX = 27;
const TEXT_AT_PX = 42;
const TEXT_END_PX = 22;
/** After lasers and what else is transparent. */
const LATE = 3;

const VERTEX = `
attribute vec3 place;
attribute vec3 cell;
attribute vec3 tint;
attribute vec3 state;
uniform vec3 eyes;
varying vec2 vAt;
varying vec3 vCell;
varying vec3 vTint;
varying vec3 vState;
void main() {
  vec3 towards = normalize(eyes - place);
  vec3 aside = cross(vec3(0.0, 1.0, 0.0), towards);
  aside /= max(length(aside), 1e-4);
  vec3 up = cross(towards, aside);
  float size = state.x / ${CELL_PX}.0;
  vec3 here = place + 0.5 * position.x * cell.z * size * aside + position.y * state.x * up;
  vAt = vec2((0.5 * position.x + 0.5) * cell.z, (1.0 - position.y) * ${CELL_PX}.0);
  vCell = cell;
  vTint = tint;
  vState = state;
  gl_Position = projectionMatrix * viewMatrix * vec4(here, 1.0);
}`;

const FRAGMENT = `
uniform sampler2D texts;
uniform vec2 size;
varying vec2 vAt;
varying vec3 vCell;
varying vec3 vTint;
varying vec3 vState;
void main() {
  float speaking = vState.z;
  vec2 half_ = vec2(0.5 * vCell.z, 0.5 * ${CELL_PX}.0) - 5.0;
  vec2 from = abs(vAt - vec2(0.5 * vCell.z, 0.5 * ${CELL_PX}.0)) - half_ + half_.y;
  float edge = length(max(from, 0.0)) - half_.y;
  float soft = max(fwidth(edge), 0.5);
  float inside = 1.0 - smoothstep(-soft, soft, edge);
  float ring = speaking * (1.0 - smoothstep(1.7, 1.7 + soft, abs(edge - 2.2)));
  float text = texture2D(texts, (vCell.xy + vAt) / size).r;
  float dot_ = length(vAt - vec2(26.0, 0.5 * ${CELL_PX}.0));
  float filled = 1.0 - smoothstep(8.0 - soft, 8.0 + soft, dot_);
  vec3 bright = mix(vTint, vec3(1.0), 0.35);
  vec3 colour = mix(vec3(0.008, 0.011, 0.018), vec3(1.0), text);
  colour = mix(colour, vTint, filled);
  colour = mix(colour, bright, ring);
  float alpha = max(max(0.78 * inside, text * inside), max(ring, filled));
  gl_FragColor = vec4(colour, alpha * vState.y);
  if (gl_FragColor.a < 0.004) discard;
  #include <colorspace_fragment>
}`;

class Tag {
  id = 0;
  name = '';
  colour = '';
  widthPx = 0;
  speaking = false;
  seen = 0;
  distanceM = 0;
  opacity = 0;
  readonly place = new Vector3();
  readonly tint = new Color();

  constructor(readonly slot: number) {}
}

const _eyes = new Vector3();

export class HeadsetLabels {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly tags = new Map<number, Tag>();
  /** The same, the farthest first: nearer ones lie over them. */
  private readonly order: Tag[] = [];
  private readonly free: Tag[] = [];
  private readonly places: InstancedBufferAttribute;
  private readonly cells: InstancedBufferAttribute;
  private readonly tints: InstancedBufferAttribute;
  private readonly states: InstancedBufferAttribute;
  private readonly eyes = { value: new Vector3() };
  private readonly texts: { value: TextCanvas['texture'] | null } = { value: null };
  private readonly size: Vector2;
  private canvas: TextCanvas | undefined;
  private frame = 0;
  private textOf: (id: number) => LabelText | undefined = () => undefined;

  constructor(capacity: number) {
    this.size = new Vector2(COLUMNS * CELL_WIDTH_PX, Math.ceil(capacity / COLUMNS) * CELL_PX);
    for (let slot = capacity - 1; slot >= 0; slot -= 1) this.free.push(new Tag(slot));
    const attribute = () => new InstancedBufferAttribute(new Float32Array(3 * capacity), 3).setUsage(DynamicDrawUsage);
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute([-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute('place', (this.places = attribute() as InstancedBufferAttribute));
    geometry.setAttribute('cell', (this.cells = attribute() as InstancedBufferAttribute));
    geometry.setAttribute('tint', (this.tints = attribute() as InstancedBufferAttribute));
    geometry.setAttribute('state', (this.states = attribute() as InstancedBufferAttribute));
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { eyes: this.eyes, texts: this.texts, size: { value: this.size } },
      transparent: true,
      depthWrite: false,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = LATE;
    this.mesh.visible = false;
  }

  /** Names on the tags that are shown now, the farthest first; for tests and diagnosis. */
  get shown(): string[] {
    return this.mesh.visible ? this.order.map(({ name }) => name) : [];
  }

  /** One frame. `seen`: a headset shows it; `eyes`: where it shows it from, world, xyz. */
  update(seen: boolean, crowd: NamedCrowd, texts: (id: number) => LabelText | undefined, eyes: Floats): void {
    this.mesh.visible = seen;
    if (!seen) return;
    this.canvas ??= this.open();
    this.frame += 1;
    this.textOf = texts;
    _eyes.set(eyes[0] ?? 0, eyes[1] ?? 0, eyes[2] ?? 0);
    this.eyes.value.copy(_eyes);
    crowd.each(this.look);
    this.dismiss();
    this.sort();
    for (let index = 0; index < this.order.length; index += 1) this.put(index);
    this.mesh.geometry.instanceCount = this.order.length;
    this.mesh.visible = this.order.length > 0;
    if (!this.mesh.visible) return;
    // All of each: a few hundred bytes, and ranges would be objects.
    this.places.needsUpdate = true;
    this.cells.needsUpdate = true;
    this.tints.needsUpdate = true;
    this.states.needsUpdate = true;
  }

  private readonly look = (figure: FigureSlot, id: number): void => {
    if (figure.firstPerson) return; // one's own name is not before one's own eyes
    const text = this.textOf(id);
    const tag = this.tags.get(id) ?? this.admit(id, text);
    if (tag === undefined) return;
    tag.seen = this.frame;
    if (text !== undefined) {
      if (text.name !== tag.name) this.write(tag, text.name);
      if (text.colour !== tag.colour) {
        tag.colour = text.colour;
        tag.tint.set(text.colour);
      }
      tag.speaking = text.speaking;
    }
    figure.placeOf('eyes', tag.place);
    tag.place.y += ABOVE_EYES_M;
    tag.distanceM = tag.place.distanceTo(_eyes);
    tag.opacity = figure.visibility;
  };

  private admit(id: number, text: LabelText | undefined): Tag | undefined {
    const tag = text && this.free.pop();
    if (tag === undefined) return undefined;
    tag.id = id;
    this.tags.set(id, tag);
    this.order.push(tag);
    return tag;
  }

  /** Takes away the tags of those who are not drawn any more. */
  private dismiss(): void {
    let kept = 0;
    for (let index = 0; index < this.order.length; index += 1) {
      const tag = this.order[index];
      if (tag === undefined) continue;
      if (tag.seen === this.frame) {
        this.order[kept++] = tag;
      } else {
        this.tags.delete(tag.id);
        this.free.push(tag);
      }
    }
    this.order.length = kept;
  }

  /** From one frame to the next hardly anything changes places: by insertion. */
  private sort(): void {
    const { order } = this;
    for (let index = 1; index < order.length; index += 1) {
      const tag = order[index];
      let to = index;
      for (; tag !== undefined && to > 0; to -= 1) {
        const before = order[to - 1];
        if (before === undefined || before.distanceM >= tag.distanceM) break;
        order[to] = before;
      }
      if (tag !== undefined) order[to] = tag;
    }
  }

  private put(index: number): void {
    const tag = this.order[index];
    if (tag === undefined) return;
    const heightM = Math.min(Math.max(SIZE * tag.distanceM, LOWEST_M), HIGHEST_M);
    const first = 3 * index;
    tag.place.toArray(this.places.array, first);
    tag.tint.toArray(this.tints.array, first);
    this.cells.array[first] = CELL_WIDTH_PX * (tag.slot % COLUMNS);
    this.cells.array[first + 1] = CELL_PX * Math.floor(tag.slot / COLUMNS);
    this.cells.array[first + 2] = tag.widthPx;
    this.states.array[first] = heightM;
    this.states.array[first + 1] = tag.opacity;
    this.states.array[first + 2] = tag.speaking ? 1 : 0;
  }

  /** Writes a name into its tag's cell. */
  private write(tag: Tag, name: string): void {
    tag.name = name;
    if (this.canvas === undefined) return;
    const { context, measure, texture } = this.canvas;
    const x = CELL_WIDTH_PX * (tag.slot % COLUMNS);
    const y = CELL_PX * Math.floor(tag.slot / COLUMNS);
    this.canvas.write(LETTER_PX);
    const text = fitted(name, CELL_WIDTH_PX - TEXT_AT_PX - TEXT_END_PX, measure);
    tag.widthPx = Math.min(TEXT_AT_PX + Math.ceil(measure(text)) + TEXT_END_PX, CELL_WIDTH_PX);
    context.fillStyle = '#000000';
    context.fillRect(x, y, CELL_WIDTH_PX, CELL_PX);
    context.fillStyle = '#ffffff';
    context.fillText(text, x + TEXT_AT_PX, y + CELL_PX / 2 + 1);
    texture.needsUpdate = true;
  }

  private open(): TextCanvas {
    const canvas = new TextCanvas(this.size.x, this.size.y);
    canvas.texture.flipY = false; // cells are counted from the top
    canvas.texture.colorSpace = NoColorSpace; // how much of a pixel is text
    this.texts.value = canvas.texture;
    return canvas;
  }
}
