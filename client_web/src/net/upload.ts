/** Owns the way of a person's own avatar to the server, where it gets a name made of its hash. */

import { CAPS } from '../protocol/generated';

const OWN = /^vrm:[0-9a-f]{64}$/;
const MIME = 'model/gltf-binary';

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
    request.open('POST', `/api/sessions/${encodeURIComponent(session)}/avatars`);
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
