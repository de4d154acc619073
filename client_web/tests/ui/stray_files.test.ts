import { expect, it } from 'vitest';
import { ignoreStrayFiles } from '../../src/ui/stray_files';

/** What becomes of a drag over the page: whether the browser's own way is prevented. */
function drag(kind: 'dragover' | 'drop', type: string, taken: boolean): { prevented: boolean; effect: string } {
  const page = new EventTarget();
  ignoreStrayFiles(page as Window);
  const event = new Event(kind, { cancelable: true });
  const dataTransfer = { types: [type], dropEffect: 'copy' };
  Object.assign(event, { dataTransfer });
  if (taken) event.preventDefault();
  page.dispatchEvent(event);
  return { prevented: event.defaultPrevented, effect: dataTransfer.dropEffect };
}

it.each(['dragover', 'drop'] as const)('a %s of a file takes nobody away from the page', (kind) => {
  expect(drag(kind, 'Files', false)).toEqual({ prevented: true, effect: 'none' });
});

it('leaves text, and files that were taken, alone', () => {
  expect(drag('drop', 'text/plain', false)).toEqual({ prevented: false, effect: 'copy' });
  expect(drag('dragover', 'Files', true)).toEqual({ prevented: true, effect: 'copy' });
});
