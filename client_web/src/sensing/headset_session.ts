/**
 * Owns one visit to a headset: asking for it, its reference space, and what becomes of it. Words for
 * people are in the errors; nothing here draws.
 */

import { DEFAULT_LENGTHS } from '../protocol/generated';

/** Who shows a session's pictures: three's renderer behind it. */
export interface Presenter {
  /** Draws into the session from now on, with poses of this space. */
  present(session: XRSession, space: XRReferenceSpace, kind: 'local-floor' | 'local'): Promise<void>;
  /** The headset's frame that is being drawn; undefined between frames. */
  frame(): XRFrame | undefined;
}

export interface VisitEvents {
  /** The person looks at the pictures, or no longer. */
  readonly changed: () => void;
  /** The headset laid its floor anew under the person. */
  readonly recentred: () => void;
  readonly ended: () => void;
}

/** The headset was not to be had; the text says why, and what to do. */
export class HeadsetRefused extends Error {}

/** Of the browser's errors, by their names. */
const REASONS: Readonly<Record<string, string>> = {
  NotSupportedError: 'This browser has no headset, or none that shows rooms.',
  SecurityError: 'The browser opens a headset only on a click, and only on a secure page (https).',
  NotAllowedError: 'The browser was not allowed to use the headset; allow it, and enter again.',
  InvalidStateError: 'Something else is using the headset; end it there, and enter again.',
};

export class Visit {
  ended = false;

  private constructor(
    readonly session: XRSession,
    /** Its floor is at y = 0; where the headset does not know the floor, eyes begin at their usual height. */
    readonly space: XRReferenceSpace,
    /** Whether heights are true, and not guessed from an average person's. */
    readonly knowsFloor: boolean,
  ) {}

  /** Asks for the headset. Call it in a click. Raises HeadsetRefused. */
  static async begin(xr: XRSystem | undefined, presenter: Presenter, events: VisitEvents): Promise<Visit> {
    if (xr === undefined) throw new HeadsetRefused(REASONS['NotSupportedError']);
    try {
      const session = await xr.requestSession('immersive-vr', {
        optionalFeatures: ['local-floor', 'hand-tracking'],
      });
      return await Visit.open(session, presenter, events);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      const reason = REASONS[error.name] ?? `The headset did not open: ${error.message}`;
      throw new HeadsetRefused(reason, { cause: error });
    }
  }

  private static async open(session: XRSession, presenter: Presenter, events: VisitEvents): Promise<Visit> {
    try {
      const [space, kind] = await floorOf(session);
      const visit = new Visit(session, space, kind === 'local-floor');
      session.addEventListener('end', () => {
        visit.ended = true;
        events.ended();
      });
      session.addEventListener('visibilitychange', events.changed);
      space.addEventListener('reset', events.recentred);
      await presenter.present(session, space, kind);
      return visit;
    } catch (error) {
      await session.end().catch(() => undefined); // it may have ended by itself
      throw error;
    }
  }

  /** Whether the person sees the pictures, and what they do is meant for them. */
  get attended(): boolean {
    return !this.ended && this.session.visibilityState === 'visible';
  }

  /** Whether the person sees the pictures at all; a menu may lie over them. */
  get seen(): boolean {
    return !this.ended && this.session.visibilityState !== 'hidden';
  }

  async end(): Promise<void> {
    if (!this.ended) await this.session.end().catch(() => undefined);
  }
}

/** A space with its floor at y = 0: the true floor if the device knows it, else one below the eyes. */
export async function floorOf(session: XRSession): Promise<[XRReferenceSpace, 'local-floor' | 'local']> {
  try {
    return [await session.requestReferenceSpace('local-floor'), 'local-floor'];
  } catch {
    const eyes = await session.requestReferenceSpace('local');
    const floor = new XRRigidTransform({ x: 0, y: -DEFAULT_LENGTHS.eyeHeightM, z: 0 });
    return [eyes.getOffsetReferenceSpace(floor), 'local'];
  }
}
