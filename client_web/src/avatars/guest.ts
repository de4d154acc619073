/**
 * Owns one person's own VRM on screen. It is checked, then read by @pixiv/three-vrm, which is only
 * fetched when somebody brings one; its humanoid bones are put where ours are, and everything that
 * hangs on them (hair, skirts, looks) is three-vrm's.
 */

import type { Group } from 'three';
import type { Floats } from '../motion/bones';
import type { Skeleton } from '../body/skeleton';
import { checkAvatar } from './check';
import type { Puppet } from './puppet';
import type { Worn } from './troupe';
import { wordsOf } from './wardrobe';

export class Guest {
  private puppet: Puppet | undefined;
  private disposed = false;

  /** Begins to load; `trouble` is told if it fails. */
  constructor(
    bytes: Uint8Array,
    private readonly group: Group,
    trouble: (why: string) => void,
  ) {
    this.load(bytes).catch((error: unknown) => trouble(wordsOf(error)));
  }

  private async load(bytes: Uint8Array): Promise<void> {
    const wrong = checkAvatar(bytes);
    if (wrong !== undefined) throw new Error(wrong.words);
    const { loadPuppet } = await import('./puppet');
    const puppet = await loadPuppet(bytes);
    if (this.disposed) {
      puppet.dispose();
      return;
    }
    this.puppet = puppet;
    this.group.add(puppet.root);
  }

  get ready(): boolean {
    return this.puppet !== undefined;
  }

  get skeleton(): Skeleton {
    if (this.puppet === undefined) throw new Error('a guest has no skeleton before it is ready');
    return this.puppet.skeleton;
  }

  draw(bones: Floats, worn: Worn, passedS: number): void {
    this.puppet?.draw(bones, worn, passedS);
  }

  drawn(bone: number, x: number, y: number, z: number): readonly number[] {
    return this.puppet?.drawn(bone, x, y, z) ?? [];
  }

  dispose(): void {
    this.disposed = true;
    if (this.puppet === undefined) return;
    this.group.remove(this.puppet.root);
    this.puppet.dispose();
  }
}
