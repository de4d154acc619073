/**
 * Owns who one is in the session: name, look and lengths, as chosen, changed or measured; and the VRM
 * that one brought, which a server that was started anew is given again.
 */

import { hasAvatar, uploadAvatar } from '../net/upload';
import type { Lengths } from '../protocol/generated';
import { lengthsForEyeHeight } from '../sensing/headset_stature';
import type { Identity, Session } from '../session';
import type { Appearing, Choice } from './choice';

export class OwnIdentity {
  private identity: Identity | undefined;
  private brought: { readonly avatar: string; readonly file: File } | undefined;

  /** `name` is the session's; `onLengths` is told how large one is from now on. */
  constructor(
    private readonly session: Session,
    private readonly name: string,
    private readonly onLengths: (lengths: Lengths) => void,
  ) {}

  /** How one appears; undefined while watching. */
  get appearing(): Appearing | undefined {
    const { identity } = this;
    return identity && { name: identity.name, ...identity.look };
  }

  /** Takes part as chosen. */
  join({ name, avatar, colour, eyeHeightM }: Choice): void {
    const lengths = eyeHeightM === undefined ? undefined : lengthsForEyeHeight(eyeHeightM);
    this.be({ name, look: { avatar, colour }, lengths });
  }

  appear({ name, avatar, colour }: Appearing): void {
    if (this.identity !== undefined) this.be({ ...this.identity, name, look: { avatar, colour } });
  }

  /** A headset measured how high the eyes are; what was typed stands. */
  measured(eyeHeightM: number): void {
    if (this.identity === undefined || this.identity.lengths !== undefined) return;
    this.be({ ...this.identity, lengths: lengthsForEyeHeight(eyeHeightM) });
  }

  /** Only watches from now on. */
  forget(): void {
    this.identity = undefined;
  }

  async upload(file: File, onProgress: (share: number) => void): Promise<string> {
    const avatar = await uploadAvatar(this.name, this.session.ownToken, file, onProgress);
    this.brought = { avatar, file };
    return avatar;
  }

  /** Gives the server back the avatar that one wears, if it has lost it. */
  async restore(): Promise<void> {
    const { brought } = this;
    if (brought === undefined || brought.avatar !== this.identity?.look.avatar) return;
    try {
      if (!(await hasAvatar(this.name, brought.avatar))) await this.upload(brought.file, () => undefined);
    } catch {
      // The connection is the notice's business; with the next welcome it is tried again.
    }
  }

  private be(identity: Identity): void {
    this.identity = identity;
    if (identity.lengths !== undefined) this.onLengths(identity.lengths);
    this.session.join(identity, performance.now());
  }
}
