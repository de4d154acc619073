/** Owns the key of push-to-talk: T, unless somebody is writing; let go when the page is left. */

import type { Talk } from '../voice/talk';

export const TALK_KEY = 'KeyT';
const WRITING = 'input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]';

/** Holds the talk's microphone open while T is down. Returns what ends that. */
export function listenForTalkKey(talk: Talk): () => void {
  const ended = new AbortController();
  // Dialogs keep keys to themselves, but not this one.
  const options = { signal: ended.signal, capture: true };
  addEventListener(
    'keydown',
    (event) => {
      const combined = event.ctrlKey || event.altKey || event.metaKey;
      const writing = event.target instanceof Element && event.target.closest(WRITING) !== null;
      if (event.code === TALK_KEY && !event.repeat && !combined && !writing) talk.own.hold(true);
    },
    options,
  );
  addEventListener(
    'keyup',
    (event) => {
      if (event.code === TALK_KEY) talk.own.hold(false);
    },
    options,
  );
  addEventListener('blur', () => talk.own.hold(false), options);
  document.addEventListener('visibilitychange', () => talk.own.hold(false), options);
  return () => ended.abort();
}
