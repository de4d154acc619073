"""Owns hands in arrays: frames in, the section of a snapshot out, and both back again.

A server never looks at angles: it keeps the parts of a frame as the bytes they came in, checked,
and a section is made of the same bytes.
"""

import math

import numpy as np
from armspan.protocol.hands import decode_hands
from armspan.server.wire import tables as t
from armspan.server.wire.tracker import float32
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Buffer = bytes | bytearray | memoryview
PARTS_BYTES = t.HANDS_PARTS_BYTES
"""What is kept of a frame: all that follows its head."""


def read_hands(payload: Buffer, parts: NDArray[np.uint8]) -> int:
    """Check a hands frame and take its parts over; returns its flags.

    Writes parts (PARTS_BYTES,): the bytes behind the frame's head, those of parts that are not
    told as they came. Raises ProtocolError, and then nothing has changed.
    """
    flags = _read_hands(np.frombuffer(payload, np.uint8), parts)
    if flags < 0:
        # Broken: the reference codec finds the words.
        decode_hands(payload)
        raise AssertionError("the kernel refuses a hands frame that the reference codec takes")
    return flags


def write_hands(
    flags: int, fingers_rad: NDArray[np.floating], points: NDArray[np.floating]
) -> bytes:
    """The 68 bytes of a hands frame; parts whose flag is not set become zeros.

    fingers_rad (40,): 20 of the left hand in the order of `layout.FINGERS`, then of the right;
    angles saturate. points (6,): where the left hand points at, then the right, world, metres.
    """
    scaled = (np.asarray(fingers_rad, np.float64).reshape(2, -1) - t.FINGER_LOW) * t.FINGER_SCALE
    codes = (np.clip(scaled, 0.0, t.FINGER_TOP) + 0.5).astype(np.uint8)
    parts = codes.tobytes() + np.asarray(points, "<f4").tobytes()
    told = b"".join(
        parts[at : at + size_bytes] if flags >> bit & 1 else bytes(size_bytes)
        for bit, (at, size_bytes) in enumerate(zip(t.PART_AT, t.PART_BYTES, strict=True))
    )
    return bytes((t.HANDS_ID, flags, 0, 0)) + told


@kernel
def hands_bytes(rows: NDArray[np.int32], flags: NDArray[np.uint8]) -> int:
    """The size of the sections that tell the hands of `rows` (M,); flags (N,). 0 for none."""
    total, room = 0, 0
    for index in range(rows.shape[0]):
        size_bytes = _entry_bytes(int(flags[rows[index]]))
        if size_bytes > room:
            total += t.SECTION_HEADER_BYTES
            room = t.SECTION_BODY_BYTES
        total += size_bytes
        room -= size_bytes
    return total


@kernel
def pack_hands(
    rows: NDArray[np.int32],
    ids: NDArray[np.uint16],
    flags: NDArray[np.uint8],
    parts: NDArray[np.uint8],
    out: NDArray[np.uint8],
    start: int,
) -> int:
    """Write the sections that tell the hands of `rows` (M,) from byte `start`; returns the end.

    ids (N,), flags (N,), parts (N, PARTS_BYTES) as `read_hands` left them. `out` has room for
    `hands_bytes(rows, flags)` bytes more.
    """
    at, header, room = start, -1, 0
    for index in range(rows.shape[0]):
        row = rows[index]
        size_bytes = _entry_bytes(int(flags[row]))
        if size_bytes > room:
            header = at
            out[header], out[header + 1] = t.SECTION_HANDS, 0
            at += t.SECTION_HEADER_BYTES
            room = t.SECTION_BODY_BYTES
        room -= size_bytes
        out[at] = ids[row] & 0xFF
        out[at + 1] = ids[row] >> 8
        out[at + 2] = flags[row]
        at += t.HANDS_ENTRY_HEAD_BYTES
        for part in range(t.PART_COUNT):
            if flags[row] >> part & 1:
                for byte in range(t.PART_BYTES[part]):
                    out[at + byte] = parts[row, t.PART_AT[part] + byte]
                at += t.PART_BYTES[part]
        body_bytes = at - header - t.SECTION_HEADER_BYTES
        out[header + 2] = body_bytes & 0xFF
        out[header + 3] = body_bytes >> 8
    return at


