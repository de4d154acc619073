/** Little-endian numbers at any byte of a payload, read without allocating a view of it. */

/** The number at hand. */
const _word = new DataView(new ArrayBuffer(4));

/** A little-endian number; above 2^53 it is only good for comparing. */
export function readNumber(payload: Uint8Array, at: number, sizeBytes: number): number {
  let number = 0;
  for (let index = sizeBytes - 1; index >= 0; index -= 1) {
    number = number * 256 + (payload[at + index] ?? 0);
  }
  return number;
}

/** The little-endian float at byte `at`. */
export function float32(payload: Uint8Array, at: number): number {
  for (let byte = 0; byte < 4; byte += 1) _word.setUint8(byte, payload[at + byte] ?? 0);
  return _word.getFloat32(0, true);
}
