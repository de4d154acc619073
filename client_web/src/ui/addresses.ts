/** Owns what a session's address is good for, elsewhere than here: words for whoever shares it. */

export interface AddressAdvice {
  readonly words: string;
  /** A command to type, if there is one. */
  readonly command?: string;
}

/**
 * What to say of a link before someone carries it to a headset or to another machine; undefined if
 * it works everywhere it reaches.
 */
export function adviceFor(page: {
  protocol: string;
  hostname: string;
  port: string;
}): AddressAdvice | undefined {
  const port = page.port || (page.protocol === 'https:' ? '443' : '80');
  if (isThisMachine(page.hostname)) {
    return {
      words:
        'A headset on a USB cable reaches this address after the command below. For other devices open the ' +
        'address that the server printed for them; a server started with --host 0.0.0.0 --https prints one.',
      command: `adb reverse tcp:${port} tcp:${port}`,
    };
  }
  if (page.protocol !== 'https:') {
    return {
      words:
        'This address is not encrypted: whoever opens it can watch and take part with mouse and keys, but ' +
        'browsers give it neither microphone nor headset. Use the https:// address that the server printed.',
    };
  }
  return undefined;
}

/** Whether a host's name always means the machine that asks. */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const named = name === 'localhost' || name.endsWith('.localhost');
  return named || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}