@kernel
def unpack_hands(
    payload: NDArray[np.uint8],
    start: int,
    ids: NDArray[np.uint16],
    flags: NDArray[np.uint8],
    fingers_rad: NDArray[np.float32],
    points: NDArray[np.float32],
) -> int:
    """Read the sections from byte `start` on into the first rows; returns how many people's.

    ids (N,), flags (N,), fingers_rad (N, 40), points (N, 6); parts that are not told become
    zeros. -1 for sections that break a rule or hold more than N people.
    """
    at, row = start, 0
    while at < payload.shape[0]:
        if at + t.SECTION_HEADER_BYTES > payload.shape[0]:
            return -1
        kind = payload[at]
        end = at + t.SECTION_HEADER_BYTES + int(payload[at + 2]) + (int(payload[at + 3]) << 8)
        if end > payload.shape[0]:
            return -1
        at += t.SECTION_HEADER_BYTES
        if kind == t.SECTION_HANDS:
            while at < end:
                if row >= ids.shape[0] or at + t.HANDS_ENTRY_HEAD_BYTES > end:
                    return -1
                ids[row] = payload[at] | np.uint16(payload[at + 1]) << 8
                flags[row] = payload[at + 2]
                if ids[row] == 0 or flags[row] > t.HANDS_FLAGS:
                    return -1
                if at + _entry_bytes(flags[row]) > end:
                    return -1
                at += t.HANDS_ENTRY_HEAD_BYTES
                if not _unpack_parts(payload, at, flags[row], fingers_rad, points, row):
                    return -1
                at += _entry_bytes(flags[row]) - t.HANDS_ENTRY_HEAD_BYTES
                row += 1
        at = end
    return row


@kernel
def _entry_bytes(flags: int) -> int:
    size_bytes = t.HANDS_ENTRY_HEAD_BYTES
    for part in range(t.PART_COUNT):
        if flags >> part & 1:
            size_bytes += t.PART_BYTES[part]
    return size_bytes


@kernel
def _unpack_parts(
    payload: NDArray[np.uint8],
    start: int,
    flags: int,
    fingers_rad: NDArray[np.float32],
    points: NDArray[np.float32],
    row: int,
) -> bool:
    """The parts of one entry into a row of the arrays; False for a point that breaks a rule."""
    at = start
    for side in range(2):
        told = flags >> side & 1
        for joint in range(t.FINGER_COUNT):
            angle_rad = 0.0
            if told:
                angle_rad = t.FINGER_LOW[joint] + payload[at + joint] * t.FINGER_STEP[joint]
            fingers_rad[row, side * t.FINGER_COUNT + joint] = angle_rad
        at += t.FINGER_COUNT if told else 0
    for side in range(2):
        told = flags >> (2 + side) & 1
        for axis in range(3):
            number = float32(payload, at + 4 * axis) if told else 0.0
            if not abs(number) <= t.COORDINATE_M:  # or not a number
                return False
            points[row, 3 * side + axis] = number
        at += t.POINT_BYTES if told else 0
    return True


@kernel
def _read_hands(frame: NDArray[np.uint8], parts: NDArray[np.uint8]) -> int:
    """As `read_hands`; -1, with nothing written, for a frame that breaks a rule."""
    if frame.shape[0] != t.HANDS_FRAME_BYTES or frame[0] != t.HANDS_ID:
        return -1
    flags = int(frame[t.HANDS_FLAGS_AT])
    if flags > t.HANDS_FLAGS or frame[t.HANDS_RESERVED_AT] or frame[t.HANDS_RESERVED_AT + 1]:
        return -1
    for side in range(2):
        told = flags >> (2 + side) & 1
        for axis in range(3):
            number = float32(frame, t.HANDS_POINTS_AT + side * t.POINT_BYTES + 4 * axis)
            if not math.isfinite(number) or (told and abs(number) > t.COORDINATE_M):
                return -1
    for byte in range(t.HANDS_PARTS_BYTES):
        parts[byte] = frame[t.HANDS_PARTS_AT + byte]
    return flags
