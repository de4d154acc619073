"""Owns the reference codec of the binary frames: slow, plain, and the oracle of the fast ones.

It reads and writes an avatar record as one Python integer, field by field from the table. All
arithmetic is float64 in the order written here, so that other codecs can agree bit for bit.
"""

import math
import struct
from dataclasses import dataclass
from typing import cast

from armspan.protocol import caps, quantise
from armspan.protocol.close_codes import CloseCode
from armspan.protocol.errors import ProtocolError
from armspan.protocol.hands import HandsState, decode_sections, encode_sections
from armspan.protocol.layout import (
    AVATAR_RECORD,
    AVATAR_RECORD_BYTES,
    JOINT_FIELDS,
    SNAPSHOT_HEADER_BYTES,
    SNAPSHOT_ID,
    TRACKER_FRAME_BYTES,
    TRACKER_FRAME_ID,
    Coding,
    Provenance,
    Sensor,
)
from armspan.protocol.quantise import Rotation

Pose = tuple[float, float, float, float, float, float, float]
Buffer = bytes | bytearray | memoryview

_TRACKER = struct.Struct("<BBBBQ21f8B")
_HEADER = struct.Struct("<BBHIQ")
_SENSOR_WORDS = {sensor: sensor.name.lower().replace("_", " ") for sensor in Sensor}


