/** Owns the words before the eyes of someone in a headset: a small panel that moves with the head and fades. */

import { Mesh, MeshBasicMaterial, PlaneGeometry } from 'three';
import { TextCanvas, wrapped } from './canvas_text';
import { PassingWords } from './passing_words';

const WIDTH_PX = 1024;
const HEIGHT_PX = 256;
const LETTER_PX = 42;
const LINE_PX = 56;
const LINES = 3;
const BESIDE_PX = 40;
const ABOVE_PX = 26;
const CORNER_PX = 34;
/** Far enough to look at with both eyes at ease, and below what one looks at. */
const DISTANCE_M = 1.3;
const BELOW_M = 0.3;
const WIDTH_M = 0.66;
/** Over everything but the darkness of a jump. */
const ABOVE_ALL = 900;

export class HeadsetWords {
  /** Goes onto the camera. */
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  readonly words = new PassingWords();
  private canvas: TextCanvas | undefined;
  private written = '';

  constructor() {
    const material = new MeshBasicMaterial({
      transparent: true,
      depthTest: false,
      depthWrite: false,
      fog: false,
      toneMapped: false,
    });
    this.mesh = new Mesh(new PlaneGeometry(WIDTH_M, (WIDTH_M * HEIGHT_PX) / WIDTH_PX), material);
    this.mesh.position.set(0, -BELOW_M, -DISTANCE_M);
    this.mesh.lookAt(0, 0, 0);
    this.mesh.renderOrder = ABOVE_ALL;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  /** Once a frame; draws anew only when the words are others. */
  update(seen: boolean, passedS: number): void {
    const { words, mesh } = this;
    words.update(seen, passedS);
    mesh.visible = words.opacity > 0;
    if (!mesh.visible) return;
    mesh.material.opacity = words.opacity;
    if (words.text !== this.written) this.write(words.text);
  }

  private write(text: string): void {
    this.written = text;
    const canvas = (this.canvas ??= this.open());
    const { context } = canvas;
    canvas.write(LETTER_PX, 500);
    const lines = wrapped(text, WIDTH_PX - 2 * BESIDE_PX, LINES, canvas.measure);
    const width = 2 * BESIDE_PX + Math.max(0, ...lines.map(canvas.measure));
    const height = 2 * ABOVE_PX + LINE_PX * lines.length;
    const top = (HEIGHT_PX - height) / 2;
    context.clearRect(0, 0, WIDTH_PX, HEIGHT_PX);
    context.fillStyle = 'rgb(20 24 31 / 88%)';
    context.beginPath();
    context.roundRect((WIDTH_PX - width) / 2, top, width, height, CORNER_PX);
    context.fill();
    context.fillStyle = '#ffffff';
    context.textAlign = 'center';
    lines.forEach((line, index) => {
      context.fillText(line, WIDTH_PX / 2, top + ABOVE_PX + LINE_PX * (index + 0.5));
    });
    canvas.texture.needsUpdate = true;
  }

  private open(): TextCanvas {
    const canvas = new TextCanvas(WIDTH_PX, HEIGHT_PX);
    this.mesh.material.map = canvas.texture;
    this.mesh.material.needsUpdate = true;
    return canvas;
  }
}
