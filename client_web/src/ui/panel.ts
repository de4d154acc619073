/** Owns the panel: who is here, how the session runs, and what one can do. */

import { NARROW } from './cover';
import { brand, element, icon, write } from './dom';
import { ICONS, type IconName } from './icons';

/** `speaking`: the voice is on and heard at this moment. */
export type PersonVoice = 'off' | 'muted' | 'open' | 'speaking';

export interface PersonRow {
  readonly id: number;
  readonly name: string;
  readonly colour: string;
  /** What is not as usual with them, in a word or two; empty if nothing. */
  readonly state: string;
  readonly away: boolean;
  readonly voice?: PersonVoice;
  /** Whether it is the person at this page. */
  readonly self?: boolean;
}

export interface PanelReadings {
  readonly tickRate: string;
  readonly roundTrip: string;
  readonly delay: string;
  readonly bytes: string;
}

export type Light = 'live' | 'waiting' | 'off';

export interface PanelActions {
  readonly focus: (id: number | undefined) => void;
  readonly showAll: () => void;
  readonly share: () => void;
}


const VOICES: Readonly<Record<PersonVoice, readonly [IconName, string]>> = {
  off: ['muted', ''],
  muted: ['muted', 'muted'],
  open: ['microphone', 'microphone on'],
  speaking: ['microphone', 'speaks'],
};

const READINGS: readonly (readonly [keyof PanelReadings, string, string])[] = [
  ['tickRate', 'Tick rate', 'Snapshots the server makes a second'],
  ['roundTrip', 'Round trip', 'To the server and back'],
  ['delay', 'Behind live', 'How far playback stays behind, so that motion is smooth'],
  ['bytes', 'Data', 'Received by this page'],
];

interface Row {
  readonly item: HTMLLIElement;
  readonly button: HTMLButtonElement;
  readonly name: HTMLElement;
  readonly state: HTMLElement;
  readonly voice: HTMLElement;
  /** What `voice` shows now. */
  shown: PersonVoice;
}

export class Panel {
  readonly root: HTMLElement;
  readonly header = element('div', 'panel-header');
  private readonly light = element('span', 'light', { 'aria-hidden': 'true' });
  private readonly stateText = element('span', 'panel-state');
  private readonly summary = element('p', 'panel-summary');
  private readonly list = element('ul', 'people');
  private readonly empty = element('p', 'people-empty', { hidden: true });
  private readonly values = new Map<keyof PanelReadings, HTMLElement>();
  private readonly rows = new Map<number, Row>();
  private readonly toggle: HTMLButtonElement;
  private readonly all = element('button', 'button quiet', { type: 'button' });
  private focused: number | undefined;

  constructor(
    session: string,
    private readonly actions: PanelActions,
  ) {
    const title = element('h1', 'panel-title', { title: session }, session);
    this.toggle = element('button', 'icon-button panel-toggle', {
      type: 'button',
      'aria-expanded': 'false',
      'aria-controls': 'panel-body',
      'aria-label': 'People and readings',
    }, icon(ICONS.up));
    this.toggle.addEventListener('click', () => this.setExpanded(!this.expanded));
    const state = element('span', 'panel-status', {}, this.light, this.stateText);
    this.header.append(element('div', 'panel-heading', {}, title, state), this.summary, this.toggle);
    const body = element(
      'div',
      'panel-body',
      { id: 'panel-body' },
      this.list,
      this.empty,
      this.readings(),
      this.buttons(),
    );
    this.root = element('aside', 'panel', { 'aria-label': 'Session' }, this.header, body);
    this.setExpanded(!matchMedia(NARROW).matches); // where there is little room it begins folded
  }

  get expanded(): boolean {
    return this.toggle.getAttribute('aria-expanded') === 'true';
  }

  setExpanded(expanded: boolean): void {
    this.toggle.setAttribute('aria-expanded', String(expanded));
    this.root.classList.toggle('expanded', expanded);
  }

  /** Whether a view of everyone makes sense: not through one's own eyes. */
  offerOverview(offered: boolean): void {
    this.all.hidden = !offered;
  }

  showState(light: Light, text: string, summary: string): void {
    this.light.className = `light ${light}`;
    write(this.stateText, text);
    write(this.summary, summary);
  }

  showReadings(readings: PanelReadings): void {
    for (const [key] of READINGS) {
      const value = this.values.get(key);
      if (value) write(value, readings[key]);
    }
  }

  showPeople(people: readonly PersonRow[], emptyText: string): void {
    const gone = new Set(this.rows.keys());
    people.forEach((person, index) => {
      gone.delete(person.id);
      const row = this.rows.get(person.id) ?? this.createRow(person);
      showRow(row, person);
      if (this.list.children[index] !== row.item) {
        this.list.insertBefore(row.item, this.list.children[index] ?? null);
      }
    });
    for (const id of gone) {
      this.rows.get(id)?.item.remove();
      this.rows.delete(id);
    }
    this.empty.hidden = people.length > 0 || emptyText === '';
    write(this.empty, emptyText);
  }

  /** Marks whom the camera follows. */
  showFocus(id: number | undefined): void {
    this.focused = id;
    for (const [each, row] of this.rows) {
      row.button.setAttribute('aria-pressed', String(each === id));
    }
  }

  private createRow(person: PersonRow): Row {
    const name = element('span', 'person-name');
    const state = element('span', 'person-state');
    const voice = element('span', 'person-voice', { role: 'img', hidden: true });
    const dot = element('span', 'dot', { 'aria-hidden': 'true' });
    const button = element(
      'button',
      'person',
      { type: 'button', 'aria-pressed': 'false', title: 'Look at this person' },
      dot,
      name,
      state,
      voice,
    );
    button.addEventListener('click', () => {
      this.actions.focus(this.focused === person.id ? undefined : person.id);
    });
    const item = element('li', '', {}, button);
    const row: Row = { item, button, name, state, voice, shown: 'off' };
    this.rows.set(person.id, row);
    return row;
  }

  private readings(): HTMLElement {
    const list = element('dl', 'readings');
    for (const [key, name, explanation] of READINGS) {
      const value = element('dd', '', {}, '–');
      this.values.set(key, value);
      list.append(element('div', 'reading', { title: explanation }, element('dt', '', {}, name), value));
    }
    return list;
  }

  private buttons(): HTMLElement {
    const { all } = this;
    all.append(icon(ICONS.all), 'Show everyone');
    all.addEventListener('click', () => this.actions.showAll());
    const share = element('button', 'button quiet', { type: 'button' }, icon(ICONS.share), 'Share');
    share.addEventListener('click', () => this.actions.share());
    return element('div', 'panel-buttons', {}, all, share);
  }
}

function showRow(row: Row, person: PersonRow): void {
  write(row.name, person.name);
  write(row.state, person.self === true ? [person.state, 'you'].filter(Boolean).join(', ') : person.state);
  row.item.classList.toggle('away', person.away);
  row.item.style.setProperty('--person', person.colour);
  showVoice(row, person.voice ?? 'off');
}

function showVoice(row: Row, voice: PersonVoice): void {
  if (row.shown === voice) return;
  row.shown = voice;
  const [name, words] = VOICES[voice];
  row.voice.hidden = voice === 'off';
  row.voice.className = `person-voice ${voice}`;
  row.voice.setAttribute('aria-label', words);
  row.voice.replaceChildren(icon(ICONS[name]));
}

/** The name in the corner, over the picture. */
export function corner(): HTMLElement {
  return element('header', 'corner', {}, brand());
}
