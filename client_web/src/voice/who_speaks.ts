/** Owns who speaks at the moment, by how loud everyone is. */

import { Speech } from './level';

export class WhoSpeaks {
  private readonly people = new Map<number, Speech>();

  speaking(id: number): boolean {
    return this.people.get(id)?.speaking ?? false;
  }

  /** Takes how loud a person is; true when their speech began or ended with it. */
  observe(id: number, db: number, nowMs: number): boolean {
    let speech = this.people.get(id);
    if (speech === undefined) {
      speech = new Speech();
      this.people.set(id, speech);
    }
    return speech.observe(db, nowMs);
  }

  forget(id: number): void {
    this.people.delete(id);
  }

  clear(): void {
    this.people.clear();
  }
}
