/** Owns the start page: which session to go to. */

import { readEntry } from '../net/link';
import { runWelcomeScene } from '../scene/welcome_scene';
import { Stage } from '../scene/stage';
import { brand, element, write } from './dom';
import { goTo } from './notice';
import { remember, remembered } from './remembered';

const WRONG_SESSION =
  'A session’s name has letters, digits, - and _ only. Or paste the whole link you were given.';

export function showStartPage(app: HTMLElement): void {
  document.title = 'Armspan';
  const canvas = element('canvas', '', { 'aria-hidden': 'true' });
  const page = element('main', 'start', {}, element('div', 'stage', {}, canvas), side());
  app.replaceChildren(page);
  try {
    runWelcomeScene(new Stage(canvas));
  } catch {
    canvas.remove(); // no WebGL: the form works without the figures, and the session page explains
  }
}

function side(): HTMLElement {
  const words = element(
    'div',
    'start-words',
    {},
    element('h1', '', {}, 'Be there with your arms, too.'),
    element(
      'p',
      'start-lead',
      {},
      'Meet as whole bodies, live: with a headset, or with mouse and keys. Nothing to install.',
    ),
  );
  return element('div', 'start-side', {}, brand(), words, form());
}

function form(): HTMLFormElement {
  const session = field('session', 'demo or a link', remembered('session'));
  const error = element('p', 'start-error', { id: 'session-error', role: 'alert', hidden: true });
  session.setAttribute('aria-describedby', 'session-error');
  const result = element(
    'form',
    'start-form',
    { novalidate: true },
    element('label', '', {}, 'Session', session),
    error,
    element('button', 'button', { type: 'submit' }, 'Go to the session'),
    element(
      'p',
      'start-note',
      {},
      'You see who is there before you join. A session begins with whoever comes first.',
    ),
  );
  session.addEventListener('input', () => {
    error.hidden = true;
    session.removeAttribute('aria-invalid');
  });
  result.addEventListener('submit', (event) => {
    event.preventDefault();
    const link = readEntry(session.value);
    if (link === undefined) {
      write(error, WRONG_SESSION);
      error.hidden = false;
      session.setAttribute('aria-invalid', 'true');
      session.focus();
      return;
    }
    if ((link.origin ?? location.origin) === location.origin) remember('session', link.session);
    goTo(link);
  });
  return result;
}

function field(name: string, placeholder: string, value: string): HTMLInputElement {
  const result = element('input', 'field', {
    type: 'text',
    name,
    placeholder,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  result.value = value;
  return result;
}
