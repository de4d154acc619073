/**
 * Owns how a person wants to be in a session, and what of it the browser remembers. Never a key
 * and never a token: those are not part of it.
 */

import { eyeHeightOf, LEAST_STATURE_M, MOST_STATURE_M } from '../body/stature';
import { cleanName } from '../protocol/generated';
import { remember, remembered } from './remembered';

/** The capsule figure, which needs no file. */
export const FIGURE = 'figure';
const SHIPPED = /^[a-z][a-z0-9-]{0,31}$/;
const OWN = /^vrm:[0-9a-f]{64}$/;
const COLOUR = /^#[0-9a-f]{6}$/;
const ANONYMOUS = 'Guest';

export interface Choice {
  /** As the protocol allows it, and never empty. */
  readonly name: string;
  /** A shipped avatar's name, or `vrm:` and the hash of an uploaded one. */
  readonly avatar: string;
  /** A VRM of one's own that is still to be sent; `avatar` stands in for it until then. */
  readonly file: File | undefined;
  /** 0xRRGGBB; null leaves it to the page, which gives everybody another one. */
  readonly colour: number | null;
  /** Eyes above the floor, metres; undefined for an average person. */
  readonly eyeHeightM: number | undefined;
  /** Whether to come with the microphone on. */
  readonly voice: boolean;
  /** Whether to come in the headset. */
  readonly vr: boolean;
}

/** The part of a choice that others see. */
export type Appearing = Pick<Choice, 'name' | 'avatar' | 'colour'>;

/** What the card starts with. */
export interface Draft {
  readonly name: string;
  readonly avatar: string;
  readonly colour: number | null;
  /** As typed, centimetres; empty if not said. */
  readonly height: string;
  readonly voice: boolean;
}

export function rememberedDraft(): Draft {
  const avatar = remembered('avatar');
  const colour = remembered('colour');
  const height = remembered('height');
  return {
    name: cleanName(remembered('name')),
    avatar: isAvatar(avatar) && !isOwn(avatar) ? avatar : '',
    colour: COLOUR.test(colour) ? fromHex(colour) : null,
    height: statureM(height) === undefined ? '' : height,
    voice: remembered('voice') === 'on',
  };
}

export function rememberDraft(draft: Draft): void {
  remember('name', draft.name);
  remember('avatar', isOwn(draft.avatar) ? '' : draft.avatar); // servers keep own ones for a session only
  remember('colour', draft.colour === null ? '' : toHex(draft.colour));
  remember('height', draft.height);
  remember('voice', draft.voice ? 'on' : 'off');
}

/** The choice that a draft stands for. */
export function choiceOf(draft: Draft, vr: boolean, file?: File): Choice {
  const stature = statureM(draft.height);
  return {
    name: cleanName(draft.name) || ANONYMOUS,
    avatar: draft.avatar || FIGURE,
    file,
    colour: draft.colour,
    eyeHeightM: stature === undefined ? undefined : eyeHeightOf(stature),
    voice: draft.voice,
    vr,
  };
}

/** A height in metres of what was typed in centimetres; undefined if it is not one. */
export function statureM(typed: string): number | undefined {
  const centimetres = Number(typed.trim().replace(',', '.'));
  const metres = centimetres / 100;
  return metres >= LEAST_STATURE_M && metres <= MOST_STATURE_M ? metres : undefined;
}

export function isAvatar(text: string): boolean {
  return SHIPPED.test(text) || OWN.test(text);
}

export function isOwn(avatar: string): boolean {
  return OWN.test(avatar);
}

export function toHex(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}

export function fromHex(text: string): number {
  return Number.parseInt(text.slice(1), 16);
}
