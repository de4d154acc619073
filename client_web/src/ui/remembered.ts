/**
 * Owns what the browser remembers from visit to visit: how a person wants to appear, and the last
 * session. Never a key. A browser that refuses storage just forgets.
 */

const PREFIX = 'armspan.';

export type Remembered =
  | 'name'
  | 'session'
  | 'avatar'
  | 'colour'
  | 'height'
  | 'voice'
  | 'microphone'
  | 'snap-turn'
  | 'motion';

export function remembered(what: Remembered): string {
  try {
    return localStorage.getItem(PREFIX + what) ?? '';
  } catch {
    return '';
  }
}

export function remember(what: Remembered, value: string): void {
  try {
    localStorage.setItem(PREFIX + what, value);
  } catch {
    // Private windows may refuse; the page works without.
  }
}
