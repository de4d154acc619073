/**
 * Owns the sign by which someone in a headset knows what the others hear: a small microphone at the
 * edge of sight, struck through while it is muted, ringed while one speaks.
 */

import { Mesh, MeshBasicMaterial, PlaneGeometry } from 'three';
import { TextCanvas } from './canvas_text';

/** Off: one is not in the talk, and there is no sign. */
export type VoiceMark = 'off' | 'muted' | 'open' | 'speaking';

const SIZE_PX = 128;
const SIZE_M = 0.055;
/** Low, below the words: seen without turning the head, and in nobody's face. */
const PLACE_M = [0, -0.42, -1.3] as const;
const ABOVE_ALL = 900;
/** Of a microphone on a square of 24 (src/ui/icons.ts draws the page's alike). */
const MICROPHONE =
  'M12 3.5A2.5 2.5 0 0 0 9.5 6v5.5a2.5 2.5 0 0 0 5 0V6A2.5 2.5 0 0 0 12 3.5zM6 11.5a6 6 0 0 0 12 0M12 17.5v3';
const STROKE = 'M4.5 4.5l15 15';
const LOOKS = {
  muted: { disc: '#a8352c', opacity: 0.85 },
  open: { disc: '#1d2430', opacity: 0.7 },
  speaking: { disc: '#1f7f57', opacity: 1 },
} as const;

export class HeadsetMark {
  /** Goes onto the camera. */
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private drawn: VoiceMark = 'off';
  private canvas: TextCanvas | undefined;

  constructor() {
    const material = new MeshBasicMaterial({
      transparent: true,
      depthTest: false,
      depthWrite: false,
      fog: false,
      toneMapped: false,
    });
    this.mesh = new Mesh(new PlaneGeometry(SIZE_M, SIZE_M), material);
    this.mesh.position.set(...PLACE_M);
    this.mesh.lookAt(0, 0, 0);
    this.mesh.renderOrder = ABOVE_ALL;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  /** Once a frame; draws anew only when the sign is another. */
  update(seen: boolean, mark: VoiceMark): void {
    this.mesh.visible = seen && mark !== 'off';
    if (this.mesh.visible && mark !== this.drawn) this.draw(mark);
  }

  private draw(mark: VoiceMark): void {
    this.drawn = mark;
    if (mark === 'off') return;
    const { disc, opacity } = LOOKS[mark];
    const canvas = (this.canvas ??= this.open());
    const { context } = canvas;
    context.clearRect(0, 0, SIZE_PX, SIZE_PX);
    context.fillStyle = disc;
    context.beginPath();
    context.arc(SIZE_PX / 2, SIZE_PX / 2, 0.4 * SIZE_PX, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = '#ffffff';
    context.lineWidth = 0.055 * SIZE_PX;
    if (mark === 'speaking') {
      context.beginPath();
      context.arc(SIZE_PX / 2, SIZE_PX / 2, 0.45 * SIZE_PX, 0, 2 * Math.PI);
      context.stroke();
    }
    this.drawMicrophone(context, mark === 'muted');
    canvas.texture.needsUpdate = true;
    this.mesh.material.opacity = opacity;
  }

  private drawMicrophone(context: CanvasRenderingContext2D, struck: boolean): void {
    const scale = (0.52 * SIZE_PX) / 24;
    context.save();
    context.translate(SIZE_PX / 2 - 12 * scale, SIZE_PX / 2 - 12 * scale);
    context.scale(scale, scale);
    context.lineWidth = 2;
    context.lineCap = 'round';
    context.stroke(new Path2D(MICROPHONE));
    if (struck) context.stroke(new Path2D(STROKE));
    context.restore();
  }

  private open(): TextCanvas {
    const canvas = new TextCanvas(SIZE_PX, SIZE_PX);
    this.mesh.material.map = canvas.texture;
    this.mesh.material.needsUpdate = true;
    return canvas;
  }
}
