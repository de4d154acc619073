/** Owns where a page gets avatars' files from: its own server, by HTTP. */

import type { AvatarFiles } from './wardrobe';

const SHIPPED = '/avatars/';

async function answer(address: string, headers: HeadersInit): Promise<Response> {
  const response = await fetch(address, { headers });
  if (response.ok) return response;
  throw new Error((await reason(response)) ?? `The server answers ${response.status}.`);
}

/** Why the server refuses, in its own words, if it says so. */
async function reason(response: Response): Promise<string | undefined> {
  try {
    const { detail } = (await response.json()) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}

async function bytesOf(address: string, headers: HeadersInit = {}): Promise<Uint8Array> {
  return new Uint8Array(await (await answer(address, headers)).arrayBuffer());
}

/** The files of a session; `headers` say who asks, where the server wants to know. */
export function sessionFiles(session: string, headers: () => HeadersInit = () => ({})): AvatarFiles {
  const own = `/api/sessions/${encodeURIComponent(session)}/avatars/`;
  return {
    list: async () => (await answer(`${SHIPPED}avatars.json`, {})).json() as Promise<unknown>,
    shipped: (file) => bytesOf(SHIPPED + encodeURIComponent(file)),
    own: (hash) => bytesOf(`${own}${hash}.vrm`, headers()),
  };
}
