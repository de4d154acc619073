/** Owns the card's fields: name, height and microphone, each with its own word on what is wrong. */

import { statureM } from './choice';
import type { DeviceFacts } from './device';
import { element, write } from './dom';
import type { MicrophoneTest } from './microphone_test';
import { nameFault } from './names';

const HEIGHT_FAULT = 'Between 100 and 230 cm, or leave it empty.';
let fields = 0;

/** A labelled line of text that checks what is typed. */
class TextField {
  readonly root: HTMLElement;
  protected readonly input: HTMLInputElement;
  private readonly fault: HTMLElement;

  constructor(
    label: string,
    attributes: Readonly<Record<string, string>>,
    private readonly check: (typed: string) => string | undefined,
    onChange: () => void,
  ) {
    fields += 1;
    const id = `field-fault-${fields}`;
    this.fault = element('span', 'fault', { id, role: 'alert', hidden: true });
    const usual = { autocomplete: 'off', spellcheck: 'false', 'aria-describedby': id };
    this.input = element('input', 'field', { ...usual, ...attributes });
    const words = element('span', 'label-words', {}, label);
    this.root = element('label', 'labelled', {}, words, this.input, this.fault);
    this.input.addEventListener('input', () => {
      if (this.input.hasAttribute('aria-invalid')) this.judge();
      onChange();
    });
    this.input.addEventListener('change', () => this.judge());
  }

  get value(): string {
    return this.input.value.trim();
  }

  set value(value: string) {
    this.input.value = value;
  }

  focus(): void {
    this.input.focus();
  }

  /** Whether what is typed will do; if not, it says why. */
  complete(): boolean {
    if (this.judge()) return true;
    this.input.focus();
    return false;
  }

  private judge(): boolean {
    const fault = this.check(this.input.value);
    write(this.fault, fault ?? '');
    this.fault.hidden = fault === undefined;
    if (fault === undefined) this.input.removeAttribute('aria-invalid');
    else this.input.setAttribute('aria-invalid', 'true');
    return fault === undefined;
  }
}

export class NameField extends TextField {
  constructor(onChange: () => void) {
    super('Your name', { type: 'text', placeholder: 'Guest', autocomplete: 'nickname' }, nameFault, onChange);
  }
}

export class HeightField extends TextField {
  constructor(onChange: () => void) {
    const attributes = { type: 'text', inputmode: 'decimal', placeholder: 'Average', maxlength: '6' };
    super('Your height, cm', attributes, heightFault, onChange);
  }
}

export function heightFault(typed: string): string | undefined {
  return typed.trim() === '' || statureM(typed) !== undefined ? undefined : HEIGHT_FAULT;
}

/** Whether to come with the microphone on; trying it asks the browser for it. */
export class VoiceSwitch {
  readonly root: HTMLElement;
  private readonly input = element('input', 'switch-input', { type: 'checkbox', role: 'switch' });
  private readonly state = element('span', 'switch-state');
  private granted = false;

  constructor(
    private readonly microphone: MicrophoneTest,
    onChange: () => void,
  ) {
    const track = element('span', 'switch-track', { 'aria-hidden': 'true' });
    const control = element('span', 'switch', {}, this.input, track, this.state);
    const words = element('span', 'label-words', {}, 'Microphone');
    this.root = element('label', 'labelled', {}, words, control);
    this.input.addEventListener('change', () => {
      this.describe();
      if (this.input.checked) void this.microphone.start();
      else this.microphone.stop();
      onChange();
    });
    this.describe();
  }

  get value(): boolean {
    return this.input.checked && !this.input.disabled;
  }

  set value(on: boolean) {
    this.input.checked = on;
    this.describe();
  }

  /** Can't be switched on where the browser never gives it. */
  allow({ secure, microphone, microphonePermission }: DeviceFacts): void {
    this.input.disabled = !secure || !microphone;
    this.granted = microphonePermission === 'granted';
    this.describe();
  }

  /** Shows the level again; never asks the browser by itself. */
  resume(): void {
    if (this.value && this.granted) void this.microphone.start();
  }

  private describe(): void {
    write(this.state, this.input.disabled ? 'Not here' : this.input.checked ? 'On' : 'Off');
  }
}
