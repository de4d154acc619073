/** Owns a group of things of which one is chosen: native radio buttons that look like tiles. */

import { element } from './dom';

let groups = 0;

export interface Option {
  readonly value: string;
  /** What it is called; read out, and shown if `content` shows nothing else. */
  readonly label: string;
  readonly content: readonly Node[];
}

export class Radios {
  readonly root: HTMLFieldSetElement;
  private readonly list: HTMLElement;
  private readonly name: string;

  constructor(
    legend: string,
    private readonly className: string,
    private readonly onChange: (value: string) => void,
  ) {
    groups += 1;
    this.name = `choice-${groups}`;
    this.list = element('div', `${className}s`);
    this.root = element('fieldset', 'choices', {}, element('legend', '', {}, legend), this.list);
    this.list.addEventListener('change', () => this.onChange(this.value));
  }

  get value(): string {
    return this.inputs().find((input) => input.checked)?.value ?? '';
  }

  /** Chooses without telling anyone; what is not offered leaves nothing chosen. */
  choose(value: string): void {
    for (const input of this.inputs()) input.checked = input.value === value;
  }

  add({ value, label, content }: Option, before?: HTMLElement): HTMLLabelElement {
    const input = element('input', 'choice-input', {
      type: 'radio',
      name: this.name,
      value,
      'aria-label': label,
    });
    const tile = element('label', this.className, { title: label }, input, ...content);
    this.list.insertBefore(tile, before ?? null);
    return tile;
  }

  private inputs(): HTMLInputElement[] {
    return [...this.list.querySelectorAll<HTMLInputElement>('.choice-input')];
  }
}
