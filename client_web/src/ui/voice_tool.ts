/**
 * Owns the talk's place in the toolbar: one button for the microphone, whatever it does at the
 * moment, and one that opens everything else of the talk.
 */

import { Dialog } from './dialog';
import { element, icon, write } from './dom';
import { ICONS } from './icons';
import type { Talk } from '../voice/talk';
import { sentenceOf, VoiceBar } from './voice_bar';
import { holdToTalk } from './voice_hold';

export class VoiceTool {
  readonly root: HTMLElement;
  private readonly bar: VoiceBar;
  private readonly dialog: Dialog;
  private readonly words = element('span', 'tool-words');
  private readonly icons = { on: icon(ICONS.microphone), off: icon(ICONS.muted) };
  private readonly button = element('button', 'tool voice-tool', { type: 'button' });
  private readonly more = element('button', 'tool voice-more', {
    type: 'button',
    title: 'Who talks, and how loud',
    'aria-label': 'Voice: who talks, and how loud',
    'aria-haspopup': 'dialog',
  });

  constructor(private readonly talk: Talk) {
    this.bar = new VoiceBar(talk);
    this.dialog = new Dialog('Voice', 'voice-dialog', this.bar.root);
    this.button.append(this.icons.on, this.icons.off, this.words);
    this.more.append(icon(ICONS.up));
    this.root = element('div', 'voice-tools', {}, this.button, this.more);
    this.button.addEventListener('click', () => this.act());
    this.more.addEventListener('click', () => this.dialog.open());
    holdToTalk(this.button, talk, () => this.holds);
    talk.onChange(() => this.show());
    this.show();
  }

  close(): void {
    this.bar.close();
  }

  /** Whether the button is one to hold. */
  private get holds(): boolean {
    return this.talk.phase === 'in' && this.talk.own.equipped && this.talk.own.mode === 'push';
  }

  private act(): void {
    const { talk } = this;
    if (!talk.allowed) this.dialog.open();
    else if (talk.phase === 'out') void talk.enter();
    else if (talk.phase === 'asking') talk.leave();
    else if (!talk.own.equipped) void talk.own.equip();
    else if (talk.own.mode === 'open') talk.own.setMuted(talk.own.open);
  }

  private show(): void {
    const { talk } = this;
    const lit = talk.own.open && talk.phase === 'in';
    write(this.words, this.label());
    this.button.title = sentenceOf(talk);
    this.button.classList.toggle('speaking', lit && talk.speakingOneself);
    this.button.classList.toggle('troubled', talk.trouble !== undefined && talk.phase === 'out');
    this.icons.on.toggleAttribute('hidden', !lit);
    this.icons.off.toggleAttribute('hidden', lit);
  }

  private label(): string {
    const { talk } = this;
    switch (talk.phase) {
      case 'out':
        return 'Voice';
      case 'asking':
        return 'Asking…';
      case 'entering':
        return 'Entering…';
      case 'in':
        if (!talk.own.equipped) return 'Listening';
        if (talk.own.mode === 'push') return talk.own.open ? 'Talking' : 'Hold';
        return talk.own.open ? 'Mute' : 'Unmute';
    }
  }
}
