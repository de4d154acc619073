/**
 * Owns which avatars there are and how far they are loaded: shipped models by name, people's own
 * VRMs by hash. What cannot be shown is said once, in a sentence, and the person stays a figure.
 */

import type { JsonObject } from './glb';
import { isList, isObject } from './glb';
import { readModel, type Model } from './model';

/** Where the bytes come from; each rejects with an Error whose message is for a person. */
export interface AvatarFiles {
  /** The list of shipped avatars, as avatars.json holds it. */
  readonly list: () => Promise<unknown>;
  /** A shipped file by the name that the list gives it. */
  readonly shipped: (file: string) => Promise<Uint8Array>;
  /** Somebody's own VRM by its hash. */
  readonly own: (hash: string) => Promise<Uint8Array>;
}

/** Told once for every avatar that cannot be shown: its id, and why, for a person. */
export type Trouble = (avatar: string, why: string) => void;

export interface Shipped {
  readonly name: string;
  readonly title: string;
  readonly files: readonly string[];
}

/** A network comes back, and whoever lost a file with a restarted server sends it again. */
const RETRY_MS = 6_000;
export const FIGURE_NAME = 'figure';
const OWN = /^vrm:([0-9a-f]{64})$/;

/** The hash of somebody's own VRM, or undefined. */
export function hashOf(avatar: string): string | undefined {
  return OWN.exec(avatar)?.[1];
}

/** What of a list of avatars can be used. */
export function readList(json: unknown): Shipped[] {
  const root = json as JsonObject | null;
  const entries = isObject(root ?? undefined) ? root?.avatars : undefined;
  if (!isList(entries)) return [];
  const result: Shipped[] = [];
  for (const entry of entries) {
    if (!isObject(entry)) continue;
    const { name, title, files } = entry;
    if (typeof name !== 'string' || !isList(files) || files.length === 0) continue;
    if (!files.every((file) => typeof file === 'string')) continue;
    result.push({ name, title: typeof title === 'string' ? title : name, files: files as string[] });
  }
  return result;
}

type Loaded<T> = { value: T | undefined };

export class Wardrobe {
  private shipped: readonly Shipped[] | undefined;
  private listing = false;
  private readonly models = new Map<string, Loaded<Model>>();
  private readonly vrms = new Map<string, Loaded<Uint8Array>>();
  private readonly told = new Set<string>();

  /** `later` calls back when what could not be had is worth another try. */
  constructor(
    private readonly files: AvatarFiles,
    private readonly trouble: Trouble,
    private readonly later: (again: () => void) => void = (again) => void setTimeout(again, RETRY_MS),
  ) {}

  /** The shipped avatar that an empty choice means for this person; undefined while unknown. */
  usual(id: number): string | undefined {
    if (this.shipped === undefined) {
      this.load();
      return undefined;
    }
    return this.shipped[id % Math.max(this.shipped.length, 1)]?.name;
  }

  /** A shipped model, or undefined while it is not there; asking for it is what loads it. */
  model(name: string): Model | undefined {
    const known = this.models.get(name);
    if (known !== undefined) return known.value;
    if (this.shipped === undefined) {
      this.load();
      return undefined;
    }
    const entry = this.shipped.find((each) => each.name === name);
    const slot: Loaded<Model> = { value: undefined };
    this.models.set(name, slot);
    if (entry === undefined) this.complain(name, `This page knows no avatar “${name}”.`);
    else void this.fetchModel(entry, slot);
    return undefined;
  }

  /** The bytes of somebody's own VRM, or undefined while they are not there. */
  own(hash: string): Uint8Array | undefined {
    const known = this.vrms.get(hash);
    if (known !== undefined) return known.value;
    const slot: Loaded<Uint8Array> = { value: undefined };
    this.vrms.set(hash, slot);
    void this.files.own(hash).then(
      (bytes) => {
        slot.value = bytes;
      },
      (error: unknown) => {
        this.complain(`vrm:${hash}`, wordsOf(error));
        this.later(() => {
          if (this.vrms.get(hash) === slot) this.vrms.delete(hash);
        });
      },
    );
    return undefined;
  }

  /** Forgets the bytes of a VRM that nobody wears. */
  forget(hash: string): void {
    this.vrms.delete(hash);
    this.told.delete(`vrm:${hash}`);
  }

  /** Says once why an avatar cannot be shown. */
  complain(avatar: string, why: string): void {
    if (this.told.has(avatar)) return;
    this.told.add(avatar);
    this.trouble(avatar, why);
  }

  private load(): void {
    if (this.listing) return;
    this.listing = true;
    this.files.list().then(
      (json) => {
        this.shipped = readList(json);
        if (this.shipped.length === 0) this.complain('', 'The list of avatars cannot be read.');
      },
      (error: unknown) => {
        this.complain('', `The avatars could not be loaded: ${wordsOf(error)}`);
        this.later(() => {
          this.listing = false;
        });
      },
    );
  }

  private async fetchModel({ name, title, files }: Shipped, slot: Loaded<Model>): Promise<void> {
    const fail = (error: unknown) =>
      this.complain(name, `The avatar “${title}” could not be loaded: ${wordsOf(error)}`);
    try {
      const bytes = await Promise.all(files.map((file) => this.files.shipped(file)));
      try {
        slot.value = readModel(bytes);
      } catch (error) {
        fail(error); // the same bytes will not read better
      }
    } catch (error) {
      fail(error);
      this.later(() => this.models.delete(name));
    }
  }
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
