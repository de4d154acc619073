/** Owns telling someone in a headset what the page says: passing words, and whether the session is there. */

import type { Phase } from '../net/connection';
import type { PassingWords } from '../scene/passing_words';

export const LOST = 'Disconnected. Connecting again…';
export const BACK = 'Connected again.';

export class HeadsetNews {
  private lost = false;

  /** `words`: where the wearer sees them; undefined where nothing is drawn. */
  constructor(private readonly words: () => PassingWords | undefined) {}

  say(text: string): void {
    this.words()?.say(text);
  }

  /** The connection is as told: what is wrong stays before the eyes, and that it is mended is said. */
  show(phase: Phase): void {
    // Who begins to take part connects anew, too: that alone is no loss.
    const lost = phase.kind === 'waiting' || (phase.kind === 'connecting' && this.lost);
    this.words()?.keep(lost ? LOST : '');
    if (phase.kind === 'live' && this.lost) this.say(BACK);
    this.lost = lost;
  }
}
