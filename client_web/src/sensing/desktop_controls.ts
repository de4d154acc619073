/**
 * Owns what the keys, the mouse and a touch screen do: the one table that the help shows, and the
 * meaning of each key. Keys go by their place on the keyboard, so that W, A, S and D lie together
 * on every layout.
 */

/** What a key does while it is down, or once as it goes down. */
export type KeyAction =
  | 'forward'
  | 'back'
  | 'left'
  | 'right'
  | 'turnLeft'
  | 'turnRight'
  | 'lookUp'
  | 'lookDown'
  | 'fast'
  | 'crouch'
  | 'reachRight'
  | 'reachLeft'
  | 'point'
  | 'pinch'
  | 'further'
  | 'nearer'
  | 'arrowUp'
  | 'arrowDown'
  | 'arrowLeft'
  | 'arrowRight'
  | 'view'
  | 'hand'
  | 'rest';

/** By the code of the key. */
export const KEY_ACTIONS: ReadonlyMap<string, KeyAction> = new Map<string, KeyAction>([
  ['KeyW', 'forward'],
  ['KeyS', 'back'],
  ['KeyA', 'left'],
  ['KeyD', 'right'],
  ['KeyQ', 'turnLeft'],
  ['KeyE', 'turnRight'],
  ['PageUp', 'lookUp'],
  ['PageDown', 'lookDown'],
  ['ShiftLeft', 'fast'],
  ['ShiftRight', 'fast'],
  ['KeyC', 'crouch'],
  ['KeyR', 'reachRight'],
  ['KeyF', 'reachLeft'],
  ['KeyP', 'point'],
  ['Space', 'pinch'],
  ['Equal', 'further'],
  ['NumpadAdd', 'further'],
  ['Minus', 'nearer'],
  ['NumpadSubtract', 'nearer'],
  ['ArrowUp', 'arrowUp'],
  ['ArrowDown', 'arrowDown'],
  ['ArrowLeft', 'arrowLeft'],
  ['ArrowRight', 'arrowRight'],
  ['KeyV', 'view'],
  ['KeyH', 'hand'],
  ['Escape', 'rest'],
]);

/** Keys that a page's own controls and its scrolling use: they count on the picture only. */
const SHARED: ReadonlySet<string> = new Set([
  'Space',
  'PageUp',
  'PageDown',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
]);

/** Whether a key is left to a button or a list that has the focus. */
export function isShared(code: string): boolean {
  return SHARED.has(code);
}

export interface Control {
  /** Each one way to do it; several keys of one way are joined by a space. */
  readonly ways: readonly string[];
  readonly does: string;
}

export interface ControlGroup {
  readonly title: string;
  readonly controls: readonly Control[];
}

/** For a keyboard and a mouse. */
export const DESKTOP_CONTROLS: readonly ControlGroup[] = [
  {
    title: 'Move',
    controls: [
      { ways: ['W A S D', '↑ ↓'], does: 'Walk; hold Shift to walk fast' },
      { ways: ['Drag', 'Q E', '← →'], does: 'Look around' },
      { ways: ['Drag', 'Page Up', 'Page Down'], does: 'Look up and down' },
      { ways: ['C'], does: 'Crouch' },
      { ways: ['V'], does: 'See through your own eyes, or from behind yourself' },
    ],
  },
  {
    title: 'Reach',
    controls: [
      { ways: ['Right mouse button', 'R', 'F'], does: 'Reach to the pointer: R right hand, F left hand' },
      { ways: ['Wheel', '+ −'], does: 'Further away, or nearer' },
      { ways: ['Click', 'Space'], does: 'Pinch with the hand that reaches' },
    ],
  },
  {
    title: 'Point',
    controls: [
      { ways: ['Middle mouse button', 'P'], does: 'Point at what is under the pointer' },
      { ways: ['↑ ↓ ← →'], does: 'Move the pointer while a hand reaches or points' },
      { ways: ['H'], does: 'Use the other hand' },
      { ways: ['Esc'], does: 'Let both hands rest' },
    ],
  },
];

/** What a short press of a key that is usually held does. */
export const TAP_NOTE = 'Hold R, F, P or C, or press it briefly to keep it on and once more to end it.';

/** For a touch screen. */
export const TOUCH_CONTROLS: readonly ControlGroup[] = [
  {
    title: 'Touch',
    controls: [
      { ways: ['Left thumb'], does: 'Walk: drag the ring, far out to walk fast' },
      { ways: ['Drag'], does: 'Look around; with a second finger while a hand is out' },
      { ways: ['Reach'], does: 'Your hand goes under your finger; Pinch closes it' },
      { ways: ['Point'], does: 'Point at what is under your finger' },
      { ways: ['Crouch'], does: 'Crouch, and rise again' },
      { ways: ['Left, Right'], does: 'Which hand reaches and points' },
    ],
  },
];
