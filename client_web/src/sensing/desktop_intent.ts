/**
 * Owns what a person at keyboard, mouse or touch screen wants at the moment. Devices tell it what
 * happened; the body reads it once a frame. Pure: times are told, and nothing is listened to.
 */

import { KEY_ACTIONS, type KeyAction } from './desktop_controls';
import { Latch } from './desktop_latch';

export const LEFT_HAND = 0;
export const RIGHT_HAND = 1;
export type Hand = typeof LEFT_HAND | typeof RIGHT_HAND;

export const REST = 0;
export const REACH = 1;
export const POINT = 2;
/** What a hand is doing. */
export type HandTask = typeof REST | typeof REACH | typeof POINT;

/** What happens once, as a key or a button is pressed. */
export type Command = 'view';

/** What the mouse's buttons ask for, as bits of `MouseEvent.buttons`. */
const LEFT_BUTTON = 1;
const RIGHT_BUTTON = 2;
const MIDDLE_BUTTON = 4;

/** Of the picture's half width or height a second. */
const POINTER_SPEED = 0.9;
const REACH_SPEED_M_S = 0.35;
const WHEEL_STEP_M = 0.04;
const REACH_DEFAULT_M = 0.54;
const REACH_NEAREST_M = 0.24;
const REACH_FURTHEST_M = 1;
const MOUSE_RAD_PX = 0.0042;
const TOUCH_RAD_PX = 0.0065;

export class DesktopIntent {
  /** The hand that mouse, buttons and P use. */
  hand: Hand = RIGHT_HAND;
  /** The hand that follows the pointer; another one that reaches stays where it is. */
  driving: Hand = RIGHT_HAND;
  readonly tasks: HandTask[] = [REST, REST];
  readonly pinching: boolean[] = [false, false];
  /** Where the pointer is in the picture: −1…1 from left to right and from the bottom to the top. */
  pointerX = 0.12;
  pointerY = -0.12;
  /** How far from the shoulder to reach, metres; the arm's length is the limit there is besides. */
  reachM = REACH_DEFAULT_M;
  /** Walking, −1…1 each, of length 1 at the most; turning and looking up, −1…1. */
  forward = 0;
  aside = 0;
  turn = 0;
  tilt = 0;
  fast = false;
  crouch = false;
  /** By dragging, since somebody last took it: radians to the left and up. */
  lookYaw = 0;
  lookPitch = 0;

  private readonly held = new Set<KeyAction>();
  private readonly reach = [new Latch(), new Latch()] as const;
  private readonly point = new Latch();
  private readonly crouching = new Latch();
  private buttons = 0;
  private looking = false;
  private toldHand: Hand = RIGHT_HAND;
  private pinchPressed = false;
  private stickX = 0;
  private stickY = 0;
  private stickFast = false;
  private readonly changed: (() => void)[] = [];
  private readonly commanded: ((command: Command) => void)[] = [];

  /** Tells from now on that tasks, pinching, crouching or the hand in use are others. */
  onChange(listener: () => void): void {
    this.changed.push(listener);
  }

  /** Tells from now on what is to be done once. */
  onCommand(listener: (command: Command) => void): void {
    this.commanded.push(listener);
  }

  /** A key goes down; says whether it means anything. */
  press(code: string, nowMs: number): boolean {
    const action = KEY_ACTIONS.get(code);
    if (action === undefined) return false;
    if (this.held.has(action)) return true;
    this.held.add(action);
    this.once(action, nowMs);
    this.settle();
    return true;
  }

  release(code: string, nowMs: number): void {
    const action = KEY_ACTIONS.get(code);
    if (action === undefined || !this.held.delete(action)) return;
    if (action === 'reachLeft') this.reach[LEFT_HAND].release(nowMs);
    if (action === 'reachRight') this.reach[RIGHT_HAND].release(nowMs);
    if (action === 'point') this.point.release(nowMs);
    if (action === 'crouch') this.crouching.release(nowMs);
    this.settle();
  }

  /** Nobody can see any more when a key comes up: as if all were let go. What is kept on stays. */
  releaseAll(): void {
    this.held.clear();
    for (const latch of [...this.reach, this.point, this.crouching]) latch.drop();
    this.buttons = 0;
    this.looking = false;
    this.pinchPressed = false;
    this.stick(0, 0);
    this.settle();
  }

  /** Both hands go back to the body. */
  rest(): void {
    for (const latch of [...this.reach, this.point]) latch.end();
    this.pinchPressed = false;
    this.settle();
  }

  /** The mouse's buttons are these now, as `MouseEvent.buttons` says. */
  pressButtons(buttons: number): void {
    const pressed = buttons & ~this.buttons;
    this.buttons = buttons;
    if (pressed & (RIGHT_BUTTON | MIDDLE_BUTTON)) this.driving = this.hand;
    this.settle();
    if (pressed & LEFT_BUTTON) this.looking = this.tasks[this.driving] !== REACH;
    if (!(buttons & LEFT_BUTTON)) this.looking = false;
    this.settle();
  }

  /** The pointer is here, −1…1; and by so many CSS pixels it was moved. */
  move(x: number, y: number, byX: number, byY: number): void {
    this.pointerX = clamp(x, -1, 1);
    this.pointerY = clamp(y, -1, 1);
    if (this.looking) this.look(byX, byY, MOUSE_RAD_PX);
  }

  /** A finger drags over the picture: it leads the hand that does something, or turns the head. */
  drag(x: number, y: number, byX: number, byY: number): void {
    if (this.tasks[this.driving] !== REST) this.move(x, y, 0, 0);
    else this.look(byX, byY, TOUCH_RAD_PX);
  }

