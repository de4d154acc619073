/** Owns the list of who is in the talk: who speaks, how their line is, how loud they are here. */

import type { Talk } from '../voice/talk';
import type { Talker } from '../voice/talkers';
import { element, icon, write } from './dom';

const ICON_SOUND = 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a7.5 7.5 0 0 1 0 11';
const ICON_SILENT = 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5';

interface Row {
  readonly item: HTMLLIElement;
  readonly name: HTMLElement;
  readonly state: HTMLElement;
  readonly volume: HTMLInputElement;
  readonly silence: HTMLButtonElement;
}

/** What there is to say of someone, in a word or two. */
export function talkerState({ line, muted, speaking, volume }: Talker): string {
  if (line === 'failed') return 'no way through';
  if (line === 'troubled') return 'connecting again…';
  if (line === 'connecting') return 'connecting…';
  if (volume === 0) return 'silenced by you';
  if (muted) return 'muted';
  return speaking ? 'speaking' : '';
}

export class VoicePeople {
  readonly root = element('ul', 'voice-people', { 'aria-label': 'In the talk' });
  private readonly rows = new Map<number, Row>();
  /** What each was before being silenced. */
  private readonly before = new Map<number, number>();

  constructor(private readonly talk: Talk) {}

  show(talkers: readonly Talker[]): void {
    const gone = new Set(this.rows.keys());
    for (const talker of talkers) {
      gone.delete(talker.id);
      this.write(this.rows.get(talker.id) ?? this.create(talker), talker);
    }
    for (const id of gone) {
      this.rows.get(id)?.item.remove();
      this.rows.delete(id);
    }
    this.root.hidden = talkers.length === 0;
  }

  private write(row: Row, talker: Talker): void {
    write(row.name, talker.name);
    write(row.state, talkerState(talker));
    row.item.classList.toggle('speaking', talker.speaking && !talker.muted && talker.volume > 0);
    row.item.classList.toggle('failed', talker.line === 'failed');
    const silent = talker.volume === 0;
    row.silence.setAttribute('aria-pressed', String(silent));
    row.silence.setAttribute('aria-label', `Silence ${talker.name}`);
    row.volume.setAttribute('aria-label', `Volume of ${talker.name}`);
    if (Number(row.volume.value) !== talker.volume) row.volume.value = String(talker.volume);
  }

  private create({ id }: Talker): Row {
    const name = element('span', 'voice-name');
    const state = element('span', 'voice-state');
    const volume = element('input', 'voice-volume', {
      type: 'range',
      min: '0',
      max: '2',
      step: '0.1',
      title: 'How loud this person is for you',
    });
    const silence = element('button', 'icon-button voice-silence', {
      type: 'button',
      title: 'Only for you; the others hear this person as before',
    }, icon(ICON_SOUND), icon(ICON_SILENT));
    volume.addEventListener('input', () => this.talk.setVolume(id, Number(volume.value)));
    silence.addEventListener('click', () => this.toggle(id));
    const lamp = element('span', 'voice-lamp', { 'aria-hidden': 'true' });
    const words = element('span', 'voice-words', {}, name, state);
    const item = element('li', 'voice-person', {}, lamp, words, volume, silence);
    this.root.append(item);
    const row = { item, name, state, volume, silence };
    this.rows.set(id, row);
    return row;
  }

  private toggle(id: number): void {
    const volume = this.talk.talkers.find((each) => each.id === id)?.volume ?? 1;
    if (volume > 0) this.before.set(id, volume);
    this.talk.setVolume(id, volume > 0 ? 0 : (this.before.get(id) ?? 1));
  }
}
