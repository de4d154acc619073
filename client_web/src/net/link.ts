/** Owns what an address says: which session, with which key, and where its socket is. */

export const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const SESSION_PATH = /^\/s\/([^/]*)\/?$/;

export interface SessionLink {
  readonly session: string;
  /** Never shown, stored or sent anywhere but in hello. */
  readonly key: string | undefined;
}

/** The session that a page's address names; undefined on the start page. */
export function sessionOf(address: { pathname: string; hash: string }): SessionLink | undefined {
  const named = SESSION_PATH.exec(address.pathname)?.[1];
  if (named === undefined) return undefined;
  const key = new URLSearchParams(address.hash.replace(/^#/, '')).get('key');
  return { session: decoded(named), key: key === null || key === '' ? undefined : key };
}

/** The address of the session's socket, on the page's own server. */
export function socketAddress(
  page: { protocol: string; host: string },
  session: string,
): string {
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${page.host}/ws/${encodeURIComponent(session)}`;
}

/** Where a session's page is, relative to the server. */
export function sessionPath({ session, key }: SessionLink): string {
  const path = `/s/${encodeURIComponent(session)}`;
  return key === undefined ? path : `${path}#${new URLSearchParams({ key }).toString()}`;
}

/** Reads what someone typed or pasted: a session's name, or a whole link. */
export function readEntry(text: string): SessionLink | undefined {
  const entry = text.trim();
  if (SESSION_NAME.test(entry)) return { session: entry, key: undefined };
  try {
    const link = sessionOf(new URL(entry));
    return link !== undefined && SESSION_NAME.test(link.session) ? link : undefined;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
