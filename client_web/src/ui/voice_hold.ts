/** Owns a button that is held to talk: by a finger, the mouse, Space or Enter. */

import type { Talk } from '../voice/talk';

/** The button opens the microphone while it is held; `when` says whether it does so at the moment. */
export function holdToTalk(button: HTMLButtonElement, talk: Talk, when: () => boolean): void {
  const down = () => {
    if (when()) talk.own.hold(true);
  };
  const up = () => talk.own.hold(false);
  button.addEventListener('pointerdown', (event) => {
    if (!when()) return;
    button.setPointerCapture(event.pointerId);
    down();
  });
  button.addEventListener('keydown', ({ key }) => {
    if (key === ' ' || key === 'Enter') down();
  });
  for (const name of ['pointerup', 'pointercancel', 'keyup', 'blur'] as const) {
    button.addEventListener(name, up);
  }
  button.addEventListener('contextmenu', (event) => {
    if (when()) event.preventDefault(); // a long touch
  });
}