  /** A second finger drags: it always turns the head, while the first one leads a hand. */
  dragBeside(byX: number, byY: number): void {
    if (this.tasks[this.driving] !== REST) this.look(byX, byY, TOUCH_RAD_PX);
  }

  /** The wheel turns by so many notches, away from the person being positive. False: no use for it. */
  wheel(notches: number): boolean {
    if (this.tasks[this.driving] !== REACH) return false;
    this.stretch(WHEEL_STEP_M * notches);
    return true;
  }

  /** The thumb's stick: −1…1 to the right and forward. */
  stick(x: number, y: number, fast = false): void {
    this.stickX = Number.isFinite(x) ? clamp(x, -1, 1) : 0;
    this.stickY = Number.isFinite(y) ? clamp(y, -1, 1) : 0;
    this.stickFast = fast;
  }

  toggleReach(): void {
    this.driving = this.hand;
    this.point.end();
    this.reach[this.hand].toggle();
    this.settle();
  }

  togglePoint(): void {
    this.driving = this.hand;
    this.reach[this.hand].end();
    this.point.toggle();
    this.settle();
  }

  toggleCrouch(): void {
    this.crouching.toggle();
    this.settle();
  }

  pinch(pressed: boolean): void {
    this.pinchPressed = pressed;
    this.settle();
  }

  /** The other hand takes over what this one was doing. */
  switchHand(): void {
    const other = this.hand === LEFT_HAND ? RIGHT_HAND : LEFT_HAND;
    const reaching = this.reach[this.hand].on;
    this.reach[this.hand].end();
    if (reaching && !this.reach[other].on) this.reach[other].toggle();
    this.hand = other;
    this.driving = other;
    this.settle();
  }

  /** Reads the keys that are held; once a frame. */
  update(passedS: number): void {
    const busy = this.tasks[this.driving] !== REST;
    const up = this.axis('arrowUp', 'arrowDown');
    const right = this.axis('arrowRight', 'arrowLeft');
    if (busy && (up !== 0 || right !== 0)) {
      this.pointerX = clamp(this.pointerX + POINTER_SPEED * passedS * right, -1, 1);
      this.pointerY = clamp(this.pointerY + POINTER_SPEED * passedS * up, -1, 1);
    }
    if (busy) this.stretch(REACH_SPEED_M_S * passedS * this.axis('further', 'nearer'));
    const forward = this.axis('forward', 'back') + (busy ? 0 : up) + this.stickY;
    const aside = this.axis('right', 'left') + this.stickX;
    const shrink = 1 / Math.max(1, Math.sqrt(forward * forward + aside * aside)); // Math.hypot allocates
    this.forward = shrink * forward;
    this.aside = shrink * aside;
    this.turn = clamp(this.axis('turnLeft', 'turnRight') - (busy ? 0 : right), -1, 1);
    this.tilt = this.axis('lookUp', 'lookDown');
    this.fast = this.held.has('fast') || this.stickFast;
  }

  private once(action: KeyAction, nowMs: number): void {
    switch (action) {
      case 'reachLeft':
      case 'reachRight':
        this.driving = action === 'reachLeft' ? LEFT_HAND : RIGHT_HAND;
        if (this.hand === this.driving) this.point.end();
        this.reach[this.driving].press(nowMs);
        break;
      case 'point':
        this.driving = this.hand;
        this.reach[this.hand].end();
        this.point.press(nowMs);
        break;
      case 'crouch':
        this.crouching.press(nowMs);
        break;
      case 'hand':
        this.switchHand();
        break;
      case 'rest':
        this.rest();
        break;
      case 'view':
        for (const listener of this.commanded) listener('view');
        break;
    }
  }

  private look(byX: number, byY: number, radiansPerPixel: number): void {
    this.lookYaw -= radiansPerPixel * byX;
    this.lookPitch -= radiansPerPixel * byY;
  }

  private stretch(byM: number): void {
    this.reachM = clamp(this.reachM + byM, REACH_NEAREST_M, REACH_FURTHEST_M);
  }

  private axis(up: KeyAction, down: KeyAction): number {
    return (this.held.has(up) ? 1 : 0) - (this.held.has(down) ? 1 : 0);
  }

  /** Works out what the hands do from everything that is pressed, and tells of a difference. */
  private settle(): void {
    const crouch = this.crouching.on;
    let changed = crouch !== this.crouch;
    this.crouch = crouch;
    for (const side of [LEFT_HAND, RIGHT_HAND] as const) {
      const task = this.taskOf(side);
      changed = changed || task !== this.tasks[side];
      this.tasks[side] = task;
    }
    if (this.tasks[this.driving] === REST) this.driving = this.busyHand();
    const click = (this.buttons & LEFT_BUTTON) !== 0 && !this.looking;
    const pinch = click || this.pinchPressed || this.held.has('pinch');
    for (const side of [LEFT_HAND, RIGHT_HAND] as const) {
      const pinches = pinch && side === this.driving && this.tasks[side] === REACH;
      changed = changed || pinches !== this.pinching[side];
      this.pinching[side] = pinches;
    }
    changed = changed || this.hand !== this.toldHand;
    this.toldHand = this.hand;
    if (changed) for (const listener of this.changed) listener();
  }

  private taskOf(side: Hand): HandTask {
    const byMouse = side === this.hand ? this.buttons : 0;
    if ((side === this.hand && this.point.on) || byMouse & MIDDLE_BUTTON) return POINT;
    return this.reach[side].on || byMouse & RIGHT_BUTTON ? REACH : REST;
  }

  private busyHand(): Hand {
    const other = this.hand === LEFT_HAND ? RIGHT_HAND : LEFT_HAND;
    return this.tasks[this.hand] === REST && this.tasks[other] !== REST ? other : this.hand;
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
