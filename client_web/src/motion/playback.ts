/**
 * Owns everything between arriving snapshots and the poses on screen: one track an avatar, the
 * delay, the playback time. Pure: time comes in as an argument. Microseconds throughout.
 *
 * A pose belongs to the moment at which its sensors were read (the tick less the sample's age), not
 * to the tick: senders and ticks beat against each other, and a sender's pause repeats one sample
 * for many ticks. Played by ticks, either would stop and jump.
 */

import { AVATAR_RECORD, CAPS, type Lengths, type SnapshotArrays } from '../protocol/generated';
import { POSE_SIZE, type Floats, type WritableFloats } from './bones';
import { DelayEstimator, Needs } from './delay';
import { Hands, type HandSide, type HandsRows } from './hands';
import { poseFromAngles } from './kinematics';
import { Playhead } from './playhead';
import { SessionClock } from './session_clock';
import { Sizes } from './sizes';
import { Track } from './track';
import { knownOf } from './validity';

/** A snapshot as it was decoded, one row an avatar. It is read before the call returns. */
export type SnapshotRows = Pick<
  SnapshotArrays,
  | 'count'
  | 'sessionTimeUs'
  | 'ids'
  | 'worldFromChest'
  | 'headRotation'
  | 'jointAngles'
  | 'sampleAgeUs'
  | 'provenance'
  | 'discontinuity'
> &
  HandsRows;

/** How a body's head, left hand and right hand are known: members of the protocol's Provenance. */
export type BodyProvenance = Uint8Array;

const SAMPLE_AGE_BITS = AVATAR_RECORD.find(({ name }) => name === 'sampleAge')?.bits ?? 0;
const FIRST_DELAY_US = 60_000;
/** Who left longer ago than this is forgotten even while nothing is drawn (a hidden tab). */
const FORGET_US = 2_000_000;
/** Ages are told to within a quarter of a millisecond; times this close are one sample, repeated. */
const REPEAT_US = 2 * CAPS.SAMPLE_AGE_UNIT_US;
/** The oldest that an age can say: the sample may be any older. */
const UNKNOWN_AGE_US = ((1 << SAMPLE_AGE_BITS) - 1) * CAPS.SAMPLE_AGE_UNIT_US;
interface Avatar {
  readonly track: Track;
  readonly provenance: BodyProvenance;
  /** Session time of the last snapshot that held it. */
  seenUs: number;
}

const _pose = new Float64Array(POSE_SIZE);

export class Playback {
  readonly clock = new SessionClock();
  private readonly delay = new DelayEstimator(FIRST_DELAY_US);
  private readonly needs = new Needs();
  private readonly playhead = new Playhead();
  private readonly hands = new Hands();
  private readonly sizes = new Sizes();
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
    this.hands.clear();
    this.sizes.clear();
    this.newest = Number.NEGATIVE_INFINITY;
  }

  /** Takes a snapshot that arrived at a local time. */
  receive(snapshot: SnapshotRows, localUs: number): void {
    const { sessionTimeUs } = snapshot;
    this.clock.notBefore(sessionTimeUs, localUs);
    const arrivedUs = this.clock.sessionUs(localUs);
    const ahead = sessionTimeUs > this.newest;
    this.needs.clear();
    for (let row = 0; row < snapshot.count; row += 1) this.place(snapshot, row, arrivedUs);
    this.hands.receive(snapshot);
    this.hands.forget(this.newest);
    if (ahead && Number.isFinite(this.newest)) {
      // Nobody here: the snapshots alone tell how late things are.
      if (snapshot.count === 0) this.needs.add(arrivedUs - this.newest);
      const needUs = this.needs.upperMedian();
      if (needUs !== undefined) this.delay.observe(arrivedUs, arrivedUs - needUs);
    }
    if (ahead) this.newest = sessionTimeUs;
    this.forget(sessionTimeUs);
  }

  private place(snapshot: SnapshotRows, row: number, arrivedUs: number): void {
    const avatar = this.avatar(snapshot.ids[row] ?? 0);
    const { track, provenance } = avatar;
    avatar.seenUs = Math.max(avatar.seenUs, snapshot.sessionTimeUs);
    for (let sensor = 0; sensor < 3; sensor += 1) {
      provenance[sensor] = snapshot.provenance[3 * row + sensor] ?? 0;
    }
    const ageUs = snapshot.sampleAgeUs[row] ?? 0;
    const sampledUs = snapshot.sessionTimeUs - ageUs;
    const mark = snapshot.discontinuity[row] ?? 0;
    if (track.holds(sampledUs, REPEAT_US, mark)) return;
    if (sampledUs > track.newestUs && Number.isFinite(track.newestUs) && ageUs < UNKNOWN_AGE_US) {
      this.needs.add(arrivedUs - track.newestUs);
    }
    const { worldFromChest, headRotation, jointAngles } = snapshot;
    poseFromAngles(worldFromChest, headRotation, jointAngles, row, _pose);
    track.push(sampledUs, mark, _pose, knownOf(snapshot.provenance, 3 * row));
  }

  private avatar(id: number): Avatar {
    let avatar = this.avatars.get(id);
    if (avatar === undefined) {
      avatar = { track: new Track(), provenance: new Uint8Array(3), seenUs: 0 };
      this.avatars.set(id, avatar);
    }
    return avatar;
  }

  /** Marks whoever is missing at a time, and forgets those who are gone from the screen too. */
  private forget(sessionUs: number): void {
    for (const [id, { track, seenUs }] of this.avatars) {
      if (seenUs < sessionUs) track.markAbsent(sessionUs);
      if (track.endedBy(this.playhead.timeUs) || track.endedBy(this.newest - FORGET_US)) {
        this.avatars.delete(id);
      }
    }
  }

  /** Moves playback on to a local time; call once a frame, before `sample`. */
  advance(localUs: number): void {
    if (!this.clock.known) return;
    const sessionUs = this.clock.sessionUs(localUs);
    this.hands.advance(this.playhead.advance(localUs, sessionUs, this.delay.delayUs, this.newest));
  }

  /** Writes an avatar's pose at the playback time; false where it is not there to show. */
  sample(id: number, pose: WritableFloats): boolean {
    return this.avatars.get(id)?.track.sample(this.playhead.timeUs, pose) ?? false;
  }

  /** Takes what the session says of a person's lengths now. */
  tellLengths(id: number, version: number, lengths: Lengths): void {
    this.sizes.tell(id, version, lengths, this.newest);
  }

  /** The eleven lengths of a body as it is on screen; undefined where nobody told of them. */
  lengths(id: number): Floats | undefined {
    return this.sizes.at(id, this.playhead.timeUs);
  }

  /** Someone is no longer in the session. */
  forgetLengths(id: number): void {
    this.sizes.forget(id);
  }

  /** Writes an avatar's finger angles (see Hands.fingers); returns whose hands are known. */
  fingers(id: number, angles: WritableFloats): number {
    return this.hands.fingers(id, angles);
  }

  /** Writes what an avatar's hand points at, world metres; false while it points at nothing. */
  point(id: number, side: HandSide, place: WritableFloats): boolean {
    return this.hands.point(id, side, place);
  }

  /** Times of the samples that an avatar was shown between (see Track.between). */
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
