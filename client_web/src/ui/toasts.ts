/** Owns passing words: read out politely, gone after a while, never in the way of the picture. */

import { element, icon } from './dom';
import { ICONS } from './icons';

const SHOWN_MS = 7_000;
/** Older words give way: a screen full of them says nothing. */
const MOST = 3;

export class Toasts {
  readonly root = element('div', 'toasts', { role: 'status', 'aria-live': 'polite' });

  private readonly listeners: ((text: string) => void)[] = [];

  /** Calls back with all that is said, for those who do not see the page. */
  onSay(listener: (text: string) => void): void {
    this.listeners.push(listener);
  }

  /** Says it once; the same words again only start their time anew. */
  say(text: string): void {
    for (const listener of this.listeners) listener(text);
    const same = [...this.root.children].find((each) => each.firstChild?.textContent === text);
    same?.remove();
    const close = element(
      'button',
      'icon-button',
      { type: 'button', 'aria-label': 'Dismiss' },
      icon(ICONS.close),
    );
    const toast = element('div', 'toast', {}, element('span', 'toast-text', {}, text), close);
    close.addEventListener('click', () => toast.remove());
    this.root.append(toast);
    while (this.root.children.length > MOST) this.root.firstElementChild?.remove();
    this.fade(toast);
  }

  /** Removes it in time, unless someone is reading it. */
  private fade(toast: HTMLElement): void {
    setTimeout(() => {
      if (toast.matches(':hover, :focus-within')) this.fade(toast);
      else toast.remove();
    }, SHOWN_MS);
  }
}
