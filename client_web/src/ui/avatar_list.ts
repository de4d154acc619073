/** Owns which avatars the server brings along, as its list names them. */

import { FIGURE, isAvatar, isOwn } from './choice';

export interface ShippedAvatar {
  readonly name: string;
  readonly title: string;
}

const LIST = '/avatars/avatars.json';
const CAPSULES: ShippedAvatar = { name: FIGURE, title: 'Figure' };

/** All shipped avatars, the plain figure last; only that one if the list can't be had. */
export async function shippedAvatars(): Promise<ShippedAvatar[]> {
  try {
    const response = await fetch(LIST);
    return response.ok ? readAvatars(await response.json()) : [CAPSULES];
  } catch {
    return [CAPSULES];
  }
}

/** Whatever of a list can be understood. */
export function readAvatars(list: unknown): ShippedAvatar[] {
  const entries = field(list, 'avatars');
  const read = Array.isArray(entries) ? entries.map(readAvatar) : [];
  const named = read.filter((each) => each !== undefined).filter(({ name }) => name !== FIGURE);
  return [...named, CAPSULES];
}

function readAvatar(entry: unknown): ShippedAvatar | undefined {
  const name = field(entry, 'name');
  const title = field(entry, 'title');
  if (typeof name !== 'string' || !isAvatar(name) || isOwn(name)) return undefined;
  return { name, title: typeof title === 'string' && title !== '' ? title : name };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
