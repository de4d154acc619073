/** Owns how a person's own VRM is refused: for what, with which words, and the most of everything that is taken. */

import { GlbError, isList, type Json } from './glb';

/** What is wrong, in the order in which it is asked. */
export const AVATAR_FAULTS = [
  'too-large',
  'not-glb',
  'not-vrm',
  'outside',
  'bones',
  'too-much',
  'images',
  'accessors',
] as const;
export type AvatarFault = (typeof AVATAR_FAULTS)[number];

export interface Fault {
  readonly fault: AvatarFault;
  /** For the person who brought the file. */
  readonly words: string;
}

export const AVATAR_CAPS = {
  BYTES: 20_000_000,
  NODES: 2_048,
  MESHES: 256,
  PRIMITIVES: 512,
  MATERIALS: 128,
  VERTICES: 200_000,
  INDICES: 900_000,
  TEXTURES: 64,
  IMAGES: 64,
  IMAGE_BYTES: 12_000_000,
  IMAGE_PIXELS: 4_096,
  /** Of all images together, decoded. */
  PIXELS: 64_000_000,
  ACCESSORS: 8_192,
  SKINS: 128,
  MORPH_TARGETS: 512,
  /** Of all morph targets together: one accessor may be every target's. */
  MORPHED_VERTICES: 8_000_000,
  /** Of all accessors together. */
  ENTRIES: 20_000_000,
} as const;

export class Refusal extends Error {
  constructor(
    readonly fault: AvatarFault,
    message: string,
  ) {
    super(message);
  }
}

export function refuse(fault: AvatarFault, words: string): never {
  throw new Refusal(fault, words);
}

export function cap(count: number, limit: number, what: string): void {
  if (count > limit) refuse('too-much', `The avatar has ${count} ${what}; at most ${limit} can be shown.`);
}

/** A list of the file's JSON; empty where there is none. */
export function listOf(value: Json | undefined, what: string): readonly Json[] {
  if (value === undefined) return [];
  if (!isList(value)) throw new GlbError(`${what} are no list`);
  return value;
}
