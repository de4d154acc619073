/** Owns what is wrong with a name that someone types, in words. */

import { CAPS, cleanName } from '../protocol/generated';

const _utf8 = new TextEncoder();

/**
 * What is wrong with a typed name; undefined if nothing is. An empty one is right: such a person
 * is called Guest.
 */
export function nameFault(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  if (_utf8.encode(text).length > CAPS.NAME_BYTES) {
    return `That name is too long: it may take ${CAPS.NAME_BYTES} bytes, which is as many plain letters.`;
  }
  if (cleanName(text) === '') return 'That name has nothing one can see.';
  if (cleanName(text) !== text) return 'That name has characters that can’t be shown.';
  return undefined;
}
