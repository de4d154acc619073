/** Owns the line on the card that says who is in the session already, and whether there is room. */

import { element, write } from './dom';
import { counted } from './readings';

export interface PresentPerson {
  readonly name: string;
  readonly colour: string;
}

export interface Presence {
  /** Whether the session's people are known at this moment. */
  readonly live: boolean;
  readonly people: readonly PresentPerson[];
  /** Undefined before the server has said it. */
  readonly maxPeople: number | undefined;
}

const DOTS = 4;
/** Who is named at the most; that many fit into a line. */
const NAMED = 2;

export class Present {
  readonly root: HTMLElement;
  private readonly dots = element('span', 'present-dots', { 'aria-hidden': 'true' });
  private readonly words = element('span', 'present-words');

  constructor() {
    this.root = element('p', 'present', {}, this.dots, this.words);
  }

  show(presence: Presence): void {
    const colours = presence.people.slice(0, DOTS).map(({ colour }) => colour);
    if (colours.join() !== this.dots.dataset['colours']) {
      this.dots.dataset['colours'] = colours.join();
      this.dots.replaceChildren(...colours.map(dot));
    }
    write(this.words, presentWords(presence));
  }
}

export function isFull({ people, maxPeople }: Presence): boolean {
  return maxPeople !== undefined && people.length >= maxPeople;
}

/** Who is here, by name if they are few. */
export function presentWords(presence: Presence): string {
  const { live, people } = presence;
  if (!live && people.length === 0) return 'Looking for the session…';
  if (people.length === 0) return 'Nobody is here yet';
  if (isFull(presence)) return `${counted(people.length, 'person', 'people')} here: the session is full`;
  const names = people.slice(0, NAMED).map(({ name }) => name);
  const more = people.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${counted(more, 'other', 'others')} are here`;
  const last = names.pop() ?? '';
  if (names.length === 0) return `${last} is here`;
  return `${names.join(', ')} and ${last} are here`;
}

function dot(colour: string): HTMLElement {
  const result = element('span', 'dot');
  result.style.setProperty('--person', colour);
  return result;
}
