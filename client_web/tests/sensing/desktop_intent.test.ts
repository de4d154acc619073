import { describe, expect, it } from 'vitest';
import { DESKTOP_CONTROLS, KEY_ACTIONS, TOUCH_CONTROLS } from '../../src/sensing/desktop_controls';
import { DesktopIntent, LEFT_HAND, POINT, REACH, REST, RIGHT_HAND } from '../../src/sensing/desktop_intent';

function tap(intent: DesktopIntent, code: string, nowMs: number, heldMs = 80): void {
  intent.press(code, nowMs);
  intent.release(code, nowMs + heldMs);
}

describe('what keys and buttons mean', () => {
  it('a key that is held works while it is held, a short press keeps it on until the next', () => {
    const intent = new DesktopIntent();
    intent.press('KeyR', 0);
    expect(intent.tasks[RIGHT_HAND]).toBe(REACH);
    intent.release('KeyR', 900);
    expect(intent.tasks[RIGHT_HAND]).toBe(REST);
    tap(intent, 'KeyR', 2000);
    expect(intent.tasks[RIGHT_HAND]).toBe(REACH);
    intent.press('KeyR', 5000);
    expect(intent.tasks[RIGHT_HAND]).toBe(REST);
    intent.release('KeyR', 5050);
    expect(intent.tasks[RIGHT_HAND]).toBe(REST);
  });

  it('the right button reaches, the middle one points, with the hand in use', () => {
    const intent = new DesktopIntent();
    intent.pressButtons(2);
    expect(intent.tasks).toEqual([REST, REACH]);
    intent.pressButtons(0);
    tap(intent, 'KeyH', 0);
    intent.pressButtons(4);
    expect(intent.tasks).toEqual([POINT, REST]);
    expect(intent.driving).toBe(LEFT_HAND);
    intent.pressButtons(0);
    expect(intent.tasks).toEqual([REST, REST]);
  });

  it('diagonals are no faster, and a stick and keys together neither', () => {
    const intent = new DesktopIntent();
    intent.press('KeyW', 0);
    intent.press('KeyA', 0);
    intent.stick(1, 1);
    intent.update(0.016);
    expect(Math.hypot(intent.forward, intent.aside)).toBeLessThanOrEqual(1 + 1e-12);
    intent.press('KeyS', 0);
    intent.press('KeyD', 0);
    intent.stick(0, 0);
    intent.update(0.016);
    expect([intent.forward, intent.aside]).toEqual([0, 0]);
  });

  it('a thumb walks as fast as it leans, and fast when it goes far out', () => {
    const intent = new DesktopIntent();
    intent.stick(0.3, 0.4);
    intent.update(0.016);
    expect([intent.aside, intent.forward, intent.fast]).toEqual([0.3, 0.4, false]);
    intent.stick(0, 1, true);
    intent.update(0.016);
    expect(intent.fast).toBe(true);
    intent.stick(Number.NaN, 7);
    intent.update(0.016);
    expect([intent.aside, intent.forward]).toEqual([0, 1]);
  });

  it('with the arrows alone one walks and turns; while a hand is out they move the pointer', () => {
    const intent = new DesktopIntent();
    intent.press('ArrowUp', 0);
    intent.press('ArrowLeft', 0);
    intent.update(0.1);
    expect([intent.forward, intent.turn]).toEqual([1, 1]);
    intent.togglePoint();
    const [x, y] = [intent.pointerX, intent.pointerY];
    intent.update(0.1);
    expect([intent.forward, intent.turn]).toEqual([0, 0]);
    expect(intent.pointerX).toBeLessThan(x);
    expect(intent.pointerY).toBeGreaterThan(y);
    for (let frame = 0; frame < 100; frame += 1) intent.update(0.1);
    expect([intent.pointerX, intent.pointerY]).toEqual([-1, 1]);
  });

  it('plus and minus and the wheel change how far to reach, and only while reaching', () => {
    const intent = new DesktopIntent();
    const usual = intent.reachM;
    expect(intent.wheel(1)).toBe(false);
    expect(intent.reachM).toBe(usual);
    intent.toggleReach();
    expect(intent.wheel(1)).toBe(true);
    expect(intent.reachM).toBeGreaterThan(usual);
    intent.press('Minus', 0);
    for (let frame = 0; frame < 500; frame += 1) intent.update(0.05);
    expect(intent.reachM).toBeGreaterThan(0.2);
  });

  it('dragging looks around; a click while reaching pinches instead', () => {
    const intent = new DesktopIntent();
    intent.pressButtons(1);
    intent.move(0.1, 0.1, 50, -20);
    expect(intent.lookYaw).toBeLessThan(0); // drag to the right: look to the right
    expect(intent.lookPitch).toBeGreaterThan(0);
    intent.pressButtons(0);
    intent.lookYaw = 0;
    intent.move(0.2, 0.1, 50, 0);
    expect(intent.lookYaw).toBe(0);
    intent.toggleReach();
    intent.pressButtons(1);
    intent.move(0.3, 0.1, 50, 0);
    expect(intent.lookYaw).toBe(0);
    expect(intent.pinching).toEqual([false, true]);
    intent.pressButtons(0);
    intent.press('Space', 0);
    expect(intent.pinching).toEqual([false, true]);
  });

  it('a finger leads the hand that is out, and looks around otherwise', () => {
    const intent = new DesktopIntent();
    intent.drag(0.5, 0.5, 30, 0);
    expect(intent.lookYaw).not.toBe(0);
    intent.lookYaw = 0;
    intent.toggleReach();
    intent.drag(-0.4, 0.3, 30, 0);
    expect([intent.pointerX, intent.pointerY]).toEqual([-0.4, 0.3]);
    expect(intent.lookYaw).toBe(0);
    intent.dragBeside(30, 0); // a second finger looks around meanwhile
    expect(intent.lookYaw).toBeLessThan(0);
    expect([intent.pointerX, intent.pointerY]).toEqual([-0.4, 0.3]);
  });

  it('whoever looks elsewhere stands still, but keeps what was kept on', () => {
    const intent = new DesktopIntent();
    tap(intent, 'KeyR', 0);
    for (const code of ['KeyW', 'ShiftLeft', 'KeyC', 'Space', 'KeyE']) intent.press(code, 1000);
    intent.pressButtons(1);
    intent.stick(1, 0);
    intent.releaseAll();
    intent.update(0.016);
    expect([intent.forward, intent.aside, intent.turn, intent.fast, intent.crouch]).toEqual([0, 0, 0, false, false]);
    expect(intent.pinching).toEqual([false, false]);
    expect(intent.tasks).toEqual([REST, REACH]);
    tap(intent, 'Escape', 3000);
    expect(intent.tasks).toEqual([REST, REST]);
  });

  it('reaching and pointing follow each other: the last that was asked for', () => {
    const intent = new DesktopIntent();
    tap(intent, 'KeyR', 0);
    tap(intent, 'KeyP', 1000);
    expect(intent.tasks).toEqual([REST, POINT]);
    tap(intent, 'KeyR', 2000);
    expect(intent.tasks).toEqual([REST, REACH]);
    tap(intent, 'KeyF', 3000);
    expect(intent.tasks).toEqual([REACH, REACH]);
    expect(intent.driving).toBe(LEFT_HAND);
    intent.togglePoint();
    expect(intent.tasks).toEqual([REACH, POINT]);
    intent.rest();
    intent.toggleReach();
    intent.switchHand();
    expect(intent.tasks).toEqual([REACH, REST]);
  });

  it('tells of changes once, and of commands', () => {
    const intent = new DesktopIntent();
    const told: string[] = [];
    intent.onChange(() => told.push('change'));
    intent.onCommand((command) => told.push(command));
    intent.press('KeyV', 0);
    intent.press('KeyV', 10); // the keyboard repeats
    intent.press('KeyR', 20);
    intent.press('KeyR', 40);
    intent.press('KeyW', 50);
    expect(told).toEqual(['view', 'change']);
    intent.press('KeyH', 60);
    expect(told).toEqual(['view', 'change', 'change']);
    expect(intent.press('F5', 60)).toBe(false);
  });
});

describe('the table of controls', () => {
  it('names every key that does something', () => {
    const shown = DESKTOP_CONTROLS.flatMap((group) => group.controls)
      .flatMap(({ ways, does }) => [...ways, ...does.replace(/[;:,]/g, '').split(' ')])
      .flatMap((words) => [words, ...words.split(' ')]);
    const names: Record<string, string> = {
      PageUp: 'Page Up', PageDown: 'Page Down', Space: 'Space', Escape: 'Esc', Equal: '+', Minus: '−',
      NumpadAdd: '+', NumpadSubtract: '−', ShiftLeft: 'Shift', ShiftRight: 'Shift',
      ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→',
    };
    for (const code of KEY_ACTIONS.keys()) {
      const name = names[code] ?? code.replace('Key', '');
      expect(shown, code).toContain(name);
    }
    expect(TOUCH_CONTROLS.length).toBeGreaterThan(0);
  });
});
