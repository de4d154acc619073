/** Owns the card one meets at a session's link: who one is there, what works here, and the way in. */

import { AvatarPicker } from './avatar_picker';
import {
  choiceOf,
  rememberDraft,
  rememberedDraft,
  toHex,
  type Appearing,
  type Choice,
  type Draft,
} from './choice';
import { ColourPicker } from './colour_picker';
import { lookUpDevice, type DeviceFacts } from './device';
import { DeviceList } from './device_list';
import { element, icon, write } from './dom';
import { ICONS } from './icons';
import { MicrophoneTest } from './microphone_test';
import { nameFault } from './names';
import { isFull, Present, type Presence } from './present';
import { HeightField, NameField, VoiceSwitch } from './join_fields';

export interface JoinActions {
  readonly join: (choice: Choice) => void;
  readonly watch: () => void;
  /** The choice as it stands, whenever it changes; for a picture of it. */
  readonly preview?: (choice: Choice) => void;
}

/** In which the portraits are while a person leaves the colour to the page. */
const UNDYED = '#8a94a3';

export class JoinCard {
  readonly root: HTMLFormElement;
  private readonly word = element('p', 'join-word', { role: 'status' });
  private readonly fault = element('p', 'fault join-fault', { role: 'alert', hidden: true });
  private readonly present = new Present();
  private readonly name = new NameField(() => this.changed());
  private readonly avatar = new AvatarPicker(undefined, () => this.changed()); // a file waits until one is in
  private readonly colour = new ColourPicker(() => this.changed());
  private readonly height = new HeightField(() => this.changed());
  private readonly microphone = new MicrophoneTest();
  private readonly voice: VoiceSwitch;
  private readonly device = new DeviceList();
  private readonly joinButton = element('button', 'button join-button', { type: 'submit' }, 'Join');
  private readonly vrButton: HTMLButtonElement;
  private presence: Presence = { live: false, people: [], maxPeople: undefined };
  private busy = false;
  private headset = false;

  constructor(
    session: string,
    private readonly actions: JoinActions,
  ) {
    this.voice = new VoiceSwitch(this.microphone, () => this.changed());
    const vr = { type: 'button', hidden: true };
    this.vrButton = element('button', 'button', vr, icon(ICONS.headset), 'Enter VR');
    this.root = element(
      'form',
      'join',
      { novalidate: true, 'aria-labelledby': 'join-title' },
      this.header(session),
      this.body(),
      this.footer(),
    );
    this.listen();
    this.fill(rememberedDraft());
    void this.lookUp();
  }

  /** Shows the card, with a word about how one came here and as whom one was in, and puts the focus on the way in. */
  show(word = '', was?: Appearing): void {
    if (was !== undefined) this.fill({ ...this.draft, ...was }); // settings may have changed it since
    write(this.word, word);
    this.word.hidden = word === '';
    this.root.hidden = false;
    this.voice.resume();
    requestAnimationFrame(() => this.greet(word !== '')); // the page may still be putting itself together
  }

  hide(): void {
    this.root.hidden = true;
    this.microphone.stop();
    this.setBusy(false);
  }

  get shown(): boolean {
    return !this.root.hidden;
  }

  /** Who is in the session. */
  setState(presence: Presence): void {
    this.presence = presence;
    this.present.show(presence);
    this.refresh();
  }

  /** While a person's wish to join is on its way. */
  setBusy(busy: boolean): void {
    this.busy = busy;
    this.refresh();
  }

  /** What kept a person from joining; empty takes it back. */
  setFault(text: string): void {
    write(this.fault, text);
    this.fault.hidden = text === '';
    this.setBusy(false);
  }

  private greet(again: boolean): void {
    if (!this.shown) return;
    if (again) this.joinButton.focus();
    else if (matchMedia('(pointer: fine)').matches) this.name.focus(); // elsewhere a keyboard would pop up
  }

  private header(session: string): HTMLElement {
    const title = element('h1', 'join-title', { id: 'join-title' }, `Join ${session}`);
    return element('div', 'join-header', {}, this.word, title, this.present.root);
  }

  private body(): HTMLElement {
    const { name, avatar, colour, device } = this;
    const parts = [name.root, avatar.root, colour.root, this.details(), device.root];
    return element('div', 'join-body', {}, ...parts);
  }

  private details(): HTMLElement {
    return element('div', 'join-details', {}, this.height.root, this.voice.root, this.microphone.root);
  }

  private footer(): HTMLElement {
    const watch = element('button', 'button quiet', { type: 'button' }, icon(ICONS.eye), 'Only watch');
    watch.addEventListener('click', () => this.actions.watch());
    const buttons = element('div', 'join-buttons', {}, this.joinButton, this.vrButton, watch);
    return element('div', 'join-footer', {}, this.fault, buttons);
  }

  private listen(): void {
    this.root.addEventListener('submit', (event) => {
      event.preventDefault();
      this.join(false);
    });
    this.vrButton.addEventListener('click', () => this.join(true));
    navigator.xr?.addEventListener('devicechange', () => void this.lookUp());
  }

  private fill(draft: Draft): void {
    this.name.value = draft.name;
    this.avatar.choose(draft.avatar);
    this.colour.choose(draft.colour);
    this.height.value = draft.height;
    this.voice.value = draft.voice;
    this.changed();
  }

  private get draft(): Draft {
    return {
      name: this.name.value,
      avatar: this.avatar.avatar,
      colour: this.colour.colour,
      height: this.height.value,
      voice: this.voice.value,
    };
  }

  private async lookUp(): Promise<void> {
    const facts: DeviceFacts = await lookUpDevice();
    this.headset = facts.headset;
    this.device.show(facts);
    this.voice.allow(facts);
    if (this.shown) this.voice.resume();
    this.refresh();
  }

  private join(vr: boolean): void {
    if (this.busy || isFull(this.presence)) return;
    this.setFault('');
    if (!this.name.complete() || !this.avatar.complete() || !this.height.complete()) return;
    const { draft } = this;
    rememberDraft(draft);
    this.microphone.stop(); // whoever carries the voice opens it anew
    this.setBusy(true);
    this.actions.join(choiceOf(draft, vr, this.avatar.file));
  }

  private changed(): void {
    const { draft } = this;
    this.avatar.dye(draft.colour === null ? UNDYED : toHex(draft.colour));
    if (nameFault(draft.name) === undefined) this.actions.preview?.(choiceOf(draft, false, this.avatar.file));
  }

  private refresh(): void {
    const full = isFull(this.presence);
    write(this.joinButton, this.busy ? 'Joining…' : full ? 'Full' : 'Join');
    this.joinButton.setAttribute('aria-disabled', String(this.busy || full));
    this.vrButton.hidden = !this.headset;
    this.vrButton.disabled = this.busy || full;
  }
}
