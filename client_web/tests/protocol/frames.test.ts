import { describe, expect, it } from 'vitest';
import {
  AVATAR_RECORD,
  FINGER_JOINTS,
  HANDS_FRAME_BYTES,
  HandsFlag,
  JOINTS,
  ProtocolError,
  SnapshotArrays,
  TRACKER_FRAME_BYTES,
  decodeHands,
  decodeSnapshot,
  decodeTracker,
  encodeHands,
  encodeTracker,
  type HandsFrame,
  type TrackerFrame,
} from '../../src/protocol/generated';
import {
  HANDS,
  INVALID_HANDS,
  INVALID_SNAPSHOTS,
  INVALID_TRACKERS,
  SNAPSHOTS,
  TRACKERS,
  payload,
  toHex,
  type AvatarFields,
  type HandsFields,
  type TrackerFields,
} from './vectors';

function trackerFrame(fields: TrackerFields): TrackerFrame {
  return {
    sampleTimeUs: fields.sample_time_us,
    tracked: fields.tracked,
    discontinuity: fields.discontinuity,
    poses: Float64Array.of(...fields.head, ...fields.left_palm, ...fields.right_palm),
    inputs: Uint8Array.of(...fields.left_input, ...fields.right_input),
  };
}

function handsFrame(fields: HandsFields): HandsFrame {
  return {
    flags: fields.flags,
    fingers: Float64Array.of(...fields.left_fingers_rad, ...fields.right_fingers_rad),
    points: Float64Array.of(...fields.left_point, ...fields.right_point),
  };
}

/** The hands of one row in the shape of the vectors. */
function handsAt(row: number, from: SnapshotArrays): HandsFields {
  const fingers = Array.from(from.fingers.subarray(40 * row, 40 * row + 40));
  const points = Array.from(from.points.subarray(6 * row, 6 * row + 6));
  return {
    id: from.handsIds[row],
    flags: from.handsFlags[row] ?? 0,
    left_fingers_rad: fingers.slice(0, 20),
    right_fingers_rad: fingers.slice(20),
    left_point: points.slice(0, 3),
    right_point: points.slice(3),
  };
}

/** As arrays of 32 bits hold it. */
function rounded(fields: HandsFields): HandsFields {
  return {
    ...fields,
    left_fingers_rad: fields.left_fingers_rad.map(Math.fround),
    right_fingers_rad: fields.right_fingers_rad.map(Math.fround),
  };
}

function closeCode(act: () => unknown): number {
  try {
    act();
  } catch (error) {
    if (error instanceof ProtocolError) return error.closeCode;
    throw error;
  }
  throw new Error('was not refused');
}

/** One row in the shape of the vectors. */
function avatarAt(row: number, from: SnapshotArrays): AvatarFields {
  const chest = Array.from(from.worldFromChest.subarray(7 * row, 7 * row + 7));
  return {
    id: from.ids[row] ?? 0,
    chest_position_m: chest.slice(0, 3),
    chest_rotation: chest.slice(3),
    head_rotation: Array.from(from.headRotation.subarray(4 * row, 4 * row + 4)),
    joint_angles_rad: Array.from(from.jointAngles.subarray(15 * row, 15 * row + 15)),
    sample_age_us: from.sampleAgeUs[row] ?? 0,
    provenance: Array.from(from.provenance.subarray(3 * row, 3 * row + 3)),
    discontinuity: from.discontinuity[row] ?? 0,
  };
}

describe('tracker frames', () => {
  it.each(TRACKERS)('$name', (vector) => {
    const out = new DataView(new ArrayBuffer(TRACKER_FRAME_BYTES + 10), 5, TRACKER_FRAME_BYTES);
    for (let at = 0; at < TRACKER_FRAME_BYTES; at += 1) out.setUint8(at, 0xaa);
    encodeTracker(trackerFrame(vector.frame), out);
    const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
    expect(toHex(bytes)).toBe(vector.hex);
    const expected = trackerFrame(vector.decoded);
    const decoded = decodeTracker(bytes);
    expect({ ...decoded, poses: null }).toEqual({ ...expected, poses: null });
    decoded.poses.forEach((number, index) => {
      expect(number).toBeCloseTo(expected.poses[index] ?? Number.NaN, 14);
    });
  });

  it.each(INVALID_TRACKERS)('refuses $name', (vector) => {
    expect(closeCode(() => decodeTracker(payload(vector)))).toBe(vector.close_code);
  });
});

