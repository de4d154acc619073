/** Owns choosing a colour: those of the palette, any other, or none, which leaves it to the page. */

import { colourOf } from '../scene/palette';
import { fromHex, toHex } from './choice';
import { element } from './dom';
import { Radios } from './radios';

const NONE = 'none';
const OTHER = 'other';
const NAMES = [
  'Blue',
  'Brick',
  'Green',
  'Orchid',
  'Amber',
  'Teal',
  'Rose',
  'Violet',
  'Moss',
  'Sky',
  'Rust',
  'Plum',
] as const;

export class ColourPicker {
  readonly root: HTMLElement;
  private readonly radios = new Radios('Colour', 'swatch', () => this.onChange());
  private readonly free = element('input', 'swatch-input', {
    type: 'color',
    'aria-label': 'Another colour: which',
  });
  private readonly other: HTMLElement;

  constructor(private readonly onChange: () => void) {
    this.root = this.radios.root;
    this.radios.add({ value: NONE, label: 'Whatever is free', content: [element('span', 'swatch-none')] });
    NAMES.forEach((label, index) => {
      const value = colourOf(index + 1);
      this.radios.add({ value, label, content: [] }).style.setProperty('--person', value);
    });
    this.free.value = '#808a99';
    this.other = this.radios.add({ value: OTHER, label: 'Another colour', content: [this.free] });
    this.other.classList.add('free');
    this.free.addEventListener('input', () => {
      this.radios.choose(OTHER);
      this.dyeOther();
      this.onChange();
    });
    this.dyeOther();
    this.choose(null);
  }

  get colour(): number | null {
    const { value } = this.radios;
    if (value === NONE || value === '') return null;
    return fromHex(value === OTHER ? this.free.value : value);
  }

  /** Chooses without telling anyone. */
  choose(colour: number | null): void {
    const hex = colour === null ? NONE : toHex(colour);
    this.radios.choose(hex);
    if (this.radios.value !== '') return;
    this.free.value = hex;
    this.dyeOther();
    this.radios.choose(OTHER);
  }

  private dyeOther(): void {
    this.other.style.setProperty('--person', this.free.value);
  }
}
