/** Owns what a closed connection means to a person: a plain sentence, and what happens next. */

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

/** By close code; the names are in the protocol's list of close codes. */
const BY_CODE: ReadonlyMap<number, Closing> = new Map([
  [1000, final('You left the session.', 'again')],
  [1001, passing('The server is going away.')],
  [1012, passing('The server is restarting.')],
  [4400, MISUNDERSTOOD],
  [
    4401,
    final(
      'This session needs its key. Open the whole link you were given, with everything after the #.',
      'link',
    ),
  ],
  [
    4402,
    final(
      'This page and the server speak different versions. Reload to get the server’s own page.',
      'reload',
    ),
  ],
  [4403, MISUNDERSTOOD],
  [4404, final('There can’t be a session of that name. Check the link.', 'home')],
  [4408, passing('The server waited too long to hear from this page.')],
  [4409, MISUNDERSTOOD],
  [4410, final('You opened this session somewhere else, and it goes on there.', 'again')],
  [4413, MISUNDERSTOOD],
  [4415, MISUNDERSTOOD],
  [4416, MISUNDERSTOOD],
  [4422, MISUNDERSTOOD],
  [4429, final('This page sent more than the server takes.', 'again')],
  [4430, passing('This connection was too slow for the session.')],
  [4431, passing('The server had not heard from this page for too long.')],
  [4503, final('The session is full. Someone has to leave first.', 'again')],
  [4504, final('The server is full: it holds as many sessions as it may.', 'again')],
]);

/** What a close code means; an unknown one of an application ends with the server's own words. */
export function closing(code: number, reason: string): Closing {
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (code >= 4000) return final(reason || `The server closed the connection (${code}).`, 'again');
  return passing(reason === '' ? LOST.sentence : `The server closed the connection: ${reason}`);
}
