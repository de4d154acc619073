/** Owns what an address says: which session, with which key, and where its socket is. */

export const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Nothing else leads to a page: a `javascript:` address would run in this one. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);
const SESSION_PATH = /^\/s\/([^/]*)\/?$/;

export interface SessionLink {
  readonly session: string;
  /** Never shown, stored or sent anywhere but in hello. */
  readonly key: string | undefined;
  /** The server, where a whole link named one; otherwise the page's own. */
  readonly origin?: string;
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

/** Where a session's page is: on the link's own server, or relative to the page's. */
export function sessionAddress(link: SessionLink): string {
  return `${link.origin ?? ''}${sessionPath(link)}`;
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
    const url = new URL(entry);
    const link = sessionOf(url);
    if (link === undefined || !SESSION_NAME.test(link.session)) return undefined;
    return SCHEMES.has(url.protocol) ? { ...link, origin: url.origin } : undefined;
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
