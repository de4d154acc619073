/**
 * Owns how someone in a headset gets about: steps of turning, and teleports with a short darkness over
 * the jump. Nothing ever accelerates, and no height changes.
 */

import { Arc } from './headset_arc';
import type { Floor, Standing } from './headset_floor';
import type { HandReading } from './headset_hand';
import { Aim, AimStick, SnapTurn } from './headset_stick';

/** The picture goes dark, the person is elsewhere, and it is light again. */
const DARKEN_S = 0.09;
const LIGHTEN_S = 0.16;

type Phase = 'still' | 'darkening' | 'lightening';

const _origin = new Float64Array(3);
const _direction = new Float64Array(3);
const _eyes = new Float64Array(3);

export class Travel {
  readonly arc = new Arc();
  /** Its `stepRad` is the person's to choose. */
  readonly snap = new SnapTurn();
  /** 0 to 1: how dark the picture is. */
  shade = 0;
  /** Where a recentring leads back to: where one came in, or went last. */
  home: Standing = { x: 0, z: 0, yaw: 0 };
  private readonly stick = new AimStick();
  private readonly aim = new Aim();
  private phase: Phase = 'still';
  private pressed = false;
  private goalX = 0;
  private goalZ = 0;

  /** Whether the arc is to be shown. */
  get aiming(): boolean {
    return this.aim.active;
  }

  /** Forgets what was under way: another visit. */
  reset(): void {
    this.aim.cancel();
    this.phase = 'still';
    this.shade = 0;
  }

  /**
   * Takes both hands and the eyes (a pose of the floor's frame), and moves the floor as they ask.
   * True if the person jumped.
   */
  update(floor: Floor, eyes: Float64Array, left: HandReading, right: HandReading, passedS: number): boolean {
    const travelled = this.pass(floor, eyes, passedS);
    const turn = this.snap.read(right.stickX);
    if (turn !== 0) floor.turn(eyes, turn);
    const back = this.recentre(floor, eyes, left.stickPressed || right.stickPressed);
    this.target(floor, eyes, left);
    return travelled || turn !== 0 || back;
  }

  /** Back to where one came in or went last, facing as one did then. */
  private recentre(floor: Floor, eyes: Float64Array, pressed: boolean): boolean {
    const asked = pressed && !this.pressed;
    this.pressed = pressed;
    if (asked) floor.place(eyes, this.home);
    return asked;
  }

  /** Aims with a stick pushed forward, or with a bare hand's pinch; a release goes there. */
  private target(floor: Floor, eyes: Float64Array, hand: HandReading): void {
    const held = hand.bare ? hand.pinched : this.stick.read(hand.stickX, hand.stickY);
    if (!hand.aims) {
      this.aim.cancel();
      return;
    }
    const released = this.aim.read(held);
    if (!held && !released) return;
    floor.pointToWorld(hand.ray, 0, _origin, 0);
    floor.directionToWorld(hand.ray, 3, _direction, 0);
    floor.pointToWorld(eyes, 0, _eyes, 0);
    // The release itself shakes the hand: one goes where the arc was last seen.
    if (held) this.arc.throw(_origin, _direction, _eyes);
    if (!released || !this.arc.valid || this.phase !== 'still') return;
    this.goalX = this.arc.x;
    this.goalZ = this.arc.z;
    this.phase = 'darkening';
  }

  /** Lets a teleport go on; true in the frame in which the person is elsewhere. */
  private pass(floor: Floor, eyes: Float64Array, passedS: number): boolean {
    if (this.phase === 'darkening') {
      this.shade = Math.min(this.shade + passedS / DARKEN_S, 1);
      if (this.shade < 1) return false;
      floor.moveTo(eyes, this.goalX, this.goalZ);
      this.home = floor.standing(eyes);
      this.phase = 'lightening';
      return true;
    }
    if (this.phase === 'lightening') {
      this.shade = Math.max(this.shade - passedS / LIGHTEN_S, 0);
      if (this.shade === 0) this.phase = 'still';
    }
    return false;
  }
}
