/**
 * Owns the names above the heads: page elements, so that text stays crisp, moved to where the
 * camera sees each head. Nearer names lie over farther ones; covered ones step back.
 */

import { Vector3, type PerspectiveCamera } from 'three';
import type { FigureSlot } from './figure_slot';

const ABOVE_EYES_M = 0.2;
/** At this distance a name has its own size. */
const REFERENCE_M = 5;
const MIN_SCALE = 0.84;
const MAX_SCALE = 1.15;
/** Names fade from this many times the middle distance on; fully faded at twice that. */
const FADE_FROM = 1.35;
const FAINTEST = 0.4;
/** How much of a covered name is left; among more people than these less, for so many are covered. */
const COVERED = 0.4;
const FEW = 10;
/** Covered names are looked for this often. */
const FRAMES_BETWEEN_CHECKS = 8;

interface Label {
  readonly element: HTMLElement;
  readonly text: HTMLElement;
  name: string;
  colour: string;
  speaking: boolean;
  /** Count of the frame in which it was last wanted. */
  seen: number;
  width: number;
  height: number;
  x: number;
  y: number;
  scale: number;
  distance: number;
  covered: boolean;
}

const _point = new Vector3();
const _eye = new Vector3();

export interface LabelText {
  readonly name: string;
  readonly colour: string;
  readonly speaking: boolean;
}

export class Labels {
  private readonly labels = new Map<number, Label>();
  private frame = 0;
  private middleM = 0;

  constructor(private readonly container: HTMLElement) {}

  /** Moves every name to its head; `width`, `height` are the canvas's size in CSS pixels. */
  update(
    shown: Iterable<[number, FigureSlot]>,
    texts: (id: number) => LabelText | undefined,
    camera: PerspectiveCamera,
    width: number,
    height: number,
  ): void {
    this.frame += 1;
    this.middleM = this.middleDistance();
    for (const [id, figure] of shown) {
      if (figure.firstPerson) continue; // one's own name is not before one's own eyes
      const text = texts(id);
      const label = this.labels.get(id) ?? this.create(id);
      label.seen = this.frame;
      if (text !== undefined) this.write(label, text);
      this.move(label, figure, camera, width, height);
    }
    for (const [id, label] of this.labels) {
      if (label.seen === this.frame) continue;
      label.element.remove();
      this.labels.delete(id);
    }
    if (this.frame % FRAMES_BETWEEN_CHECKS === 0) this.findCovered();
  }

  private middleDistance(): number {
    let sum = 0;
    for (const { distance } of this.labels.values()) sum += distance;
    return sum / Math.max(this.labels.size, 1);
  }

  private get coveredShare(): number {
    return COVERED * Math.min(FEW / this.labels.size, 1);
  }

  private create(id: number): Label {
    const element = document.createElement('div');
    element.className = 'label';
    const dot = document.createElement('span');
    dot.className = 'dot';
    const text = document.createElement('span');
    text.className = 'label-text';
    element.append(dot, text);
    this.container.append(element);
    const label: Label = {
      element,
      text,
      name: '',
      colour: '',
      speaking: false,
      seen: 0,
      width: 0,
      height: 0,
      x: 0,
      y: 0,
      scale: 1,
      distance: 0,
      covered: false,
    };
    this.labels.set(id, label);
    return label;
  }

  private write(label: Label, { name, colour, speaking }: LabelText): void {
    if (label.speaking !== speaking) {
      label.speaking = speaking;
      label.element.classList.toggle('speaking', speaking);
    }
    if (label.colour !== colour) {
      label.colour = colour;
      label.element.style.setProperty('--person', colour);
    }
    if (label.name === name) return;
    label.name = name;
    label.text.textContent = name;
    label.width = label.element.offsetWidth;
    label.height = label.element.offsetHeight;
  }

  private move(
    label: Label,
    figure: FigureSlot,
    camera: PerspectiveCamera,
    width: number,
    height: number,
  ): void {
    figure.placeOf('eyes', _point);
    _point.y += ABOVE_EYES_M;
    label.distance = _point.distanceTo(_eye.setFromMatrixPosition(camera.matrixWorld));
    _point.project(camera);
    const { style } = label.element;
    const outside = _point.z > 1 || Math.abs(_point.x) > 1.1 || Math.abs(_point.y) > 1.1;
    style.visibility = outside ? 'hidden' : 'visible';
    label.scale = outside ? 0 : clamp(REFERENCE_M / label.distance, MIN_SCALE, MAX_SCALE);
    if (outside) return;
    label.x = ((_point.x + 1) / 2) * width;
    label.y = ((1 - _point.y) / 2) * height;
    const times = label.distance / Math.max(this.middleM, 1);
    const near = clamp(2 - times / FADE_FROM, FAINTEST, 1);
    style.opacity = (figure.visibility * near * (label.covered ? this.coveredShare : 1)).toFixed(2);
    style.zIndex = String(Math.max(1, Math.round(2000 - 20 * label.distance)));
    const x = label.x.toFixed(1);
    const y = label.y.toFixed(1);
    const scale = label.scale.toFixed(3);
    style.transform = `translate3d(${x}px, ${y}px, 0) translate(-50%, -100%) scale(${scale})`;
  }

  private findCovered(): void {
    const nearest = [...this.labels.values()].sort((a, b) => a.distance - b.distance);
    nearest.forEach((label, index) => {
      label.covered = nearest.slice(0, index).some((other) => !other.covered && overlap(label, other));
    });
  }
}

function overlap(a: Label, b: Label): boolean {
  const across = (a.width * a.scale + b.width * b.scale) / 2;
  const up = (a.height * a.scale + b.height * b.scale) / 2;
  return Math.abs(a.x - b.x) < 0.85 * across && Math.abs(a.y - b.y) < 0.85 * up;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
