/**
 * Owns how one laser moves and fades: its end goes from where it is drawn to each newly told point
 * in the time that such points take to arrive, so that it neither stutters nor falls behind.
 */

import { Color, Vector3 } from 'three';
import type { Laser } from './lasers';

const FADE_S = 0.09;
const GONE = 0.01;
const USUAL_STEP_S = 1 / 15;
const SHORTEST_STEP_S = 0.03;
const LONGEST_STEP_S = 0.13;
const LEARN = 0.2;
/** A point that comes a little late does not stop the end on its way. */
const ROOM = 1.15;
const SAME_M = 1e-4;

const _colour = new Color();

export class LaserPath {
  id = 0;
  side = 0;
  /** Told of in this frame. */
  wanted = false;
  strength = 0;
  red = 1;
  green = 1;
  blue = 1;
  readonly from = new Vector3();
  /** Where it is drawn to end. */
  readonly end = new Vector3();
  private readonly start = new Vector3();
  private readonly told = new Vector3();
  private colour = '';
  private fresh = true;
  private own = false;
  private sinceS = 0;
  private stepS = USUAL_STEP_S;
  private lastsS = USUAL_STEP_S;

  get visible(): boolean {
    return this.strength > 0;
  }

  begin(id: number, side: number): void {
    this.id = id;
    this.side = side;
    this.fresh = true;
    this.sinceS = 0;
    this.stepS = USUAL_STEP_S;
    this.strength = 2 * GONE;
  }

  /** It is told of in this frame. */
  aim({ from, to, colour, own }: Laser): void {
    this.wanted = true;
    this.own = own === true;
    this.from.set(from.x, from.y, from.z);
    if (colour !== this.colour) this.paint(colour);
    if (this.fresh) {
      this.end.set(to.x, to.y, to.z);
      this.told.copy(this.end);
      this.start.copy(this.end);
      this.fresh = false;
    } else if (this.told.distanceToSquared(to) > SAME_M * SAME_M) {
      this.turnTo(to);
    }
  }

  advance(passedS: number): void {
    const goal = this.wanted ? 1 : 0;
    this.strength = goal + (this.strength - goal) * Math.exp(-passedS / FADE_S);
    if (!this.wanted && this.strength < GONE) this.strength = 0;
    this.sinceS += passedS;
    if (this.own) this.end.copy(this.told);
    else this.end.lerpVectors(this.start, this.told, Math.min(this.sinceS / this.lastsS, 1));
  }

  private turnTo(to: Laser['to']): void {
    // Pauses say nothing of how often points come while it moves.
    if (this.sinceS < 2 * LONGEST_STEP_S) this.stepS += LEARN * (this.sinceS - this.stepS);
    this.stepS = Math.min(Math.max(this.stepS, SHORTEST_STEP_S), LONGEST_STEP_S);
    this.lastsS = ROOM * this.stepS;
    this.start.copy(this.end);
    this.told.set(to.x, to.y, to.z);
    this.sinceS = 0;
  }

  private paint(colour: string): void {
    this.colour = colour;
    _colour.set(colour);
    this.red = _colour.r;
    this.green = _colour.g;
    this.blue = _colour.b;
  }
}