describe('hands frames', () => {
  const out = new DataView(new ArrayBuffer(HANDS_FRAME_BYTES + 10), 5, HANDS_FRAME_BYTES);
  const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);

  it.each(HANDS)('$name', (vector) => {
    if (vector.frame !== null) {
      bytes.fill(0xaa);
      encodeHands(handsFrame(vector.frame), out);
      expect(toHex(bytes)).toBe(vector.hex);
    }
    expect(decodeHands(payload(vector))).toEqual(handsFrame(vector.decoded));
  });

  it.each(INVALID_HANDS)('refuses $name', (vector) => {
    expect(closeCode(() => decodeHands(payload(vector)))).toBe(vector.close_code);
  });

  it('bring every angle back within half a step, or to the bound that it exceeds', () => {
    const frame: HandsFrame = {
      flags: HandsFlag.LEFT_FINGERS | HandsFlag.RIGHT_FINGERS,
      fingers: new Float64Array(40),
      points: new Float64Array(6),
    };
    for (let round = 0; round <= 300; round += 1) {
      frame.fingers.fill(-1 + round / 80);
      encodeHands(frame, out);
      decodeHands(bytes).fingers.forEach((angle, index) => {
        const joint = FINGER_JOINTS[index % 20];
        if (joint === undefined) throw new Error('no such joint');
        const clamped = Math.min(Math.max(-1 + round / 80, joint.low), joint.high);
        expect(Math.abs(angle - clamped)).toBeLessThan(joint.step / 2 + 1e-9);
      });
    }
  });
});

describe('snapshots', () => {
  const arrays = new SnapshotArrays(20);

  it.each(SNAPSHOTS)('$name: equal to the last bit', ({ decoded, ...vector }) => {
    const count = decodeSnapshot(payload(vector), arrays);
    expect(count).toBe(decoded.avatars.length);
    expect(arrays.count).toBe(count);
    expect(arrays.tick).toBe(decoded.tick);
    expect(arrays.sessionTimeUs).toBe(decoded.session_time_us);
    decoded.avatars.forEach((avatar, row) => {
      expect(avatarAt(row, arrays)).toEqual(avatar);
    });
    expect(arrays.handsCount).toBe(decoded.hands.length);
    decoded.hands.forEach((hands, row) => {
      expect(handsAt(row, arrays)).toEqual(rounded(hands));
    });
  });

  it('without a section tell no hands, whatever the one before told', () => {
    const [nobody] = SNAPSHOTS;
    const all = SNAPSHOTS.find((vector) => vector.decoded.hands.length === 16);
    if (nobody === undefined || all === undefined) throw new Error('no vectors');
    decodeSnapshot(payload(all), arrays);
    expect(arrays.handsCount).toBe(16);
    decodeSnapshot(payload(nobody), arrays);
    expect(arrays.handsCount).toBe(0);
    expect(closeCode(() => decodeSnapshot(payload(all), new SnapshotArrays(15)))).toBe(4413);
  });

  it('are read from the middle of a buffer', () => {
    const vector = SNAPSHOTS[1];
    if (vector === undefined) throw new Error('no vectors');
    const bytes = payload(vector);
    const around = new Uint8Array(bytes.length + 7).fill(0xff);
    around.set(bytes, 3);
    decodeSnapshot(around.subarray(3, 3 + bytes.length), arrays);
    expect(avatarAt(0, arrays)).toEqual(vector.decoded.avatars[0]);
  });

  it.each(INVALID_SNAPSHOTS)('refuses $name', (vector) => {
    const roomy = new SnapshotArrays();
    expect(closeCode(() => decodeSnapshot(payload(vector), roomy))).toBe(vector.close_code);
    expect(roomy.count).toBe(0);
    expect(roomy.handsCount).toBe(0);
  });

  it('refuses more avatars than there is room for', () => {
    const twenty = SNAPSHOTS.find((vector) => vector.decoded.avatars.length === 20);
    if (twenty === undefined) throw new Error('no vector of twenty');
    expect(closeCode(() => decodeSnapshot(payload(twenty), new SnapshotArrays(19)))).toBe(4413);
  });

  it('agree with a decoder of big integers, whatever the bits', () => {
    const record = new Uint8Array(16 + 47);
    record.set([2, 0, 1, 0]);
    let state = 1;
    for (let round = 0; round < 500; round += 1) {
      for (let at = 16; at < record.length; at += 1) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        record[at] = state >>> 16;
      }
      // A valid id and provenances, the rest at random.
      record[16] = (record[16] ?? 0) | 1;
      record[62] = (record[62] ?? 0) & 0b1111_0101;
      record[61] = (record[61] ?? 0) & 0b0111_1111;
      decodeSnapshot(record, arrays);
      let whole = 0n;
      for (let at = record.length - 1; at >= 16; at -= 1) whole = (whole << 8n) | BigInt(record[at] ?? 0);
      const avatar = avatarAt(0, arrays);
      const angles = JOINTS.map((name) => value(whole, name));
      expect(avatar.joint_angles_rad).toEqual(angles);
      expect(avatar.chest_position_m).toEqual(
        ['chestXM', 'chestYM', 'chestZM'].map((name) => value(whole, name)),
      );
      expect(Math.hypot(...avatar.chest_rotation)).toBeCloseTo(1, 12);
      expect(Math.hypot(...avatar.head_rotation)).toBeCloseTo(1, 12);
    }
  });
});

/** The reference: one field of the record as an integer of any size. */
function value(whole: bigint, name: string): number {
  const field = AVATAR_RECORD.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  const bits = Number((whole >> BigInt(field.offset)) & ((1n << BigInt(field.bits)) - 1n));
  return field.low + bits * field.step;
}
