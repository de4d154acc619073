/** Owns the dialog that lists what moves what. */

import {
  DESKTOP_CONTROLS,
  TAP_NOTE,
  TOUCH_CONTROLS,
  type Control,
  type ControlGroup,
} from '../sensing/desktop_controls';
import { Dialog } from './dialog';
import { element } from './dom';

const WATCHING: ControlGroup = {
  title: 'Watch',
  controls: [
    { ways: ['Drag', '← → ↑ ↓'], does: 'Look around' },
    { ways: ['Wheel', '+ −', 'Two fingers'], does: 'Come closer, or go away' },
    { ways: ['Click a name'], does: 'Follow that person; Esc lets go' },
    { ways: ['Home'], does: 'Show everyone' },
  ],
};
const HEADSET: ControlGroup = {
  title: 'In a headset',
  controls: [
    { ways: ['Walk', 'Turn'], does: 'Your steps and turns are your own' },
    { ways: ['Left stick forward', 'Left pinch'], does: 'Aim, and let go to stand there' },
    { ways: ['Right stick sideways'], does: 'Turn in steps' },
    { ways: ['Press a stick'], does: 'Back to where you last stood' },
    { ways: ['Trigger', 'Right pinch'], does: 'Point, with a laser that everyone sees' },
    { ways: ['B', 'Y'], does: 'Mute your microphone, or open it' },
  ],
};

export class HelpDialog {
  private readonly dialog: Dialog;
  private readonly groups = element('div', 'help-groups');
  private readonly note = element('p', 'help-note');

  constructor() {
    this.dialog = new Dialog('How to move', 'help', this.groups, this.note);
  }

  /** Opens with what works for who takes part, or for who watches. */
  open(takesPart: boolean): void {
    const touch = matchMedia('(pointer: coarse)').matches;
    const taking = touch ? [...TOUCH_CONTROLS, HEADSET] : [...DESKTOP_CONTROLS, HEADSET];
    this.groups.replaceChildren(...(takesPart ? taking : [WATCHING]).map(table));
    this.note.textContent = TAP_NOTE;
    this.note.hidden = !takesPart || touch;
    this.dialog.open();
  }
}

function table({ title, controls }: ControlGroup): HTMLElement {
  const body = element('tbody', '', {}, ...controls.map(row));
  return element('table', 'help-group', {}, element('caption', '', {}, title), body);
}

function row({ ways, does }: Control): HTMLElement {
  const spelled = ways.flatMap((way, index) => {
    const words = index > 0 ? [element('span', 'or', {}, 'or')] : [];
    return [element('span', 'way', {}, ...words, ...keys(way)), ' '];
  });
  return element('tr', '', {}, element('th', '', { scope: 'row' }, does), element('td', '', {}, ...spelled));
}

/** One way to do something: single characters are keys of their own, anything longer is one name. */
function keys(way: string): Node[] {
  const parts = way.split(' ');
  const single = parts.every((part) => [...part].length === 1);
  return (single ? parts : [way]).map((part) => element('kbd', '', {}, part));
}
