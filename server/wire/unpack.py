"""Owns unpacking: the bytes of one snapshot become arrays, for clients in Python and tests."""

import math
from dataclasses import dataclass, field

import numpy as np
from armspan.protocol import CloseCode, ProtocolError, caps
from armspan.protocol.frames import decode_header, decode_snapshot
from armspan.server.wire import tables as t
from armspan.server.wire.hands import unpack_hands
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Buffer = bytes | bytearray | memoryview


@dataclass(slots=True)
class SnapshotArrays:
    """Room for a snapshot of up to `capacity` avatars; the shapes are those of `pack_snapshot`.

    The hands that it tells are in rows of their own, `hands_count` of them: hands_ids (N,),
    hands_flags (N,), fingers (N, 40) radians, points (N, 6) world, metres; left before right, and
    what is not told is zero.
    """

    capacity: int = caps.PEOPLE_PER_SESSION
    tick: int = 0
    session_time_us: int = 0
    ids: NDArray[np.uint16] = field(init=False)
    world_from_chest: NDArray[np.float64] = field(init=False)
    head_rotation: NDArray[np.float64] = field(init=False)
    joint_angles: NDArray[np.float64] = field(init=False)
    sample_age_us: NDArray[np.int64] = field(init=False)
    provenance: NDArray[np.uint8] = field(init=False)
    discontinuity: NDArray[np.uint8] = field(init=False)
    hands_count: int = 0
    hands_ids: NDArray[np.uint16] = field(init=False)
    hands_flags: NDArray[np.uint8] = field(init=False)
    fingers: NDArray[np.float32] = field(init=False)
    points: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        self.ids = np.zeros(self.capacity, np.uint16)
        self.world_from_chest = np.zeros((self.capacity, 7))
        self.head_rotation = np.zeros((self.capacity, 4))
        self.joint_angles = np.zeros((self.capacity, t.JOINT_COUNT))
        self.sample_age_us = np.zeros(self.capacity, np.int64)
        self.provenance = np.zeros((self.capacity, t.SENSOR_COUNT), np.uint8)
        self.discontinuity = np.zeros(self.capacity, np.uint8)
        self.hands_ids = np.zeros(self.capacity, np.uint16)
        self.hands_flags = np.zeros(self.capacity, np.uint8)
        self.fingers = np.zeros((self.capacity, 2 * t.FINGER_COUNT), np.float32)
        self.points = np.zeros((self.capacity, 6), np.float32)


def unpack_snapshot(payload: Buffer, out: SnapshotArrays) -> int:
    """Check a snapshot and write its avatars into the first rows of `out`; returns how many.

    Raises ProtocolError; the rows of `out` may then hold anything, its tick and time are kept.
    """
    out.hands_count = 0
    count, tick, session_time_us = decode_header(payload)
    if count > out.capacity:
        raise _no_room(f"{count} avatars", out.capacity)
    received = np.frombuffer(payload, np.uint8)
    valid = _unpack(
        received,
        count,
        out.ids,
        out.world_from_chest,
        out.head_rotation,
        out.joint_angles,
        out.sample_age_us,
        out.provenance,
        out.discontinuity,
    )
    records_end = t.HEADER_BYTES + count * t.RECORD_BYTES
    hands = 0
    if valid and len(received) > records_end:
        hands = unpack_hands(
            received, records_end, out.hands_ids, out.hands_flags, out.fingers, out.points
        )
    if not valid or hands < 0:
        # Broken: the reference codec finds the words.
        told = decode_snapshot(payload).hands
        if len(told) > out.capacity:
            raise _no_room(f"the hands of {len(told)} people", out.capacity)
        raise AssertionError("the kernel refuses a snapshot that the reference codec takes")
    out.hands_count = hands
    out.tick, out.session_time_us = tick, session_time_us
    return count


def _no_room(what: str, capacity: int) -> ProtocolError:
    return ProtocolError(
        CloseCode.TOO_LARGE,
        f"A snapshot holds {what}, but this receiver made room for {capacity}.",
    )


@kernel
def _value(field: int, whole: np.uint64) -> float:
    return t.LOW[field] + float(whole) * t.STEP[field]


@kernel
def _rotation(whole: NDArray[np.uint64], field: int) -> tuple[float, float, float, float]:
    """`protocol.quantise.from_smallest_three`: x, y, z, w of unit length."""
    a = _value(field + 1, whole[field + 1])
    b = _value(field + 2, whole[field + 2])
    c = _value(field + 3, whole[field + 3])
    rest = 1.0 - (a * a + b * b + c * c)
    if rest < 0.0:
        norm = math.sqrt(a * a + b * b + c * c)
        a, b, c, rest = a / norm, b / norm, c / norm, 0.0
    largest = math.sqrt(rest)
    if whole[field] == 0:
        return largest, a, b, c
    if whole[field] == 1:
        return a, largest, b, c
    if whole[field] == 2:
        return a, b, largest, c
    return a, b, c, largest


@kernel
def _read_fields(payload: NDArray[np.uint8], at: int, whole: NDArray[np.uint64]) -> None:
    """Take the record at byte `at` apart into one whole number a field."""
    stream, filled = np.uint64(0), 0
    end = at + t.RECORD_BYTES
    for index in range(t.FIELD_COUNT):
        while filled < t.BITS[index] or (filled <= 32 and at < end):
            stream |= np.uint64(payload[at]) << np.uint64(filled)
            at += 1
            filled += 8
        whole[index] = stream & t.MAXIMUM[index]
        stream >>= np.uint64(t.BITS[index])
        filled -= t.BITS[index]


@kernel
def _unpack(
    payload: NDArray[np.uint8],
    count: int,
    ids: NDArray[np.uint16],
    world_from_chest: NDArray[np.float64],
    head_rotation: NDArray[np.float64],
    joint_angles: NDArray[np.float64],
    sample_age_us: NDArray[np.int64],
    provenance: NDArray[np.uint8],
    discontinuity: NDArray[np.uint8],
) -> bool:
    """False as soon as a record breaks a rule. `payload` holds `count` whole records."""
    whole = np.empty(t.FIELD_COUNT, np.uint64)
    for row in range(count):
        _read_fields(payload, t.HEADER_BYTES + row * t.RECORD_BYTES, whole)
        if whole[t.ID] == 0:
            return False
        ids[row] = whole[t.ID]
        for axis in range(3):
            world_from_chest[row, axis] = _value(t.CHEST + axis, whole[t.CHEST + axis])
        rotation = _rotation(whole, t.CHEST_ROTATION)
        for component in range(4):
            world_from_chest[row, 3 + component] = rotation[component]
        rotation = _rotation(whole, t.HEAD_ROTATION)
        for component in range(4):
            head_rotation[row, component] = rotation[component]
        for joint in range(t.JOINT_COUNT):
            joint_angles[row, joint] = _value(t.JOINTS + joint, whole[t.JOINTS + joint])
        sample_age_us[row] = whole[t.SAMPLE_AGE] * np.uint64(t.AGE_UNIT_US)
        for sensor in range(t.SENSOR_COUNT):
            if whole[t.PROVENANCE + sensor] > np.uint64(t.PROVENANCE_MAX):
                return False
            provenance[row, sensor] = whole[t.PROVENANCE + sensor]
        discontinuity[row] = whole[t.DISCONTINUITY]
    return True
