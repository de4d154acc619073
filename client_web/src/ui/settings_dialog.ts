/** Owns the dialog for what one changes while in a session: how one appears, and one's comfort. */

import { AvatarPicker } from './avatar_picker';
import { rememberDraft, rememberedDraft, toHex, type Appearing } from './choice';
import { ColourPicker } from './colour_picker';
import {
  rememberComfort,
  rememberedComfort,
  SNAP_TURNS_DEG,
  wearMotion,
  type Comfort,
  type Motion,
} from './comfort';
import { Dialog } from './dialog';
import { element } from './dom';
import { NameField } from './join_fields';
import type { Upload } from './own_avatar';
import { Radios } from './radios';

export interface SettingsActions {
  /** The person wants to appear like this from now on. */
  readonly appear: (appearing: Appearing) => void;
  readonly comfort: (comfort: Comfort) => void;
  readonly upload: Upload;
}

const MOTIONS: readonly (readonly [Motion, string])[] = [
  ['system', 'As the system'],
  ['less', 'Less'],
  ['full', 'Full'],
];
const UNDYED = '#8a94a3';

export class SettingsDialog {
  private readonly dialog: Dialog;
  private readonly name = new NameField(() => undefined);
  private readonly avatar: AvatarPicker;
  private readonly colour = new ColourPicker(() => this.dye());
  private readonly turn = new Radios('Turn in VR in steps of', 'segment', () => undefined);
  private readonly motion = new Radios('Motion of the page', 'segment', () => undefined);
  private readonly appearance: HTMLElement;

  constructor(private readonly actions: SettingsActions) {
    this.avatar = new AvatarPicker(actions.upload, () => undefined);
    for (const turn of SNAP_TURNS_DEG) addSegment(this.turn, String(turn), `${turn}°`);
    for (const [value, label] of MOTIONS) addSegment(this.motion, value, label);
    this.appearance = element('div', 'settings-part', {}, this.name.root, this.avatar.root, this.colour.root);
    const comfort = element('div', 'settings-part two', {}, this.turn.root, this.motion.root);
    const save = element('button', 'button', { type: 'submit' }, 'Save');
    const buttons = element('div', 'dialog-buttons', {}, save);
    const form = element('form', 'settings-form', { novalidate: true }, this.appearance, comfort, buttons);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.save();
    });
    this.dialog = new Dialog('Settings', 'settings', form);
  }

  /** Opens with how the person appears now; undefined while watching, then only the comfort is there. */
  open(appearing: Appearing | undefined): void {
    this.appearance.hidden = appearing === undefined;
    if (appearing !== undefined) {
      this.name.value = appearing.name;
      this.avatar.choose(appearing.avatar);
      this.colour.choose(appearing.colour);
      this.dye();
    }
    const { snapTurnDeg, motion } = rememberedComfort();
    this.turn.choose(String(snapTurnDeg));
    this.motion.choose(motion);
    this.dialog.open();
  }

  private save(): void {
    if (!this.appearance.hidden) {
      if (!this.name.complete() || !this.avatar.complete()) return;
      const appearing = { name: this.name.value, avatar: this.avatar.avatar, colour: this.colour.colour };
      rememberDraft({ ...rememberedDraft(), ...appearing });
      this.actions.appear(appearing);
    }
    const comfort: Comfort = { snapTurnDeg: Number(this.turn.value), motion: this.motion.value as Motion };
    rememberComfort(comfort);
    wearMotion(comfort);
    this.actions.comfort(comfort);
    this.dialog.close();
  }

  private dye(): void {
    const { colour } = this.colour;
    this.avatar.dye(colour === null ? UNDYED : toHex(colour));
  }
}

function addSegment(radios: Radios, value: string, label: string): void {
  radios.add({ value, label, content: [element('span', '', {}, label)] });
}