@dataclass(frozen=True, slots=True)
class TrackerFrame:
    """One sample of a person's three sensors; a pose is position xyz, then rotation xyzw."""

    sample_time_us: int
    head: Pose  # the eyes frame
    left_palm: Pose
    right_palm: Pose
    tracked: int = 0b111  # bit 0 head, 1 left, 2 right
    discontinuity: int = 0
    left_input: tuple[int, int, int, int] = (0, 0, 0, 0)  # buttons, pinch, grip, trigger
    right_input: tuple[int, int, int, int] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class AvatarState:
    """What a snapshot tells of one avatar; metres, radians, world frame, rotations xyzw."""

    id: int
    chest_position_m: tuple[float, float, float]
    chest_rotation: Rotation
    head_rotation: Rotation
    joint_angles_rad: tuple[float, ...]  # 15, in the order of `layout.JOINT_FIELDS`
    sample_age_us: int = 0  # of the sample behind this state, at the tick
    provenance: tuple[int, int, int] = (2, 2, 2)  # of head, left, right, as in `Provenance`
    discontinuity: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All avatars of a session at one tick."""

    tick: int
    session_time_us: int
    avatars: tuple[AvatarState, ...]
    hands: tuple[HandsState, ...] = ()  # of people whose hands are told at this tick


def encode_tracker(frame: TrackerFrame) -> bytes:
    """The 104 bytes of a tracker frame. Writes what it is given: decoding is what checks."""
    return _TRACKER.pack(
        TRACKER_FRAME_ID,
        frame.tracked,
        frame.discontinuity,
        0,
        frame.sample_time_us,
        *frame.head,
        *frame.left_palm,
        *frame.right_palm,
        *frame.left_input,
        *frame.right_input,
    )


def decode_tracker(payload: Buffer) -> TrackerFrame:
    """The tracker frame in `payload`, tracked rotations normalised; raises ProtocolError."""
    if len(payload) and payload[0] != TRACKER_FRAME_ID:
        raise ProtocolError(
            CloseCode.UNKNOWN_MESSAGE,
            f"A message of id 0x{payload[0]:02x} is no tracker frame (0x{TRACKER_FRAME_ID:02x}).",
        )
    if len(payload) != TRACKER_FRAME_BYTES:
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"A tracker frame has {len(payload)} bytes, but must have {TRACKER_FRAME_BYTES}.",
        )
    _, tracked, discontinuity, reserved, sample_time_us, *rest = _TRACKER.unpack(payload)
    _check_tracker_head(tracked, discontinuity, reserved, sample_time_us)
    numbers, inputs = rest[:21], rest[21:]
    poses = [cast(Pose, tuple(numbers[7 * sensor : 7 * sensor + 7])) for sensor in Sensor]
    for sensor in Sensor:
        _check_finite(sensor, poses[sensor])
    for sensor in Sensor:
        if tracked >> sensor & 1:
            poses[sensor] = _checked_pose(sensor, poses[sensor])
    head, left_palm, right_palm = poses
    return TrackerFrame(
        sample_time_us=sample_time_us,
        head=head,
        left_palm=left_palm,
        right_palm=right_palm,
        tracked=tracked,
        discontinuity=discontinuity,
        left_input=cast(tuple[int, int, int, int], tuple(inputs[:4])),
        right_input=cast(tuple[int, int, int, int], tuple(inputs[4:])),
    )


def _check_tracker_head(
    tracked: int, discontinuity: int, reserved: int, sample_time_us: int
) -> None:
    limits = (
        ("tracked", tracked, 0b111),
        ("discontinuity", discontinuity, caps.DISCONTINUITY_MAX),
        ("reserved", reserved, 0),
        ("sample_time_us", sample_time_us, caps.TIME_US_MAX),
    )
    for name, value, limit in limits:
        if value > limit:
            raise ProtocolError(
                CloseCode.MALFORMED,
                f"The tracker frame's {name} is {value}, but may be at most {limit}.",
            )


def _check_finite(sensor: Sensor, pose: Pose) -> None:
    for number in pose:
        if not math.isfinite(number):
            raise ProtocolError(
                CloseCode.NOT_FINITE,
                f"The {_SENSOR_WORDS[sensor]}'s pose holds {number}, but every number must be "
                "finite; repeat an untracked sensor's last pose.",
            )


def _checked_pose(sensor: Sensor, pose: Pose) -> Pose:
    x, y, z, rx, ry, rz, rw = pose
    for number in (x, y, z):
        if abs(number) > caps.COORDINATE_M:
            raise ProtocolError(
                CloseCode.OUT_OF_RANGE,
                f"The {_SENSOR_WORDS[sensor]} is at {number:.9g} m, but tracked coordinates lie "
                f"within {caps.COORDINATE_M:g} m; move the origin of tracking.",
            )
    norm = math.sqrt(rx * rx + ry * ry + rz * rz + rw * rw)
    if abs(norm - 1.0) > caps.UNIT_QUATERNION_TOLERANCE:
        raise ProtocolError(
            CloseCode.OUT_OF_RANGE,
            f"The {_SENSOR_WORDS[sensor]}'s rotation has norm {norm:.9g}, but must have 1 within "
            f"{caps.UNIT_QUATERNION_TOLERANCE:g}; send a unit quaternion x y z w.",
        )
    return x, y, z, rx / norm, ry / norm, rz / norm, rw / norm


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """The header, one record an avatar, and the sections. All numbers must be finite."""
    header = _HEADER.pack(
        SNAPSHOT_ID, 0, len(snapshot.avatars), snapshot.tick, snapshot.session_time_us
    )
    records = b"".join(encode_avatar(avatar) for avatar in snapshot.avatars)
    return header + records + encode_sections(snapshot.hands)


def encode_avatar(avatar: AvatarState) -> bytes:
    """The 47 bytes of one avatar's record."""
    values = _values(avatar)
    record = shift = 0
    for field in AVATAR_RECORD:
        value = values[field.name]
        match field.coding:
            case Coding.WHOLE | Coding.DROPPED:
                whole = int(value)
            case Coding.LINEAR:
                whole = quantise.linear(field, value)
            case Coding.ANGLE:
                whole = quantise.linear(field, quantise.wrapped(value))
            case Coding.AGE:
                whole = quantise.age(int(value), field.maximum)
        if not 0 <= whole <= field.maximum:
            raise ValueError(f"{field.name} {value} does not fit {field.bits} bits")
        record |= whole << shift
        shift += field.bits
    return record.to_bytes(AVATAR_RECORD_BYTES, "little")


def _values(avatar: AvatarState) -> dict[str, float]:
    """The value of every field of the record, before it is quantised."""
    values: dict[str, float] = dict(zip(JOINT_FIELDS, avatar.joint_angles_rad, strict=True))
    for name, rotation in (
        ("chest_rotation", avatar.chest_rotation),
        ("head_rotation", avatar.head_rotation),
    ):
        values[f"{name}_dropped"], others = quantise.smallest_three(rotation)
        values |= {f"{name}_{n}": other for n, other in enumerate(others, 1)}
    x, y, z = avatar.chest_position_m
    head, left, right = avatar.provenance
    return values | {
        "id": avatar.id,
        "chest_x_m": x,
        "chest_y_m": y,
        "chest_z_m": z,
        "sample_age": avatar.sample_age_us,
        "head_provenance": head,
        "left_provenance": left,
        "right_provenance": right,
        "discontinuity": avatar.discontinuity,
    }


