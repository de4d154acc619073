/**
 * Owns everything between arriving snapshots and the poses on screen: one track an avatar, the
 * delay, the playback time. Pure: time comes in as an argument. Microseconds throughout.
 */

import type { SnapshotArrays } from '../protocol/generated';
import { POSE_SIZE, type WritableFloats } from './bones';
import { DelayEstimator } from './delay';
import { poseFromAngles } from './kinematics';
import { Playhead } from './playhead';
import { SessionClock } from './session_clock';
import { Track } from './track';

/** A snapshot as it was decoded, one row an avatar. It is read before the call returns. */
export type SnapshotRows = Pick<
  SnapshotArrays,
  | 'count'
  | 'sessionTimeUs'
  | 'ids'
  | 'worldFromChest'
  | 'headRotation'
  | 'jointAngles'
  | 'provenance'
  | 'discontinuity'
>;

/** How a body's head, left hand and right hand are known: members of the protocol's Provenance. */
export type BodyProvenance = Uint8Array;

const FIRST_DELAY_US = 60_000;
/** Who left longer ago than this is forgotten even while nothing is drawn (a hidden tab). */
const FORGET_US = 2_000_000;
interface Avatar {
  readonly track: Track;
  readonly provenance: BodyProvenance;
}

const _pose = new Float64Array(POSE_SIZE);

export class Playback {
  readonly clock = new SessionClock();
  private readonly delay = new DelayEstimator(FIRST_DELAY_US);
  private readonly playhead = new Playhead();
  private readonly avatars = new Map<number, Avatar>();
  private newest = Number.NEGATIVE_INFINITY;

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
    this.avatars.clear();
    this.newest = Number.NEGATIVE_INFINITY;
  }

  /** Takes a snapshot that arrived at a local time. */
  receive(snapshot: SnapshotRows, localUs: number): void {
    const { sessionTimeUs: sessionUs } = snapshot;
    this.clock.notBefore(sessionUs, localUs);
    if (sessionUs > this.newest) {
      if (Number.isFinite(this.newest)) {
        this.delay.observe(this.clock.sessionUs(localUs), this.newest);
      }
      this.newest = sessionUs;
    }
    for (let row = 0; row < snapshot.count; row += 1) this.place(snapshot, row);
    this.forget(sessionUs);
  }

  private place(snapshot: SnapshotRows, row: number): void {
    const id = snapshot.ids[row] ?? 0;
    let avatar = this.avatars.get(id);
    if (avatar === undefined) {
      avatar = { track: new Track(), provenance: new Uint8Array(3) };
      this.avatars.set(id, avatar);
    }
    const { worldFromChest, headRotation, jointAngles } = snapshot;
    poseFromAngles(worldFromChest, headRotation, jointAngles, row, _pose);
    avatar.track.push(snapshot.sessionTimeUs, snapshot.discontinuity[row] ?? 0, _pose);
    for (let sensor = 0; sensor < 3; sensor += 1) {
      avatar.provenance[sensor] = snapshot.provenance[3 * row + sensor] ?? 0;
    }
  }

  /** Marks whoever is missing at a time, and forgets those who are gone from the screen too. */
  private forget(sessionUs: number): void {
    for (const [id, { track }] of this.avatars) {
      if (track.newestUs < sessionUs) track.markAbsent(sessionUs);
      if (track.endedBy(this.playhead.timeUs) || track.endedBy(this.newest - FORGET_US)) {
        this.avatars.delete(id);
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
    return this.avatars.get(id)?.track.sample(this.playhead.timeUs, pose) ?? false;
  }

  /** Times of the snapshots that an avatar was shown between (see Track.between). */
  between(id: number): readonly [fromUs: number, toUs: number] | undefined {
    return this.avatars.get(id)?.track.between;
  }

  /** How an avatar's parts were known last; undefined for one that is not there. */
  provenance(id: number): BodyProvenance | undefined {
    return this.avatars.get(id)?.provenance;
  }

  /** Ids of all avatars that may be on screen. */
  ids(): IterableIterator<number> {
    return this.avatars.keys();
  }
}
