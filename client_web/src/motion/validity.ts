/**
 * Owns which parts of a body are known (tracked, or just now), and what that means for blending: a
 * part that was lost and is there again has nothing to do with where it was before.
 *
 * Known parts are bits: 1 the head, and with it the trunk; 2 and 4 the left and the right hand,
 * and with each its arm.
 */

import { Provenance } from '../protocol/generated';
import { ROTATION, type Floats, type WritableFloats } from './bones';

export const ALL_KNOWN = 7;
const HEAD = 1;
/** Rotations of upper arm, lower arm and hand, which stand together. */
const ARM_SIZE = 12;
const LEFT_ARM = 2;
const RIGHT_ARM = 4;

/** Bits of a row of provenances (head, left hand, right hand) that starts at `offset`. */
export function knownOf(provenance: ArrayLike<number>, offset: number): number {
  let known = 0;
  for (let sensor = 0; sensor < 3; sensor += 1) {
    if ((provenance[offset + sensor] ?? Provenance.LOST) !== Provenance.LOST) known |= 1 << sensor;
  }
  return known;
}

/** Of the bits that changed: whether the head was lost or found; then nothing of the body goes on. */
export function headChanged(changed: number): boolean {
  return (changed & HEAD) !== 0;
}

/** Copies the arms that were lost or found from `source`, a pose at `offset`. */
export function copyChangedArms(
  changed: number,
  source: Floats,
  offset: number,
  pose: WritableFloats,
): void {
  if (changed & LEFT_ARM) copyArm(ROTATION.leftUpperArm, source, offset, pose);
  if (changed & RIGHT_ARM) copyArm(ROTATION.rightUpperArm, source, offset, pose);
}

function copyArm(start: number, source: Floats, offset: number, pose: WritableFloats): void {
  for (let part = start; part < start + ARM_SIZE; part += 1) pose[part] = source[offset + part] ?? 0;
}
