/**
 * Owns what a touch screen adds to the picture: a ring for the left thumb to walk with, and buttons
 * for what else has no finger of its own. It appears with the first touch, on any device.
 */

import '../styles/touch.css';
import { LEFT_HAND, REACH, REST, type DesktopIntent } from '../sensing/desktop_intent';
import { element, write } from './dom';

const RADIUS_PX = 44;
const DEAD = 0.12;
/** Times the radius: a thumb that goes out so far wants to walk fast. */
const FAST = 1.7;

export class TouchControls {
  readonly root: HTMLElement;
  private readonly knob = element('div', 'stick-knob');
  private readonly ring = element('div', 'stick', { 'aria-hidden': 'true' }, this.knob);
  private readonly pinch = button('Pinch');
  private readonly crouch = button('Crouch');
  private readonly hand = button('Right hand');
  private thumb: number | undefined;
  private takesPart = false;

  constructor(private readonly intent: DesktopIntent) {
    const buttons = element('div', 'touch-buttons', {}, this.pinch, this.hand, this.crouch);
    this.root = element('div', 'touch', { hidden: true }, this.ring, buttons);
    this.listenToThumb();
    this.listenToButtons();
    intent.onChange(() => this.refresh());
    this.refresh();
  }

  /** Shows it where there is a finger at all; hides it for whoever only watches. */
  show(takesPart: boolean): void {
    const finger = matchMedia('(pointer: coarse)').matches;
    this.root.hidden = !(takesPart && finger);
    this.takesPart = takesPart;
    if (this.root.hidden) this.letGo();
  }

  private listenToThumb(): void {
    addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'touch' && this.takesPart) this.root.hidden = false;
    });
    this.ring.addEventListener('pointerdown', (event) => {
      if (this.thumb !== undefined) return;
      this.thumb = event.pointerId;
      this.ring.setPointerCapture(event.pointerId);
      this.lean(event);
    });
    this.ring.addEventListener('pointermove', (event) => {
      if (event.pointerId === this.thumb) this.lean(event);
    });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      this.ring.addEventListener(name, (event) => {
        if (event.pointerId === this.thumb) this.letGo();
      });
    }
    for (const name of ['blur', 'pagehide'] as const) addEventListener(name, () => this.letGo());
    this.root.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  private listenToButtons(): void {
    this.crouch.addEventListener('click', () => this.intent.toggleCrouch());
    this.hand.addEventListener('click', () => this.intent.switchHand());
    this.pinch.addEventListener('pointerdown', (event) => {
      this.pinch.setPointerCapture(event.pointerId);
      this.intent.pinch(true);
    });
    this.pinch.addEventListener('keydown', ({ key }) => {
      if (key === ' ' || key === 'Enter') this.intent.pinch(true);
    });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture', 'keyup', 'blur'] as const) {
      this.pinch.addEventListener(name, () => this.intent.pinch(false));
    }
  }

  /** The thumb is here: the knob follows, and one walks. */
  private lean({ clientX, clientY }: PointerEvent): void {
    const { left, top, width, height } = this.ring.getBoundingClientRect();
    const x = (clientX - left - width / 2) / RADIUS_PX;
    const y = (top + height / 2 - clientY) / RADIUS_PX;
    const out = Math.hypot(x, y);
    const fast = out > FAST;
    const pushed = Math.min(out, 1) / Math.max(out, 1e-6);
    this.knob.style.translate = `${RADIUS_PX * pushed * x}px ${-RADIUS_PX * pushed * y}px`;
    this.ring.classList.toggle('fast', fast);
    const share = out < DEAD ? 0 : pushed;
    this.intent.stick(share * x, share * y, fast);
  }

  private letGo(): void {
    this.thumb = undefined;
    this.knob.style.translate = '';
    this.ring.classList.remove('fast');
    this.intent.stick(0, 0);
    this.intent.pinch(false);
  }

  private refresh(): void {
    const { intent } = this;
    this.pinch.hidden = intent.tasks[intent.driving] !== REACH;
    this.hand.hidden = intent.tasks[intent.driving] === REST;
    write(this.hand, intent.hand === LEFT_HAND ? 'Left hand' : 'Right hand');
    this.crouch.setAttribute('aria-pressed', String(intent.crouch));
    this.pinch.setAttribute('aria-pressed', String(intent.pinching[intent.driving] === true));
  }
}

function button(words: string): HTMLButtonElement {
  return element('button', 'touch-button', { type: 'button' }, words);
}
