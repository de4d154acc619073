/** Owns the word about the connection: a strip while it comes back, a card when it will not. */

import type { Remedy } from '../net/closing';
import type { Phase } from '../net/connection';
import { element, write } from './dom';
import { countdown } from './readings';
import { readEntry, sessionAddress, type SessionLink } from '../net/link';

export interface NoticeActions {
  readonly again: () => void;
  /** The person gave a whole link to open instead. */
  readonly open: (link: SessionLink) => void;
}

const BUTTONS: Readonly<Record<Remedy, string>> = {
  again: 'Try again',
  link: 'Open the link',
  reload: 'Reload',
  home: 'To the start page',
};

export class Notice {
  readonly root = element('div', 'notice', { role: 'status', 'aria-live': 'polite', hidden: true });
  private readonly title = element('strong', 'notice-title');
  private readonly text = element('span', 'notice-text');
  private readonly wait = element('span', 'notice-wait', { 'aria-hidden': 'true' });
  private readonly button = element('button', 'button', { type: 'button' });
  private readonly link = element('input', 'field', {
    type: 'text',
    placeholder: 'https://…/s/session#key=…',
    'aria-label': 'The session’s whole link',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  private phase: Phase | undefined;

  constructor(private readonly actions: NoticeActions) {
    const words = element('div', 'notice-words', {}, this.title, this.text, this.wait);
    this.root.append(words, this.link, this.button);
    this.button.addEventListener('click', () => this.act());
    this.link.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.act();
    });
  }

  show(phase: Phase): void {
    this.phase = phase;
    const ended = phase.kind === 'ended';
    const remedy = ended ? phase.why.remedy : 'again';
    this.root.hidden = phase.kind === 'live' || (phase.kind === 'connecting' && !phase.again);
    this.root.classList.toggle('ended', ended);
    this.link.hidden = !(ended && remedy === 'link');
    this.button.hidden = phase.kind === 'connecting';
    write(this.button, ended ? BUTTONS[remedy] : 'Try now');
    if (phase.kind === 'connecting') {
      write(this.title, 'Disconnected');
      write(this.text, 'Connecting again…');
    } else if (phase.kind === 'waiting' || ended) {
      write(this.title, remedy === 'link' ? 'Key needed' : 'Disconnected');
      write(this.text, phase.why.sentence);
    }
    this.tick(performance.now());
  }

  /** Moves the countdown on. */
  tick(nowMs: number): void {
    const waiting = this.phase?.kind === 'waiting' ? this.phase : undefined;
    this.wait.hidden = waiting === undefined;
    if (waiting) write(this.wait, `Trying again in ${countdown(waiting.untilMs - nowMs)}`);
  }

  private act(): void {
    const phase = this.phase;
    const remedy = phase?.kind === 'ended' ? phase.why.remedy : 'again';
    if (remedy === 'reload') location.reload();
    else if (remedy === 'home') location.assign('/');
    else if (remedy === 'link') this.openLink();
    else this.actions.again();
  }

  private openLink(): void {
    const link = readEntry(this.link.value);
    this.link.setAttribute('aria-invalid', String(link === undefined));
    if (link === undefined) this.link.focus();
    else this.actions.open(link);
  }
}

/** Goes to another session's page, also when only the fragment differs. */
export function goTo(link: SessionLink): void {
  const address = new URL(sessionAddress(link), location.href);
  const samePage = address.origin === location.origin && address.pathname === location.pathname;
  location.assign(address);
  if (samePage) location.reload();
}
