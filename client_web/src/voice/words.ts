/** Owns what went wrong with sound, in words: what happened, and what a person can do. */

export interface Trouble {
  /** What happened, as a whole sentence. */
  readonly sentence: string;
  /** What to do about it; empty if there is nothing. */
  readonly advice: string;
}

export const INSECURE: Trouble = {
  sentence: 'The browser gives no microphone to a page without HTTPS.',
  advice: 'Open this session by its https:// address, or on the server’s own machine as localhost.',
};

export const NO_WEBRTC: Trouble = {
  sentence: 'This browser can’t talk: WebRTC is missing or switched off.',
  advice: 'Use a current Chrome, Edge, Firefox or Safari.',
};

export const UNPLUGGED: Trouble = {
  sentence: 'The microphone was unplugged or switched off.',
  advice: 'Plug it in again, or choose another one.',
};

export const TOO_OLD: Trouble = {
  sentence: 'This server does not pass voices on.',
  advice: 'It is older than this page; ask whoever runs it to update it.',
};

export const TAKEN_AWAY: Trouble = {
  sentence: 'The server has taken you out of the talk.',
  advice: 'Turn voice on again to come back.',
};

const REFUSED: Trouble = {
  sentence: 'The browser refused the microphone.',
  advice: 'Allow it for this page, by the sign beside the address, then try again.',
};

const BY_NAME: ReadonlyMap<string, Trouble> = new Map([
  ['NotAllowedError', REFUSED],
  ['SecurityError', REFUSED],
  [
    'NotFoundError',
    { sentence: 'No microphone was found.', advice: 'Plug one in, or switch it on, then try again.' },
  ],
  [
    'OverconstrainedError',
    { sentence: 'The chosen microphone is gone.', advice: 'Choose another one.' },
  ],
  [
    'NotReadableError',
    {
      sentence: 'The microphone can’t be opened.',
      advice: 'Another program may be using it: close that, then try again.',
    },
  ],
]);

/** Chromium and Firefox say so when the system, not the person, refuses (macOS, Windows). */
const BY_SYSTEM = /system/i;

/** What getUserMedia's error means. */
export function microphoneTrouble(error: unknown): Trouble {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if (name === 'NotAllowedError' && BY_SYSTEM.test(message)) {
    return {
      sentence: 'The operating system keeps the microphone from this browser.',
      advice: 'Allow it in the system’s privacy settings, then try again.',
    };
  }
  const known = BY_NAME.get(name);
  if (known !== undefined) return known;
  return { sentence: `The microphone can’t be used: ${message || name}.`, advice: 'Try again.' };
}
