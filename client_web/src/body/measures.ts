/**
 * Owns how a model is scaled to a person: the factors by which each part of its skeleton is longer.
 *
 * Arms and hands follow the person's lengths exactly, for palms must be where they are tracked. The
 * rest follows the eyes' height, unless that contradicts the arms: whoever was measured on a chair
 * has the eye height of a child, but a grown person's arms.
 */

import { LENGTH, type Floats } from '../motion/bones';
import { BONE, type Skeleton } from './skeleton';

export interface Measures {
  /** Legs, pelvis, girth. */
  body: number;
  head: number;
  /** The trunk's height, hips to shoulders. */
  trunk: number;
  /** The trunk's width at the shoulders. */
  lateral: number;
  /** Of the arms: along them, the model's rest lengths times this; and across. */
  upperArm: number;
  lowerArm: number;
  girth: number;
  hand: number;
  /** Hips to the floor when standing, m. */
  standing: number;
}

export function newMeasures(): Measures {
  return {
    body: 1,
    head: 1,
    trunk: 1,
    lateral: 1,
    upperArm: 1,
    lowerArm: 1,
    girth: 1,
    hand: 1,
    standing: 1,
  };
}

/** How far the body's height may be from what the arms suggest. */
const SHORTEST = 0.78;
const TALLEST = 1.2;

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

function restLength(skeleton: Skeleton, from: number, to: number): number {
  const { rest } = skeleton;
  const x = at(rest, 3 * to) - at(rest, 3 * from);
  const y = at(rest, 3 * to + 1) - at(rest, 3 * from + 1);
  const z = at(rest, 3 * to + 2) - at(rest, 3 * from + 2);
  return Math.max(Math.sqrt(x * x + y * y + z * z), 1e-3);
}

/** Writes the factors for a person's lengths (metres, in the protocol's order). */
export function measure(skeleton: Skeleton, lengths: Floats, out: Measures): void {
  const { left, right, hips, spine } = BONE;
  const upper = restLength(skeleton, left.upperArm, left.lowerArm);
  const lower = restLength(skeleton, left.lowerArm, left.hand);
  out.upperArm = at(lengths, LENGTH.upperArm) / upper;
  out.lowerArm = at(lengths, LENGTH.forearm) / lower;
  const arms = (at(lengths, LENGTH.upperArm) + at(lengths, LENGTH.forearm)) / (upper + lower);
  const eyesY = Math.max(at(skeleton.eyes, 1), 0.1);
  const stature = at(lengths, LENGTH.eyeHeight) / eyesY;
  out.body = clamp(stature, SHORTEST * arms, TALLEST * arms);
  out.girth = (out.body + arms) / 2;
  out.head = clamp((1 + out.body) / 2, 0.6, 1.6);
  out.hand = at(lengths, LENGTH.hand) / Math.max(skeleton.handLength, 1e-3);
  const shoulderX = Math.abs(at(skeleton.rest, 3 * left.upperArm));
  out.lateral = at(lengths, LENGTH.shoulderLateral) / Math.max(shoulderX, 1e-3);
  const hipsY = at(skeleton.rest, 3 * hips + 1);
  const spineY = at(skeleton.rest, 3 * spine + 1);
  const shoulderY = (at(skeleton.rest, 3 * left.upperArm + 1) + at(skeleton.rest, 3 * right.upperArm + 1)) / 2;
  // From the spine up the trunk has its own measure; the pelvis has that of the legs.
  const trunk = Math.max(shoulderY - spineY, 1e-3);
  out.standing = out.body * hipsY;
  const above =
    at(lengths, LENGTH.sternumDown) +
    at(lengths, LENGTH.neck) +
    at(lengths, LENGTH.eyesUp) -
    at(lengths, LENGTH.shoulderUp);
  const height = out.body * eyesY - above - out.body * spineY;
  out.trunk = clamp(height / trunk, 0.75 * out.body, 1.3 * out.body);
}
