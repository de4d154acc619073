/**
 * Owns which lengths a body has at the playback time. Word of new lengths is there at once, but the
 * poses on screen are some time behind, and were solved for the lengths of before: drawn with others
 * the hands would be off for a moment. Session time, microseconds.
 */

import type { Lengths } from '../protocol/generated';
import { lengthsOf, type Floats } from './bones';

interface Size {
  version: number;
  shown: Floats;
  next: Floats | undefined;
  /** Poses after this time are of `next`. */
  fromUs: number;
}

export class Sizes {
  private readonly people = new Map<number, Size>();

  clear(): void {
    this.people.clear();
  }

  forget(id: number): void {
    this.people.delete(id);
  }

  /** What the session says of a person now; `newestUs` is the time of the newest snapshot. */
  tell(id: number, version: number, lengths: Lengths, newestUs: number): void {
    const size = this.people.get(id);
    if (size === undefined) {
      this.people.set(id, { version, shown: lengthsOf(lengths), next: undefined, fromUs: 0 });
    } else if (size.version !== version) {
      size.version = version;
      if (size.next !== undefined) size.shown = size.next; // two changes within one delay
      size.next = lengthsOf(lengths);
      size.fromUs = newestUs;
    }
  }

  /** The lengths of a person's body as it is shown at this time; undefined for strangers. */
  at(id: number, timeUs: number): Floats | undefined {
    const size = this.people.get(id);
    if (size?.next !== undefined && !(timeUs <= size.fromUs)) {
      size.shown = size.next;
      size.next = undefined;
    }
    return size?.shown;
  }
}
