/** Owns bringing one's own VRM: choosing or dropping the file, its way to the server, and what went wrong. */

import { element, icon, write } from './dom';
import { ICONS } from './icons';

/** Sends a file to the server; returns `vrm:` and its hash, or fails with words for the person. */
export type Upload = (file: File, onProgress: (share: number) => void) => Promise<string>;

const MOST_BYTES = 20 * 1000 * 1000;
const ENDING = /\.vrm$/i;

/** What is wrong with a file before it is sent; the server looks inside. */
export function fileFault(file: { name: string; size: number }): string | undefined {
  if (!ENDING.test(file.name)) return `“${file.name}” is not a .vrm file.`;
  if (file.size > MOST_BYTES) {
    return `“${file.name}” has ${(file.size / 1e6).toFixed(1)} MB; 20 MB is the most.`;
  }
  return file.size === 0 ? `“${file.name}” is empty.` : undefined;
}

export class OwnAvatar {
  readonly root: HTMLElement;
  /** Waits here until it can be sent, where only those in the session may send files. */
  waiting: File | undefined;
  private readonly words = element('p', 'own-words');
  private readonly fault = element('p', 'fault', { role: 'alert', hidden: true });
  private readonly bar = element('progress', 'own-progress', {
    max: '1',
    hidden: true,
    'aria-label': 'Upload',
  });
  private readonly input = element('input', 'choice-input', {
    type: 'file',
    accept: '.vrm',
    'aria-label': 'Your own VRM file',
  });
  private uploaded = '';
  private attempt = 0;

  constructor(
    private readonly upload: Upload | undefined,
    private readonly onReady: () => void,
  ) {
    const sign = icon(ICONS.upload);
    const button = element('label', 'button quiet own-button', {}, this.input, sign, 'Choose a file');
    this.root = element('div', 'own', { hidden: true }, this.words, button, this.bar, this.fault);
    this.input.addEventListener('change', () => this.take(this.input.files?.[0]));
    this.settle();
  }

  /** `vrm:` and the hash; empty before a file has arrived. */
  get avatar(): string {
    return this.uploaded;
  }

  /** One that is at the server already. */
  set avatar(avatar: string) {
    this.uploaded = avatar;
    this.settle();
  }

  show(visible: boolean): void {
    this.root.hidden = !visible;
  }

  /** Says that a file is missing, and puts the focus where it can be given. */
  ask(): void {
    this.complain('Choose a .vrm file first, or another avatar.');
    this.input.focus();
  }

  take(file: File | undefined): void {
    if (file === undefined) return;
    const fault = fileFault(file);
    if (fault !== undefined) this.complain(fault);
    else if (this.upload === undefined) this.keep(file);
    else void this.send(file, this.upload);
    this.input.value = ''; // the same file can be chosen again
  }

  private keep(file: File): void {
    this.fault.hidden = true;
    this.waiting = file;
    this.uploaded = '';
    write(this.words, `“${file.name}” goes to the server as soon as you are in.`);
    this.onReady();
  }

  private async send(file: File, upload: Upload): Promise<void> {
    this.attempt += 1;
    const mine = this.attempt;
    this.fault.hidden = true;
    this.bar.hidden = false;
    this.bar.value = 0;
    write(this.words, `Sending “${file.name}”…`);
    try {
      const avatar = await upload(file, (share) => {
        if (mine === this.attempt) this.bar.value = share;
      });
      if (mine !== this.attempt) return;
      this.uploaded = avatar;
      this.settle(file.name);
      this.onReady();
    } catch (error) {
      if (mine !== this.attempt) return;
      this.settle();
      this.complain(error instanceof Error && error.message ? error.message : 'The file did not arrive.');
    }
  }

  private settle(name?: string): void {
    this.bar.hidden = true;
    if (name !== undefined) write(this.words, `“${name}” is ready.`);
    else if (this.uploaded !== '') write(this.words, 'Your file from before is still at the server.');
    else write(this.words, 'A VRM 1.0 file, at most 20 MB. Drop it here, or');
  }

  private complain(text: string): void {
    write(this.fault, text);
    this.fault.hidden = false;
  }
}
