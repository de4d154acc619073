/**
 * Owns everything between arriving snapshots and the poses on screen: one track an avatar, the
 * delay, the playback time. Pure: time comes in as an argument. Microseconds throughout.
 */

import { POSE_SIZE, type Floats, type WritableFloats } from './bones';
import { DelayEstimator } from './delay';
import { poseFromAngles } from './kinematics';
import { Playhead } from './playhead';
import { SessionClock } from './session_clock';
import { Track } from './track';

/** One avatar as a snapshot describes it. Arrays are read before the call returns, never kept. */
export interface AvatarSample {
  readonly id: number;
  readonly chestPosition: Floats;
  readonly chestRotation: Floats;
  readonly headRotation: Floats;
  /** Fifteen angles, in the protocol's order. */
  readonly jointAngles: Floats;
  readonly discontinuity: number;
}

const FIRST_DELAY_US = 60_000;
/** Who left longer ago than this is forgotten even while nothing is drawn (a hidden tab). */
const FORGET_US = 2_000_000;
const _pose = new Float64Array(POSE_SIZE);

export class Playback {
  readonly clock = new SessionClock();
  private readonly delay = new DelayEstimator(FIRST_DELAY_US);
  private readonly playhead = new Playhead();
  private readonly tracks = new Map<number, Track>();
  private newest = Number.NEGATIVE_INFINITY;
  private arriving = Number.NaN;

  get delayUs(): number {
    return this.delay.delayUs;
  }

  /** Session time on screen; NaN before there is any. */
  get timeUs(): number {
    return this.playhead.timeUs;
  }

  get newestUs(): number {
    return this.newest;
  }

  /** Forgets everything: a new connection, maybe to a restarted server. */
  restart(sessionUs: number, localUs: number): void {
    this.clock.start(sessionUs, localUs);
    this.delay.reset();
    this.playhead.reset();
    this.tracks.clear();
    this.newest = Number.NEGATIVE_INFINITY;
  }

  /** Opens a snapshot; its avatars follow by `place`, and `endSnapshot` closes it. */
  beginSnapshot(sessionUs: number, localUs: number): void {
    this.arriving = sessionUs;
    this.clock.notBefore(sessionUs, localUs);
    if (sessionUs <= this.newest) return;
    if (Number.isFinite(this.newest)) {
      this.delay.observe(this.clock.sessionUs(localUs), this.newest);
    }
    this.newest = sessionUs;
  }

  place(avatar: AvatarSample): void {
    let track = this.tracks.get(avatar.id);
    if (track === undefined) {
      track = new Track();
      this.tracks.set(avatar.id, track);
    }
    poseFromAngles(
      avatar.chestPosition,
      avatar.chestRotation,
      avatar.headRotation,
      avatar.jointAngles,
      _pose,
    );
    track.push(this.arriving, avatar.discontinuity, _pose);
  }

  /** Marks whoever was not in the snapshot, and forgets those who are gone from the screen too. */
  endSnapshot(): void {
    for (const [id, track] of this.tracks) {
      if (track.newestUs < this.arriving) track.markAbsent(this.arriving);
      if (track.endedBy(this.playhead.timeUs) || track.endedBy(this.newest - FORGET_US)) {
        this.tracks.delete(id);
      }
    }
  }

  /** Moves playback on to a local time; call once a frame, before `sample`. */
  advance(localUs: number): void {
    if (!this.clock.known) return;
    const sessionUs = this.clock.sessionUs(localUs);
    this.playhead.advance(localUs, sessionUs, this.delay.delayUs, this.newest);
  }

  /** Writes an avatar's pose at the playback time; false where it is not there to show. */
  sample(id: number, pose: WritableFloats): boolean {
    const track = this.tracks.get(id);
    return track !== undefined && track.sample(this.playhead.timeUs, pose);
  }

  /** Ids of all avatars that may be on screen. */
  ids(): IterableIterator<number> {
    return this.tracks.keys();
  }
}