def decode_snapshot(payload: Buffer) -> Snapshot:
    """The snapshot in `payload`; sections of unknown kinds are skipped. Raises ProtocolError."""
    count, tick, session_time_us = decode_header(payload)
    end = SNAPSHOT_HEADER_BYTES + count * AVATAR_RECORD_BYTES
    starts = range(SNAPSHOT_HEADER_BYTES, end, AVATAR_RECORD_BYTES)
    avatars = tuple(decode_avatar(payload[at : at + AVATAR_RECORD_BYTES]) for at in starts)
    return Snapshot(tick, session_time_us, avatars, decode_sections(payload, end))


def decode_header(payload: Buffer) -> tuple[int, int, int]:
    if len(payload) > caps.SERVER_MESSAGE_BYTES:
        raise ProtocolError(
            CloseCode.TOO_LARGE,
            f"A snapshot has {len(payload)} bytes, but may have {caps.SERVER_MESSAGE_BYTES}.",
        )
    if len(payload) and payload[0] != SNAPSHOT_ID:
        raise ProtocolError(
            CloseCode.UNKNOWN_MESSAGE,
            f"A message of id 0x{payload[0]:02x} is no snapshot (0x{SNAPSHOT_ID:02x}).",
        )
    if len(payload) < SNAPSHOT_HEADER_BYTES:
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"A snapshot has {len(payload)} bytes, but its header alone has "
            f"{SNAPSHOT_HEADER_BYTES}.",
        )
    _, _, count, tick, session_time_us = _HEADER.unpack(payload[:SNAPSHOT_HEADER_BYTES])
    needed = SNAPSHOT_HEADER_BYTES + count * AVATAR_RECORD_BYTES
    if count > caps.PEOPLE_PER_SESSION or session_time_us > caps.TIME_US_MAX:
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"A snapshot claims {count} avatars at {session_time_us} us, but may hold "
            f"{caps.PEOPLE_PER_SESSION} before 2^53 us.",
        )
    if len(payload) < needed:
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"A snapshot of {count} avatars has {len(payload)} bytes, but needs {needed}.",
        )
    return count, tick, session_time_us


def decode_avatar(record: Buffer) -> AvatarState:
    """The avatar in the 47 bytes of a record; raises ProtocolError."""
    bits = int.from_bytes(record, "little")
    values: dict[str, float] = {}
    whole: dict[str, int] = {}
    for field in AVATAR_RECORD:
        whole[field.name] = bits & field.maximum
        values[field.name] = quantise.from_linear(field, whole[field.name])
        bits >>= field.bits
    provenance = (whole["head_provenance"], whole["left_provenance"], whole["right_provenance"])
    if whole["id"] == 0 or max(provenance) > max(Provenance):
        raise ProtocolError(
            CloseCode.MALFORMED,
            f"An avatar has id {whole['id']} and provenances {provenance}, but ids begin at 1 "
            f"and provenances end at {max(Provenance)}.",
        )
    return AvatarState(
        id=whole["id"],
        chest_position_m=(values["chest_x_m"], values["chest_y_m"], values["chest_z_m"]),
        chest_rotation=_decoded_rotation("chest_rotation", whole, values),
        head_rotation=_decoded_rotation("head_rotation", whole, values),
        joint_angles_rad=tuple(values[name] for name in JOINT_FIELDS),
        sample_age_us=whole["sample_age"] * caps.SAMPLE_AGE_UNIT_US,
        provenance=provenance,
        discontinuity=whole["discontinuity"],
    )


def _decoded_rotation(name: str, whole: dict[str, int], values: dict[str, float]) -> Rotation:
    others = (values[f"{name}_1"], values[f"{name}_2"], values[f"{name}_3"])
    return quantise.from_smallest_three(whole[f"{name}_dropped"], others)
