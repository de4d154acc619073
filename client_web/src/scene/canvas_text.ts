/** Owns text on textures: where page elements are not seen, in a headset, words are drawn on canvases. */

import { CanvasTexture, LinearMipmapLinearFilter, SRGBColorSpace } from 'three';

const FAMILY = '"Inter Variable", system-ui, sans-serif';
const MORE = '…';

/** How wide a text is, pixels: a canvas's context can say. */
export type Measure = (text: string) => number;

export class TextCanvas {
  readonly texture: CanvasTexture;
  readonly context: CanvasRenderingContext2D;

  constructor(width: number, height: number) {
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('There is no canvas to write on.');
    this.context = context;
    this.texture = new CanvasTexture(canvas);
    this.texture.minFilter = LinearMipmapLinearFilter;
    this.texture.colorSpace = SRGBColorSpace;
    this.texture.anisotropy = 4;
  }

  readonly measure: Measure = (text) => this.context.measureText(text).width;

  write(sizePx: number, weight = 600): void {
    this.context.font = `${weight} ${sizePx}px ${FAMILY}`;
    this.context.textBaseline = 'middle';
  }
}

/** The text, or as much of its beginning as is at most so wide. */
export function fitted(text: string, widthPx: number, measure: Measure): string {
  if (measure(text) <= widthPx) return text;
  const letters = [...text];
  while (letters.length > 0 && measure(letters.join('').trimEnd() + MORE) > widthPx) letters.pop();
  return letters.join('').trimEnd() + MORE;
}

/** The text in lines of at most this width; what is more than `most` lines is left out. */
export function wrapped(text: string, widthPx: number, most: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || measure(longer) <= widthPx) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  if (line !== '') lines.push(line);
  const kept = lines.slice(0, most);
  const left = lines.slice(most - 1).join(' ');
  if (lines.length > most) kept[most - 1] = left;
  return kept.map((each) => fitted(each, widthPx, measure));
}
