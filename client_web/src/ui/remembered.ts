/**
 * Owns what the browser remembers from visit to visit: a person's name and the last session.
 * Never a key. A browser that refuses storage just forgets.
 */

const PREFIX = 'armspan.';

export function remembered(what: 'name' | 'session'): string {
  try {
    return localStorage.getItem(PREFIX + what) ?? '';
  } catch {
    return '';
  }
}

export function remember(what: 'name' | 'session', value: string): void {
  try {
    localStorage.setItem(PREFIX + what, value);
  } catch {
    // Private windows may refuse; the page works without.
  }
}
