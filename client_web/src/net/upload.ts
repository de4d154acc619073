/** Owns the way of a person's own avatar to the server, where it gets a name made of its hash. */

import { CAPS } from '../protocol/generated';

const OWN = /^vrm:[0-9a-f]{64}$/;
const MIME = 'model/gltf-binary';

function folderOf(session: string): string {
  return `/api/sessions/${encodeURIComponent(session)}/avatars`;
}

/** Whether the server still has somebody's own avatar: a restarted one has none. */
export async function hasAvatar(session: string, avatar: string): Promise<boolean> {
  const address = `${folderOf(session)}/${avatar.replace('vrm:', '')}.vrm`;
  return (await fetch(address, { method: 'HEAD' })).status !== 404;
}

/** Why a file could not be sent; the message is for people. */
export class UploadError extends Error {}

/** Sends a VRM to a session and returns the avatar's name there, `vrm:HASH`. Raises UploadError. */
export function uploadAvatar(
  session: string,
  token: Uint8Array | undefined,
  file: Blob,
  onProgress: (share: number) => void,
): Promise<string> {
  if (token === undefined) {
    return Promise.reject(new UploadError('Join first: only people in the session can send an avatar.'));
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch tells nothing of an upload's progress
    const fail = (text: string) => reject(new UploadError(text));
    request.open('POST', folderOf(session));
    request.responseType = 'json';
    request.setRequestHeader('Authorization', `Bearer ${hex(token)}`);
    request.setRequestHeader('Content-Type', MIME);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => fail('The file could not be sent: the server can’t be reached.');
    request.onload = () => {
      const avatar = textOf(request.response, 'avatar');
      if (request.status < 300 && avatar !== undefined && OWN.test(avatar)) resolve(avatar);
      else fail(textOf(request.response, 'detail') ?? `The server did not take the file (${request.status}).`);
    };
    request.send(file);
  });
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function textOf(answer: unknown, key: string): string | undefined {
  if (typeof answer !== 'object' || answer === null || !(key in answer)) return undefined;
  const value: unknown = (answer as Record<string, unknown>)[key];
  return typeof value === 'string' ? value.slice(0, CAPS.ERROR_TEXT_BYTES) : undefined;
}
