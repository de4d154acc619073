"""Owns packing: the state arrays of a session become the bytes of one snapshot."""

import math

import numpy as np
from armspan.server.wire import tables as t
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

_TURN = 2.0 * math.pi


def pack_snapshot(
    tick: int,
    session_time_us: int,
    rows: NDArray[np.int32],
    ids: NDArray[np.uint16],
    world_from_chest: NDArray[np.float64],
    head_rotation: NDArray[np.float64],
    joint_angles: NDArray[np.float64],
    sample_age_us: NDArray[np.int64],
    provenance: NDArray[np.uint8],
    discontinuity: NDArray[np.uint8],
    out: NDArray[np.uint8],
) -> int:
    """Write the snapshot of the avatars in `rows` (M,) into `out`; returns the bytes used.

    The other arrays have one row an avatar of the session: ids (N,), world_from_chest (N, 7)
    position xyz and rotation xyzw, head_rotation (N, 4) xyzw in the world, joint_angles (N, 15)
    radians, sample_age_us (N,), provenance (N, 3) head, left, right, discontinuity (N,).
    Coordinates beyond the caps saturate. A number that is not finite, which a session never holds,
    is written as its field's lowest value. ValueError if `out` is too short.
    """
    if out.shape[0] < t.HEADER_BYTES + rows.shape[0] * t.RECORD_BYTES:
        raise ValueError(f"a snapshot of {rows.shape[0]} avatars does not fit {out.shape[0]} bytes")
    return _pack(
        tick,
        session_time_us,
        rows,
        ids,
        world_from_chest,
        head_rotation,
        joint_angles,
        sample_age_us,
        provenance,
        discontinuity,
        out,
    )


@kernel
def _whole(field: int, value: float) -> np.uint64:
    """`protocol.quantise.linear`: halves go up, values beyond the bounds saturate."""
    scaled = (value - t.LOW[field]) * t.SCALE[field]
    scaled = scaled if scaled > 0.0 else 0.0  # and NaN becomes 0
    scaled = scaled if scaled < t.TOP[field] else t.TOP[field]
    return np.uint64(np.int64(scaled + 0.5))


@kernel
def _wrapped(angle_rad: float) -> float:
    """`protocol.quantise.wrapped`: the same angle in (-pi, pi]."""
    if -math.pi < angle_rad <= math.pi:
        return angle_rad
    return angle_rad - _TURN * np.ceil((angle_rad - math.pi) / _TURN)


@kernel
def _smallest_three(x: float, y: float, z: float, w: float) -> tuple[int, float, float, float]:
    """`protocol.quantise.smallest_three`: the dropped index, and the three others."""
    dropped, largest = 0, abs(x)
    if abs(y) > largest:
        dropped, largest = 1, abs(y)
    if abs(z) > largest:
        dropped, largest = 2, abs(z)
    if abs(w) > largest:
        dropped = 3
    first = y if dropped == 0 else x
    second = z if dropped <= 1 else y
    third = w if dropped <= 2 else z
    if (x, y, z, w)[dropped] < 0.0:
        return dropped, -first, -second, -third
    return dropped, first, second, third


@kernel
def _put_rotation(
    whole: NDArray[np.uint64], field: int, x: float, y: float, z: float, w: float
) -> None:
    dropped, first, second, third = _smallest_three(x, y, z, w)
    whole[field] = dropped
    whole[field + 1] = _whole(field + 1, first)
    whole[field + 2] = _whole(field + 2, second)
    whole[field + 3] = _whole(field + 3, third)


@kernel
def _put_number(out: NDArray[np.uint8], at: int, number: np.uint64, size_bytes: int) -> None:
    for byte in range(size_bytes):
        out[at + byte] = number >> np.uint64(8 * byte)


@kernel
def _write_fields(whole: NDArray[np.uint64], out: NDArray[np.uint8], start: int) -> None:
    """Write a record's fields, one whole number each, as one stream of bits from byte `start`."""
    at = np.uint64(start)  # unsigned: no check for indices from the end, so stores merge
    stream, filled = np.uint64(0), 0
    for field in range(t.FIELD_COUNT):
        stream |= whole[field] << np.uint64(filled)
        filled += t.BITS[field]
        if filled >= 32:
            out[at] = stream
            out[at + np.uint64(1)] = stream >> np.uint64(8)
            out[at + np.uint64(2)] = stream >> np.uint64(16)
            out[at + np.uint64(3)] = stream >> np.uint64(24)
            at += np.uint64(4)
            stream >>= np.uint64(32)
            filled -= 32
    while filled > 0:
        out[at] = stream
        at += np.uint64(1)
        stream >>= np.uint64(8)
        filled -= 8


@kernel
def _pack(
    tick: int,
    session_time_us: int,
    rows: NDArray[np.int32],
    ids: NDArray[np.uint16],
    world_from_chest: NDArray[np.float64],
    head_rotation: NDArray[np.float64],
    joint_angles: NDArray[np.float64],
    sample_age_us: NDArray[np.int64],
    provenance: NDArray[np.uint8],
    discontinuity: NDArray[np.uint8],
    out: NDArray[np.uint8],
) -> int:
    """First all fields of an avatar as whole numbers, then these as one stream of bits.

    Two short loops over a scratch row beat fields that are pushed into the stream one by one
    (5 against 15 us for 100 avatars): handing `out` to a helper counts references, for each field.
    """
    out[0], out[1] = t.SNAPSHOT_ID, 0
    _put_number(out, 2, np.uint64(rows.shape[0]), 2)
    _put_number(out, 4, np.uint64(tick), 4)
    _put_number(out, 8, np.uint64(session_time_us), 8)
    whole = np.empty(t.FIELD_COUNT, np.uint64)
    for index in range(rows.shape[0]):
        row = rows[index]
        whole[t.ID] = ids[row]
        for axis in range(3):
            whole[t.CHEST + axis] = _whole(t.CHEST + axis, world_from_chest[row, axis])
        x, y, z, w = world_from_chest[row, 3:7]
        _put_rotation(whole, t.CHEST_ROTATION, x, y, z, w)
        x, y, z, w = head_rotation[row]
        _put_rotation(whole, t.HEAD_ROTATION, x, y, z, w)
        for joint in range(t.JOINT_COUNT):
            angle_rad = _wrapped(joint_angles[row, joint])
            whole[t.JOINTS + joint] = _whole(t.JOINTS + joint, angle_rad)
        age = max(sample_age_us[row] + t.AGE_UNIT_US // 2, 0) // t.AGE_UNIT_US
        whole[t.SAMPLE_AGE] = min(np.uint64(age), t.MAXIMUM[t.SAMPLE_AGE])
        for sensor in range(t.SENSOR_COUNT):
            whole[t.PROVENANCE + sensor] = provenance[row, sensor] & 3
        whole[t.DISCONTINUITY] = discontinuity[row] & 15
        _write_fields(whole, out, t.HEADER_BYTES + index * t.RECORD_BYTES)
    return t.HEADER_BYTES + rows.shape[0] * t.RECORD_BYTES
