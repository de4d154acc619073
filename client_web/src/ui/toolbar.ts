/** Owns the bar at the lower edge: what one does while in a session, within a thumb's reach. */

import { Dialog } from './dialog';
import { element, icon } from './dom';
import { ICONS, type IconName } from './icons';

export interface ToolbarActions {
  /** Switches reaching with the mouse, or pointing with the laser, on or off. */
  readonly reach: (on: boolean) => void;
  readonly point: (on: boolean) => void;
  /** Sees through one's own eyes, or from outside. */
  readonly view: (ownEyes: boolean) => void;
  readonly headset: () => void;
  /** Looks by turning the device in one's hands, or no longer. */
  readonly handheld: (on: boolean) => void;
  readonly share: () => void;
  readonly help: () => void;
  readonly settings: () => void;
  /** Gives up one's part in the session. */
  readonly leave: () => void;
  /** Only while watching: back to the card, to join. */
  readonly join: () => void;
}

export interface ToolbarState {
  readonly takesPart: boolean;
  /** Whether a headset can be entered. */
  readonly headset: boolean;
  readonly reaching: boolean;
  readonly pointing: boolean;
  readonly ownEyes: boolean;
  /** Whether one can look by turning the device, and does. */
  readonly turnable: boolean;
  readonly handheld: boolean;
}

export class Toolbar {
  readonly root: HTMLElement;
  /** Where the microphone's controls go. */
  readonly voiceSlot = element('div', 'tool-slot');
  private readonly reach: HTMLButtonElement;
  private readonly point: HTMLButtonElement;
  private readonly view: HTMLButtonElement;
  private readonly headset: HTMLButtonElement;
  private readonly settings: HTMLButtonElement;
  private readonly join: HTMLButtonElement;
  private readonly leave: HTMLButtonElement;
  private readonly moreButton: HTMLButtonElement;
  private readonly more: Dialog;
  private readonly moreHeadset: HTMLElement;
  private readonly moreHandheld: HTMLElement;
  private state: ToolbarState | undefined;

  constructor(private readonly actions: ToolbarActions) {
    this.join = tool('join', 'Join', () => actions.join());
    this.join.classList.add('primary');
    this.reach = tool('hand', 'Reach', () => actions.reach(!this.state?.reaching));
    this.point = tool('point', 'Point', () => actions.point(!this.state?.pointing));
    this.view = tool('around', 'Outside', () => actions.view(!this.state?.ownEyes));
    this.view.title = 'See yourself from outside';
    this.headset = tool('headset', 'Enter VR', () => actions.headset());
    this.settings = tool('settings', 'Settings', () => actions.settings());
    this.leave = tool('leave', 'Leave', () => actions.leave());
    this.leave.classList.add('parting');
    this.moreHeadset = this.item('headset', 'Enter VR', () => actions.headset());
    this.moreHandheld = this.item('phone', 'Look by moving the device', () => {
      actions.handheld(!this.state?.handheld);
    });
    this.moreButton = tool('more', 'More', () => this.more.open());
    this.moreButton.setAttribute('aria-haspopup', 'dialog');
    this.more = this.menu();
    const label = { role: 'toolbar', 'aria-label': 'In the session' };
    this.root = element('div', 'toolbar', label, ...this.tools());
    this.root.addEventListener('keydown', (event) => this.step(event));
  }

  setState(state: ToolbarState): void {
    this.state = state;
    const { takesPart } = state;
    this.join.hidden = takesPart;
    for (const each of [this.reach, this.point, this.view]) each.hidden = !takesPart;
    this.headset.hidden = !(takesPart && state.headset);
    this.moreHeadset.hidden = !(takesPart && state.headset);
    const turnable = takesPart && state.turnable;
    this.moreHandheld.hidden = !turnable;
    // A wide bar shows all but this.
    this.moreButton.classList.toggle('narrow', !turnable);
    press(this.moreHandheld, state.handheld);
    press(this.reach, state.reaching);
    press(this.point, state.pointing);
    press(this.view, !state.ownEyes);
    this.leave.hidden = !takesPart;
  }

  /** Arrow keys go from tool to tool, as in any toolbar; Tab does so, too. */
  private step(event: KeyboardEvent): void {
    const tools = [...this.root.querySelectorAll('button')].filter((each) => each.checkVisibility());
    const at = tools.findIndex((each) => each === document.activeElement);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || by === undefined) return;
    event.preventDefault();
    tools[(at + by + tools.length) % tools.length]?.focus();
  }

  private tools(): HTMLElement[] {
    const { actions } = this;
    const share = tool('share', 'Share', () => actions.share());
    const help = tool('help', 'Help', () => actions.help());
    const wide = [share, help, this.settings];
    for (const button of [this.headset, ...wide]) button.classList.add('wide');
    return [
      this.join,
      this.voiceSlot,
      this.reach,
      this.point,
      this.view,
      this.headset,
      ...wide,
      this.moreButton,
      this.leave,
    ];
  }

  /** What a narrow screen has no room for. */
  private menu(): Dialog {
    const { actions } = this;
    return new Dialog(
      'More',
      'sheet',
      this.moreHeadset,
      this.moreHandheld,
      this.item('share', 'Share this session', () => actions.share()),
      this.item('help', 'How to move', () => actions.help()),
      this.item('settings', 'Settings', () => actions.settings()),
    );
  }

  private item(name: IconName, label: string, act: () => void): HTMLElement {
    const button = element('button', 'sheet-item', { type: 'button' }, icon(ICONS[name]), label);
    button.addEventListener('click', () => {
      this.more.close();
      act();
    });
    return button;
  }
}

function tool(name: IconName, label: string, act: () => void): HTMLButtonElement {
  const words = element('span', 'tool-words', {}, label);
  const button = element('button', 'tool', { type: 'button', title: label }, icon(ICONS[name]), words);
  button.addEventListener('click', act);
  return button;
}

function press(button: HTMLElement, pressed: boolean): void {
  button.setAttribute('aria-pressed', String(pressed));
}
