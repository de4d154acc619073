/** Owns copying text, also where browsers offer no clipboard: on pages without HTTPS. */

import { element } from './dom';

export async function copyText(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, beside);
  }
}

/** The old way. The field lies `beside` the button: in a modal dialog nothing outside can be selected. */
function copyBySelection(text: string, beside: HTMLElement): boolean {
  const field = element('textarea', 'off-screen', { 'aria-hidden': 'true', readonly: true });
  field.value = text;
  beside.after(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  beside.focus();
  return done;
}
