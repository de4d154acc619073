/** Owns turning one's head to somebody, on their name's click: a short glide that a drag may overrule. */

const GLIDE_S = 0.12;
const LASTS_S = 0.7;

/** How a person looks: yaw 0 along −Z, positive to the left; pitch positive up. Radians. */
export interface Looking {
  readonly yaw: number;
  readonly pitch: number;
}

export class Facing {
  private goalYaw = 0;
  private goalPitch = 0;
  private leftS = 0;

  /** Begins to look from one point at another, world metres. */
  begin(from: ArrayLike<number>, to: { x: number; y: number; z: number }): void {
    const x = to.x - (from[0] ?? 0);
    const y = to.y - (from[1] ?? 0);
    const z = to.z - (from[2] ?? 0);
    const level = Math.sqrt(x * x + z * z);
    if (!(level > 0.05)) return; // straight above or below: no way to turn
    this.goalYaw = Math.atan2(-x, -z);
    this.goalPitch = Math.atan2(y, level);
    this.leftS = LASTS_S;
  }

  /** Adds this frame's share of the turn to what is to be looked; all at once to spare motion. */
  turn(now: Looking, look: { lookYaw: number; lookPitch: number }, still: boolean, passedS: number): void {
    if (this.leftS <= 0) return;
    if (look.lookYaw !== 0 || look.lookPitch !== 0) {
      this.leftS = 0; // somebody drags
      return;
    }
    const share = still ? 1 : 1 - Math.exp(-passedS / GLIDE_S);
    look.lookYaw += share * wrapped(this.goalYaw - now.yaw);
    look.lookPitch += share * (this.goalPitch - now.pitch);
    this.leftS = still ? 0 : this.leftS - passedS;
  }
}

function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
