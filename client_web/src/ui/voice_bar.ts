/**
 * Owns the controls of the talk: in and out, microphone, push-to-talk, who else is in it, and what
 * is wrong in words. It shows what the talk is, and keeps nothing of its own.
 */

import '../styles/voice.css';
import { CAPS } from '../protocol/generated';
import type { Talk } from '../voice/talk';
import { element, icon, write } from './dom';
import { ICONS } from './icons';
import { holdToTalk } from './voice_hold';
import { remember, remembered } from './remembered';
import { listenForTalkKey } from './voice_keys';
import { VoicePeople } from './voice_people';

export class VoiceBar {
  readonly root: HTMLElement;
  private readonly entry = element('button', 'button voice-entry', { type: 'button' });
  private readonly mute = element('button', 'button quiet', { type: 'button' });
  private readonly muteWords = element('span', '');
  private readonly talkButton = element('button', 'button voice-hold', { type: 'button' }, 'Hold to talk');
  private readonly listenOnly = element('button', 'button quiet', { type: 'button' }, 'Just listen');
  private readonly equip = element('button', 'button quiet', { type: 'button' }, 'Use a microphone');
  private readonly push = element('input', '', { type: 'checkbox' });
  private readonly pushRow = element('label', 'voice-push', {}, this.push, 'Push to talk (T)');
  private readonly devices = element('select', 'field voice-device', {});
  private readonly deviceRow = element('label', 'voice-choice', {}, 'Microphone', this.devices);
  private readonly status = element('p', 'voice-status', { role: 'status' });
  private readonly advice = element('p', 'voice-advice');
  private readonly people: VoicePeople;
  private readonly icons = { on: icon(ICONS.microphone), off: icon(ICONS.muted) };
  private readonly ended = new AbortController();
  private readonly endKeys: () => void;

  constructor(private readonly talk: Talk) {
    this.people = new VoicePeople(talk);
    this.mute.append(this.icons.on, this.icons.off, this.muteWords);
    const buttons = element('div', 'voice-buttons', {}, this.entry, this.mute, this.listenOnly, this.equip);
    this.root = element(
      'section',
      'voice',
      { 'aria-label': 'Voice' },
      buttons,
      this.talkButton,
      this.status,
      this.advice,
      this.people.root,
      this.pushRow,
      this.deviceRow,
    );
    this.endKeys = listenForTalkKey(talk);
    this.act();
    this.listen();
    talk.onChange(() => this.show());
    this.show();
  }

  /** Lets go of the page's keys and events. */
  close(): void {
    this.endKeys();
    this.ended.abort();
  }

  private act(): void {
    const { talk } = this;
    this.entry.addEventListener('click', () => {
      if (talk.phase === 'out') void talk.enter();
      else talk.leave();
    });
    this.mute.addEventListener('click', () => talk.own.setMuted(talk.own.open));
    this.listenOnly.addEventListener('click', () => void talk.enter(true));
    this.equip.addEventListener('click', () => void talk.own.equip());
    this.push.addEventListener('change', () => talk.own.setMode(this.push.checked ? 'push' : 'open'));
    talk.own.prefer(remembered('microphone'));
    this.devices.addEventListener('change', () => {
      remember('microphone', this.devices.value);
      void talk.own.choose(this.devices.value);
    });
    holdToTalk(this.talkButton, talk, () => true);
  }

  private listen(): void {
    const { signal } = this.ended;
    const wake = () => {
      if (this.talk.asleep) this.talk.wake();
    };
    document.addEventListener('pointerdown', wake, { signal });
    document.addEventListener('keydown', wake, { signal, capture: true });
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.listDevices(), { signal });
  }

  private show(): void {
    const { talk } = this;
    const { phase } = talk;
    const { mode, equipped } = talk.own;
    const inside = phase === 'in' || phase === 'entering';
    write(this.entry, phase === 'out' ? 'Turn voice on' : phase === 'asking' ? 'Cancel' : 'Turn voice off');
    this.entry.classList.toggle('quiet', phase !== 'out');
    this.entry.hidden = !talk.allowed;
    this.showMicrophone(inside && equipped);
    this.listenOnly.hidden = !(phase === 'out' && talk.trouble !== undefined && talk.allowed && talk.possible);
    this.equip.hidden = !(inside && !equipped);
    this.talkButton.hidden = !(inside && equipped && mode === 'push');
    this.talkButton.classList.toggle('held', talk.own.open);
    this.pushRow.hidden = !(inside && equipped);
    this.push.checked = mode === 'push';
    write(this.status, sentenceOf(this.talk));
    write(this.advice, talk.trouble?.advice ?? '');
    this.advice.hidden = this.advice.textContent === '';
    this.root.classList.toggle('troubled', talk.trouble !== undefined);
    this.root.classList.toggle('speaking', talk.speakingOneself);
    this.people.show(talk.talkers);
  }

  private showMicrophone(present: boolean): void {
    const { open, mode, device } = this.talk.own;
    this.mute.hidden = !present || mode === 'push';
    this.mute.classList.toggle('muted', !open);
    write(this.muteWords, open ? 'Mute' : 'Unmute');
    this.icons.on.toggleAttribute('hidden', !open);
    this.icons.off.toggleAttribute('hidden', open);
    const appeared = this.deviceRow.hidden && present;
    this.deviceRow.hidden = !present;
    if (appeared || (present && this.devices.value !== device)) void this.listDevices();
  }

  private async listDevices(): Promise<void> {
    const choices = await this.talk.own.choices();
    const options = choices.map(({ id, name }) => element('option', '', { value: id }, name));
    this.devices.replaceChildren(...options);
    this.devices.value = this.talk.own.device;
  }
}

/** How the talk stands for this page, as a whole sentence. */
export function sentenceOf(talk: Talk): string {
  const others = talk.talkers.length;
  if (!talk.allowed) return 'Who only watches neither hears nor speaks. Join to talk.';
  if (talk.trouble !== undefined) return talk.trouble.sentence;
  switch (talk.phase) {
    case 'asking':
      return 'The browser asks for the microphone…';
    case 'entering':
      return 'Entering the talk…';
    case 'out':
      return `Voice is off. ${others} of ${CAPS.VOICE_PEOPLE} places in the talk are taken.`;
    case 'in':
      return sentenceInside(talk, others);
  }
}

function sentenceInside(talk: Talk, others: number): string {
  if (talk.asleep) return 'Click anywhere, or press a key, to hear the others.';
  if (!talk.own.equipped) return 'You only listen: there is no microphone.';
  if (others === 0) return 'Nobody else has voice on yet.';
  if (talk.own.mode === 'push') return talk.own.open ? 'The others hear you.' : 'Hold T, or the button, to be heard.';
  return talk.own.open ? 'The others hear you.' : 'You are muted.';
}
