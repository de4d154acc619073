/** Owns what a closed connection means to a person: a plain sentence, and what happens next. */

import { CloseCode } from '../protocol/generated';

/** What a person can do about an ended connection. */
export type Remedy = 'again' | 'link' | 'reload' | 'home';

export interface Closing {
  /** What happened, as a whole sentence. */
  readonly sentence: string;
  /** Whether to try again by itself. */
  readonly retry: boolean;
  readonly remedy: Remedy;
}

function passing(sentence: string): Closing {
  return { sentence, retry: true, remedy: 'again' };
}

function final(sentence: string, remedy: Remedy): Closing {
  return { sentence, retry: false, remedy };
}

export const UNREACHABLE = passing('The server can’t be reached.');
export const LOST = passing('The connection to the server was lost.');
export const SILENCE = passing('The server has gone silent.');
export const MISSED = passing('Something got lost on the way.');
export const UNREADABLE = final(
  'The server sent something that this page can’t read. Reload to get the server’s own page.',
  'reload',
);

const MISUNDERSTOOD = final(
  'The server could not make sense of this page. Reload to get the server’s own page.',
  'reload',
);

/** Of a name that breaks the rules; the server says the same of it, with code 4404. */
export const IMPOSSIBLE = final('There can’t be a session of that name. Check the link.', 'home');

/** There is no room for one more who takes part; there may be for who watches. */
export const FULL = final('The session is full. Someone has to leave first.', 'again');

/** WebSocket's own code for a server that stops (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;

const BY_CODE: ReadonlyMap<number, Closing> = new Map<number, Closing>([
  [CloseCode.LEFT, final('You left the session.', 'again')],
  [GOING_AWAY, passing('The server is going away.')],
  [CloseCode.RESTARTING, passing('The server is restarting.')],
  [CloseCode.MALFORMED, MISUNDERSTOOD],
  [
    CloseCode.WRONG_KEY,
    final(
      'This session needs its key. Open the whole link you were given, with everything after the #.',
      'link',
    ),
  ],
  [
    CloseCode.WRONG_VERSION,
    final(
      'This page and the server speak different versions. Reload to get the server’s own page.',
      'reload',
    ),
  ],
  [CloseCode.NOT_ALLOWED, MISUNDERSTOOD],
  [CloseCode.BAD_SESSION, IMPOSSIBLE],
  [CloseCode.HANDSHAKE_TIMEOUT, passing('The server waited too long to hear from this page.')],
  [CloseCode.SECOND_HELLO, MISUNDERSTOOD],
  [CloseCode.REPLACED, final('You opened this session somewhere else, and it goes on there.', 'again')],
  [CloseCode.TOO_LARGE, MISUNDERSTOOD],
  [CloseCode.UNKNOWN_MESSAGE, MISUNDERSTOOD],
  [CloseCode.OUT_OF_RANGE, MISUNDERSTOOD],
  [CloseCode.NOT_FINITE, MISUNDERSTOOD],
  [CloseCode.FLOOD, final('This page sent more than the server takes.', 'again')],
  [CloseCode.TOO_SLOW, passing('This connection was too slow for the session.')],
  [CloseCode.SILENT, passing('The server had not heard from this page for too long.')],
  [CloseCode.SESSION_FULL, FULL],
  [CloseCode.SERVER_FULL, final('The server is full: it holds as many sessions as it may.', 'again')],
]);

/** What a close code means; an unknown one of an application ends with the server's own words. */
export function closing(code: number, reason: string): Closing {
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (code >= 4000) return final(reason || `The server closed the connection (${code}).`, 'again');
  return passing(reason === '' ? LOST.sentence : `The server closed the connection: ${reason}`);
}
