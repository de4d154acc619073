/**
 * The rules of control messages: opening and sealing a body, and the checks of each field.
 * `generated.ts` calls these with the numbers that the protocol declares.
 */

import { decode as unpack, encode as pack, type DecoderOptions } from '@msgpack/msgpack';
import { CAPS, CloseCode, FORBIDDEN_CODE_POINTS, VISIBLE } from './tables';

export type Values = readonly unknown[];

/** What a message may hold, by who sent it. */
export interface Limits {
  readonly maxBytes: number;
  readonly maxItems: number;
}
export const CLIENT_LIMITS: Limits = {
  maxBytes: CAPS.CLIENT_MESSAGE_BYTES,
  maxItems: CAPS.CLIENT_ARRAY_ITEMS,
};
export const SERVER_LIMITS: Limits = {
  maxBytes: CAPS.SERVER_MESSAGE_BYTES,
  maxItems: CAPS.SERVER_ARRAY_ITEMS,
};

/** Bytes or values that break the protocol; the text gives the value, the rule, the next step. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(
    readonly closeCode: CloseCode,
    text: string,
  ) {
    super(text);
  }
}

const AGAIN = 'Correct it and send the message again.';
const SHOWN_CHARACTERS = 40;
const FORBIDDEN_EVERYWHERE = new RegExp(FORBIDDEN_CODE_POINTS.source, 'gu');
const FORBIDDEN_IN_LINES = new RegExp(`(?![\\r\\n])${FORBIDDEN_CODE_POINTS.source}`, 'u');
const LONE_SURROGATE = /\p{Surrogate}/u;
const _utf8 = new TextEncoder();
const _strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The message of an id and its fields, as bytes. */
export function seal(id: number, values: Values): Uint8Array {
  const body = pack(values);
  const message = new Uint8Array(1 + body.length);
  message[0] = id;
  message.set(body, 1);
  return message;
}

/** The fields in the body of a message; every msgpack header is checked before it allocates. */
export function open(
  payload: Uint8Array,
  name: string,
  limits: Limits,
  maxTextBytes: number = CAPS.BODY_TEXT_BYTES,
): unknown[] {
  if (payload.length > limits.maxBytes) {
    throw new ProtocolError(
      CloseCode.TOO_LARGE,
      `${name} has ${payload.length} bytes, but may have at most ${limits.maxBytes}.`,
    );
  }
  const values = unpackStrictly(payload.subarray(1), name, limits.maxItems, maxTextBytes);
  if (!Array.isArray(values)) {
    throw malformed(`${name} holds ${shown(values)}, but must be one array of its fields.`);
  }
  refuseStrange(values, name, 1);
  return values;
}

/** What to throw for a message whose id nobody sends in this direction. */
export function unknownMessage(payload: Uint8Array, sender: string): ProtocolError {
  const id = payload[0];
  if (id === undefined) {
    return new ProtocolError(
      CloseCode.MALFORMED,
      'A message of 0 bytes has no id; a message begins with one byte of id.',
    );
  }
  return new ProtocolError(
    CloseCode.UNKNOWN_MESSAGE,
    `No ${sender} sends a control message of id 0x${id.toString(16).padStart(2, '0')}.`,
  );
}

export function integer(value: unknown, where: string, low: number, high: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high) {
    return value as number;
  }
  throw broken(value, where, `a whole number from ${low} to ${high}`);
}

export function real(value: unknown, where: string, low = -Infinity, high = Infinity): number {
  const bounded = low !== -Infinity;
  const rule = bounded ? `a number from ${low} to ${high}` : 'a finite number';
  const finite = typeof value === 'number' && Number.isFinite(value);
  if (finite && value >= low && value <= high) return value;
  throw broken(value, where, rule);
}

export function flag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  throw broken(value, where, 'true or false');
}

export function blob(value: unknown, where: string, sizeBytes: number): Uint8Array {
  if (value instanceof Uint8Array && value.length === sizeBytes) return value;
  throw broken(value, where, `exactly ${sizeBytes} bytes`);
}

export function text(
  value: unknown,
  where: string,
  maxBytes: number,
  mark?: 'trimmed' | 'secret' | 'lines',
): string {
  const trimmed = mark === 'trimmed';
  const forbidden = mark === 'lines' ? FORBIDDEN_IN_LINES : FORBIDDEN_CODE_POINTS;
  if (
    typeof value === 'string' &&
    !LONE_SURROGATE.test(value) &&
    !forbidden.test(value) &&
    _utf8.encode(value).length <= maxBytes &&
    (!trimmed || (VISIBLE.test(value) && value === value.trim()))
  ) {
    return value;
  }
  const shape = trimmed ? 'a visible name without spaces at its ends, of 1 to' : 'text of at most';
  const hidden = mark === 'secret' && typeof value === 'string';
  throw malformed(
    `${where} is ${hidden ? `text of ${value.length} characters` : shown(value)}, ` +
      `but must be ${shape} ${maxBytes} UTF-8 bytes without control characters.`,
  );
}

