/** Owns the reading of the golden vectors that the Python tests read, too. */

interface Bytes {
  readonly name: string;
  readonly hex: string;
  readonly then_zeros?: number;
}

export interface MessageVector extends Bytes {
  readonly sender: 'client' | 'server';
  readonly type: string;
  readonly fields: Record<string, unknown>;
  readonly canonical: boolean;
}

export interface InvalidVector extends Bytes {
  readonly sender?: 'client' | 'server';
  readonly close_code: number;
  readonly needs_floats?: boolean;
}

export interface TrackerFields {
  readonly sample_time_us: number;
  readonly tracked: number;
  readonly discontinuity: number;
  readonly head: readonly number[];
  readonly left_palm: readonly number[];
  readonly right_palm: readonly number[];
  readonly left_input: readonly number[];
  readonly right_input: readonly number[];
}

export interface TrackerVector extends Bytes {
  readonly frame: TrackerFields;
  readonly decoded: TrackerFields;
}

export interface AvatarFields {
  readonly id: number;
  readonly chest_position_m: readonly number[];
  readonly chest_rotation: readonly number[];
  readonly head_rotation: readonly number[];
  readonly joint_angles_rad: readonly number[];
  readonly sample_age_us: number;
  readonly provenance: readonly number[];
  readonly discontinuity: number;
}

export interface HandsFields {
  readonly id?: number | undefined;
  readonly flags: number;
  readonly left_fingers_rad: readonly number[];
  readonly right_fingers_rad: readonly number[];
  readonly left_point: readonly number[];
  readonly right_point: readonly number[];
}

export interface HandsVector extends Bytes {
  readonly frame: HandsFields | null;
  readonly decoded: HandsFields;
}

export interface SnapshotVector extends Bytes {
  readonly decoded: {
    readonly tick: number;
    readonly session_time_us: number;
    readonly avatars: readonly AvatarFields[];
    readonly hands: readonly HandsFields[];
  };
}

const files = import.meta.glob('../../../tests/golden/protocol/*.json', {
  eager: true,
  import: 'default',
});

function rows(name: string): unknown {
  const found = files[`../../../tests/golden/protocol/${name}.json`];
  if (!Array.isArray(found) || found.length === 0) throw new Error(`no vectors in ${name}.json`);
  return found;
}

export const MESSAGES = rows('messages') as readonly MessageVector[];
export const INVALID_MESSAGES = rows('invalid_messages') as readonly InvalidVector[];
export const TRACKERS = rows('trackers') as readonly TrackerVector[];
export const INVALID_TRACKERS = rows('invalid_trackers') as readonly InvalidVector[];
export const HANDS = rows('hands') as readonly HandsVector[];
export const INVALID_HANDS = rows('invalid_hands') as readonly InvalidVector[];
export const SNAPSHOTS = rows('snapshots') as readonly SnapshotVector[];
export const INVALID_SNAPSHOTS = rows('invalid_snapshots') as readonly InvalidVector[];

export function payload(vector: Bytes): Uint8Array {
  return fromHex(vector.hex + '00'.repeat(vector.then_zeros ?? 0));
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The vectors' JSON as TypeScript spells it: camel case, and bytes from hex. */
export function fromPython(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPython);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && 'hex' in value) return fromHex(String(value.hex));
  return Object.fromEntries(
    entries.map(([name, item]) => [
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      fromPython(item),
    ]),
  );
}
