/**
 * Owns who is in the session: what the welcome said, and every event since. Events are numbered
 * without gaps; one that is missing means that the rest can not be trusted.
 */

import type {
  Joined,
  LengthsChanged,
  Left,
  LookChanged,
  Person,
  Presence,
  Renamed,
  VoiceChanged,
  Welcome,
} from '../protocol/generated';

export type SessionEvent =
  | Joined
  | Left
  | Presence
  | Renamed
  | LengthsChanged
  | LookChanged
  | VoiceChanged;

export class Roster {
  private readonly people = new Map<number, Person>();
  private sequence = 0;

  /** Everyone, in the order in which they came. */
  get all(): readonly Person[] {
    return [...this.people.values()];
  }

  get size(): number {
    return this.people.size;
  }

  person(id: number): Person | undefined {
    return this.people.get(id);
  }

  welcome(welcome: Welcome): void {
    this.people.clear();
    for (const person of welcome.people) this.people.set(person.id, person);
    this.sequence = welcome.eventSequence;
  }

  /** Applies an event; false when one before it never arrived. One already known is passed over. */
  apply(event: SessionEvent): boolean {
    const ahead = (event.sequence - this.sequence) | 0; // sequences are 32 bits and may wrap
    if (ahead <= 0) return true;
    if (ahead > 1) return false;
    this.sequence = event.sequence;
    switch (event.type) {
      case 'Joined':
        this.people.set(event.person.id, event.person);
        break;
      case 'Left':
        this.people.delete(event.id);
        break;
      case 'Presence':
        this.change(event.id, { connected: event.connected });
        break;
      case 'Renamed':
        this.change(event.id, { name: event.name });
        break;
      case 'LengthsChanged':
        this.change(event.id, { lengths: event.lengths, lengthsVersion: event.lengthsVersion });
        break;
      case 'LookChanged':
        this.change(event.id, { look: event.look });
        break;
      case 'VoiceChanged':
        this.change(event.id, { voice: event.voice });
        break;
    }
    return true;
  }

  private change(id: number, difference: Partial<Person>): void {
    const person = this.people.get(id);
    if (person !== undefined) this.people.set(id, { ...person, ...difference });
  }
}