/** A text of which the whole matches `pattern`. */
export function matching(
  value: unknown,
  where: string,
  maxBytes: number,
  pattern: RegExp,
): string {
  if (typeof value === 'string' && value.length <= maxBytes && pattern.test(value)) {
    return text(value, where, maxBytes);
  }
  throw broken(value, where, `text that matches ${pattern.source}`);
}

export function choice<T extends number>(
  value: unknown,
  where: string,
  members: Readonly<Record<string, T>>,
): T {
  const found = Object.values(members).find((member) => member === value);
  if (found !== undefined) return found;
  const names = Object.entries(members).map(([name, n]) => `${n} (${name.toLowerCase()})`);
  throw broken(value, where, names.join(' or '));
}

export function optional<V, T>(value: V, read: (inner: Exclude<V, null>) => T): T | null {
  return value === null ? null : read(value as Exclude<V, null>);
}

export function nested<T>(
  value: unknown,
  where: string,
  read: (values: Values, where: string) => T,
): T {
  if (Array.isArray(value)) return read(value, where);
  throw broken(value, where, 'an array of its fields');
}

export function sequence<T>(
  value: unknown,
  where: string,
  maxItems: number,
  read: (item: unknown, where: string) => T,
): T[] {
  if (!Array.isArray(value) || value.length > maxItems) {
    throw broken(value, where, `an array of at most ${maxItems} items`);
  }
  return value.map((item, index) => read(item, `${where}.${index}`));
}

export function rows<T>(
  items: readonly T[],
  where: string,
  maxItems: number,
  write: (item: T, where: string) => unknown,
): unknown[] {
  if (items.length > maxItems) {
    throw broken(items, where, `an array of at most ${maxItems} items`);
  }
  return items.map((item, index) => write(item, `${where}.${index}`));
}

/**
 * The nearest text that is a valid name, or '' if nothing of it can be seen: without forbidden
 * code points, trimmed, and clipped to the cap between characters.
 */
export function cleanName(typed: string): string {
  const printable = typed.replace(/\p{Surrogate}/gu, '').replace(FORBIDDEN_EVERYWHERE, '').trim();
  let name = '';
  let sizeBytes = 0;
  for (const character of printable) {
    sizeBytes += _utf8.encode(character).length;
    if (sizeBytes > CAPS.NAME_BYTES) break;
    name += character;
  }
  return VISIBLE.test(name) ? name.trim() : '';
}

function unpackStrictly(
  body: Uint8Array,
  name: string,
  maxItems: number,
  maxTextBytes: number,
): unknown {
  const limits: DecoderOptions = {
    maxArrayLength: maxItems,
    maxStrLength: maxTextBytes,
    maxBinLength: CAPS.BODY_BLOB_BYTES,
    maxMapLength: 0,
    maxExtLength: 0,
  };
  try {
    const values = unpack(body, limits);
    // Once more with texts as bytes, because the library takes invalid UTF-8 as it comes.
    const raw = { ...limits, maxBinLength: Math.max(CAPS.BODY_BLOB_BYTES, maxTextBytes) };
    refuseBadUtf8(values, unpack(body, { ...raw, rawStrings: true }));
    return values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw malformed(`${name} is not one msgpack array within the caps (${reason.slice(0, 80)}).`);
  }
}

function refuseBadUtf8(value: unknown, raw: unknown): void {
  if (typeof value === 'string' && raw instanceof Uint8Array) {
    _strictUtf8.decode(raw);
  } else if (Array.isArray(value) && Array.isArray(raw)) {
    value.forEach((item, index) => refuseBadUtf8(item, raw[index]));
  }
}

/** No maps, extension types or deep nests, not even in fields that are still unknown here. */
function refuseStrange(value: unknown, name: string, depth: number): void {
  if (Array.isArray(value)) {
    if (depth > CAPS.BODY_DEPTH) {
      throw malformed(`${name} nests arrays deeper than ${CAPS.BODY_DEPTH}.`);
    }
    for (const item of value) refuseStrange(item, name, depth + 1);
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    throw malformed(`${name} holds ${shown(value)}; maps and extension types are never used.`);
  }
}

function broken(value: unknown, where: string, rule: string): ProtocolError {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const text = `${where} is ${value}, but must be ${rule}.`;
    return new ProtocolError(CloseCode.NOT_FINITE, text);
  }
  return malformed(`${where} is ${shown(value)}, but must be ${rule}.`);
}

function malformed(sentence: string): ProtocolError {
  return new ProtocolError(CloseCode.MALFORMED, `${sentence} ${AGAIN}`);
}

/** A value for a sentence: short, and never the contents of a container. */
function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_CHARACTERS));
  if (value instanceof Uint8Array) return `a blob of ${value.length} bytes`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' ? 'a map or an extension type' : String(value);
}
