/**
 * Owns dialogs: the browser's own modal element, which keeps the focus inside, makes the rest
 * inert, closes on Escape and gives the focus back. Here are its frame and its ways out.
 */

import { element, icon } from './dom';
import { ICONS } from './icons';

let count = 0;

export class Dialog {
  readonly root: HTMLDialogElement;
  readonly body = element('div', 'dialog-body');
  private readonly heading: HTMLHeadingElement;

  constructor(title: string, className: string, ...children: readonly Node[]) {
    count += 1;
    const id = `dialog-${count}`;
    this.heading = element('h2', 'dialog-title', { id, tabindex: '-1' }, title);
    const close = element(
      'button',
      'icon-button dialog-close',
      { type: 'button', 'aria-label': 'Close' },
      icon(ICONS.close),
    );
    close.addEventListener('click', () => this.close());
    this.body.append(...children);
    const header = element('div', 'dialog-header', {}, this.heading, close);
    this.root = element('dialog', `dialog ${className}`, { 'aria-labelledby': id }, header, this.body);
    this.root.addEventListener('click', (event) => {
      if (event.target === this.root) this.close(); // the dialog itself is only hit beside its content
    });
    // Keys pressed in here are not meant for the picture behind.
    this.root.addEventListener('keydown', (event) => event.stopPropagation());
  }

  get isOpen(): boolean {
    return this.root.open;
  }

  open(): void {
    if (this.root.open) return;
    if (!this.root.isConnected) document.body.append(this.root);
    this.root.showModal();
    this.heading.focus();
  }

  close(): void {
    if (this.root.open) this.root.close();
  }
}
