/**
 * Owns the listeners behind a person at a desk: keys, mouse, pen and touch on the picture, told to
 * the intent. Whatever takes the page's attention away lets go of everything.
 */

import { isShared, KEY_ACTIONS } from './desktop_controls';
import type { DesktopIntent } from './desktop_intent';

const WRITING = 'input, textarea, select, [contenteditable]';
const MIDDLE = 1;
/** What one notch of a wheel is, as browsers tell it: pixels, lines, pages. */
const NOTCH = [100, 3, 1] as const;
const MOST_NOTCHES = 3;
const NOTHING = -1;

export interface DeviceOptions {
  /** Wheel notches, away from oneself being positive, that no hand had a use for. */
  readonly zoom?: (notches: number) => void;
}

export class DesktopDevices {
  private ended: AbortController | undefined;
  private finger = NOTHING;
  private second = NOTHING;
  private secondX = 0;
  private secondY = 0;
  private lastX = 0;
  private lastY = 0;
  private buttons = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly intent: DesktopIntent,
    private readonly options: DeviceOptions = {},
  ) {}

  get attached(): boolean {
    return this.ended !== undefined;
  }

  /** Listens from now on. */
  attach(): void {
    if (this.ended !== undefined) return;
    this.ended = new AbortController();
    const { signal } = this.ended;
    const { canvas } = this;
    document.addEventListener('keydown', (event) => this.keyDown(event), { signal });
    addEventListener('keyup', (event) => this.keyUp(event), { signal, capture: true });
    addEventListener('blur', () => this.letGo(), { signal });
    addEventListener('pagehide', () => this.letGo(), { signal });
    document.addEventListener('visibilitychange', () => this.letGo(), { signal });
    document.addEventListener('focusin', (event) => this.focus(event), { signal });
    canvas.addEventListener('pointerdown', (event) => this.pointerDown(event), { signal });
    canvas.addEventListener('pointermove', (event) => this.pointerMove(event), { signal });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(name, (event) => this.pointerEnd(event), { signal });
    }
    canvas.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
    // The middle button scrolls on its own in some browsers, and pastes in others.
    for (const name of ['mousedown', 'auxclick'] as const) {
      canvas.addEventListener(name, (event) => event.button === MIDDLE && event.preventDefault(), { signal });
    }
  }

  /** Listens no longer; everything is let go and both hands rest. */
  detach(): void {
    this.ended?.abort();
    this.ended = undefined;
    this.letGo();
    this.intent.rest();
  }

  private keyDown(event: KeyboardEvent): void {
    if (event.key === 'Meta') this.letGo(); // no key tells of coming up while it is held
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!KEY_ACTIONS.has(event.code) || event.defaultPrevented) return;
    const onPicture = event.target === this.canvas || event.target === document.body;
    if (!onPicture && (isShared(event.code) || isWriting(event.target))) return;
    if (event.code !== 'Escape') event.preventDefault();
    if (!event.repeat) this.intent.press(event.code, performance.now());
  }

  private keyUp(event: KeyboardEvent): void {
    this.intent.release(event.code, performance.now());
    if (event.key === 'Meta') this.letGo();
  }

  private focus({ target }: FocusEvent): void {
    if (isWriting(target) || (target instanceof Element && target.closest('dialog') !== null)) this.letGo();
  }

  private pointerDown(event: PointerEvent): void {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType === 'touch') {
      if (this.finger !== NOTHING) {
        this.layBeside(event);
        return;
      }
      this.finger = event.pointerId;
    }
    this.remember(event);
    this.follow(event);
    this.press(event);
  }

  private pointerMove(event: PointerEvent): void {
    if (event.pointerType === 'touch' && event.pointerId !== this.finger) {
      this.dragBeside(event);
      return;
    }
    this.follow(event);
    this.press(event); // a second button tells of itself only here
  }

  private pointerEnd(event: PointerEvent): void {
    if (event.pointerType === 'touch') {
      if (event.pointerId === this.finger) this.finger = NOTHING;
      if (event.pointerId === this.second) this.second = NOTHING;
    } else if (event.type === 'pointerup') {
      this.press(event);
    } else if (this.buttons !== 0) {
      this.buttons = 0;
      this.intent.pressButtons(0);
    }
  }

  private layBeside(event: PointerEvent): void {
    if (this.second !== NOTHING) return;
    this.second = event.pointerId;
    this.secondX = event.clientX;
    this.secondY = event.clientY;
  }

  private dragBeside(event: PointerEvent): void {
    if (event.pointerId !== this.second) return;
    this.intent.dragBeside(event.clientX - this.secondX, event.clientY - this.secondY);
    this.secondX = event.clientX;
    this.secondY = event.clientY;
  }

  private press(event: PointerEvent): void {
    if (event.pointerType === 'touch' || event.buttons === this.buttons) return;
    this.buttons = event.buttons;
    this.intent.pressButtons(event.buttons);
  }

  private follow(event: PointerEvent): void {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    const x = (2 * (event.clientX - left)) / width - 1;
    const y = 1 - (2 * (event.clientY - top)) / height;
    const byX = event.clientX - this.lastX;
    const byY = event.clientY - this.lastY;
    this.remember(event);
    if (event.pointerType === 'touch') this.intent.drag(x, y, byX, byY);
    else this.intent.move(x, y, byX, byY);
  }

  private remember(event: PointerEvent): void {
    this.lastX = event.clientX;
    this.lastY = event.clientY;
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey) return; // the browser's own zoom
    event.preventDefault();
    const notch = NOTCH[event.deltaMode] ?? 1;
    const notches = Math.min(Math.max(-event.deltaY / notch, -MOST_NOTCHES), MOST_NOTCHES);
    if (!this.intent.wheel(notches)) this.options.zoom?.(notches);
  }

  private letGo(): void {
    this.finger = NOTHING;
    this.second = NOTHING;
    this.buttons = 0;
    this.intent.releaseAll();
  }
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(WRITING) !== null;
}
