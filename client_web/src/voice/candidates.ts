/**
 * Owns ICE candidates as they travel: several in one signal, as a JSON array, within bounds. What
 * arrives is read as a stranger's: anything that is no candidate is left out.
 */

import { CAPS } from '../protocol/generated';

/** More of one person's paths than this are not worth trying. */
export const MOST_CANDIDATES = 64;
const MOST_IN_A_SIGNAL = 24;
const CANDIDATE_CHARACTERS = 512;
const MID_CHARACTERS = 16;
const FRAGMENT_CHARACTERS = 256;

/** As RTCIceCandidateInit, with only what is checked. */
export interface Candidate {
  readonly candidate: string;
  readonly sdpMid: string | null;
  readonly sdpMLineIndex: number | null;
  readonly usernameFragment: string | null;
}

/** Packs candidates into as few texts as hold them; one that is too long alone is left out. */
export function writeCandidates(candidates: readonly Candidate[]): string[] {
  const texts: string[] = [];
  let items: string[] = [];
  let length = 2;
  for (const each of candidates) {
    const item = JSON.stringify(each);
    if (item.length + 2 > CAPS.SIGNAL_BYTES) continue;
    if (items.length === MOST_IN_A_SIGNAL || length + item.length + 1 > CAPS.SIGNAL_BYTES) {
      texts.push(`[${items.join(',')}]`);
      items = [];
      length = 2;
    }
    items.push(item);
    length += item.length + 1;
  }
  if (items.length > 0) texts.push(`[${items.join(',')}]`);
  return texts;
}

/** Reads what someone sent; empty if it is no array of candidates. */
export function readCandidates(text: string): Candidate[] {
  if (text.length > CAPS.SIGNAL_BYTES) return [];
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(read)) return [];
  return read
    .slice(0, MOST_CANDIDATES)
    .map(readCandidate)
    .filter((each) => each !== undefined);
}

/** What a browser gathered; undefined for the mark at the end, and for what others could not read. */
export function readCandidate(value: unknown): Candidate | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { candidate, sdpMid, sdpMLineIndex, usernameFragment } = value as Record<string, unknown>;
  const mid = optionalText(sdpMid, MID_CHARACTERS);
  const fragment = optionalText(usernameFragment, FRAGMENT_CHARACTERS);
  const line = sdpMLineIndex ?? null;
  const isLine = line === null || line === 0; // there is one line of sound
  if (!isText(candidate, CANDIDATE_CHARACTERS) || !candidate.startsWith('candidate:')) return undefined;
  if (mid === undefined || fragment === undefined || !isLine) return undefined;
  if (mid === null && line === null) return undefined;
  return { candidate, sdpMid: mid, sdpMLineIndex: line, usernameFragment: fragment };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && /^[\x20-\x7e]*$/.test(value);
}

function optionalText(value: unknown, most: number): string | null | undefined {
  if (value === undefined || value === null) return null;
  return isText(value, most) ? value : undefined;
}
