"""Owns hypothesis strategies for messages and frames, made from the declarations themselves."""

import math
from dataclasses import asdict
from typing import Any

from armspan.protocol import CLIENT_MESSAGES, SERVER_MESSAGES, Message, Record, caps, layout
from armspan.protocol.declaration import (
    Nested,
    Optional,
    Sequence,
    WireType,
    fields_of,
)
from armspan.protocol.frames import AvatarState, Pose, Snapshot, TrackerFrame
from armspan.protocol.hands import HandsFrame, HandsState, Point
from armspan.protocol.wire_types import Blob, Choice, Flag, Integer, Real, Text
from hypothesis import strategies as st


def values(declared: WireType) -> st.SearchStrategy[Any]:
    """Values that a field of this type takes, its bounds among them."""
    match declared:
        case Integer(low, high):
            return st.integers(low, high) | st.sampled_from([low, high])
        case Real(low, high):
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case Flag():
            return st.booleans()
        case Blob(size_bytes):
            return st.binary(min_size=size_bytes, max_size=size_bytes)
        case Text(pattern=pattern) if pattern:
            return st.from_regex(pattern, fullmatch=True)
        case Text():
            texts = st.text(max_size=declared.max_bytes).filter(declared.accepts)
            return texts | st.just("n" * declared.max_bytes)
        case Choice(enum):
            return st.sampled_from(list(enum))
        case Optional(inner):
            return st.none() | values(inner)
        case Nested(record):
            return records(record)
        case Sequence(inner):
            return st.lists(values(inner), max_size=4).map(tuple)


def records(record: type[Record]) -> st.SearchStrategy[Any]:
    return st.builds(record, **{field.name: values(field.type) for field in fields_of(record)})


def messages() -> st.SearchStrategy[Message]:
    return st.one_of([records(message) for message in (*CLIENT_MESSAGES, *SERVER_MESSAGES)])


def rotations() -> st.SearchStrategy[tuple[float, float, float, float]]:
    component = st.floats(-1.0, 1.0)
    quaternions = st.tuples(component, component, component, component)
    return quaternions.filter(lambda q: math.hypot(*q) > 0.1).map(
        lambda q: tuple(c / math.hypot(*q) for c in q)
    )


def float32_poses() -> st.SearchStrategy[Pose]:
    coordinate = st.floats(-caps.COORDINATE_M, caps.COORDINATE_M, width=32)
    return st.builds(
        lambda position, rotation: (*position, *rotation),
        st.tuples(coordinate, coordinate, coordinate),
        rotations(),
    )


def trackers() -> st.SearchStrategy[TrackerFrame]:
    byte = st.integers(0, 255)
    return st.builds(
        TrackerFrame,
        sample_time_us=st.integers(0, caps.TIME_US_MAX),
        head=float32_poses(),
        left_palm=float32_poses(),
        right_palm=float32_poses(),
        tracked=st.integers(0, 7),
        discontinuity=st.integers(0, 15),
        left_input=st.tuples(byte, byte, byte, byte),
        right_input=st.tuples(byte, byte, byte, byte),
    )


def avatars() -> st.SearchStrategy[AvatarState]:
    """Avatars as a session may hold them: also out of the record's bounds, never not finite."""
    coordinate = st.floats(-100.0, 100.0) | st.floats(-1e6, 1e6)
    angle = st.floats(-math.pi, math.pi) | st.floats(-20.0, 20.0)
    provenance = st.integers(0, 2)
    return st.builds(
        AvatarState,
        id=st.integers(1, caps.PERSON_ID_MAX),
        chest_position_m=st.tuples(coordinate, coordinate, coordinate),
        chest_rotation=rotations(),
        head_rotation=rotations(),
        joint_angles_rad=st.lists(angle, min_size=15, max_size=15).map(tuple),
        sample_age_us=st.integers(-(10**6), 10**7),
        provenance=st.tuples(provenance, provenance, provenance),
        discontinuity=st.integers(0, 15),
    )


def fingers() -> st.SearchStrategy[tuple[float, ...]]:
    """Angles of one hand, also beyond their bounds."""
    within = [st.floats(joint.low, joint.high) for joint in layout.FINGERS]
    return st.tuples(*within) | st.lists(st.floats(-9.0, 9.0), min_size=20, max_size=20).map(tuple)


def points() -> st.SearchStrategy[Point]:
    coordinate = st.floats(-caps.COORDINATE_M, caps.COORDINATE_M, width=32)
    return st.tuples(coordinate, coordinate, coordinate)


def hands() -> st.SearchStrategy[HandsFrame]:
    return st.builds(HandsFrame, st.integers(0, 15), fingers(), fingers(), points(), points())


def told_hands() -> st.SearchStrategy[HandsState]:
    return st.builds(
        lambda person, frame: HandsState(id=person, **asdict(frame)),
        st.integers(1, caps.PERSON_ID_MAX),
        hands(),
    )


def snapshots() -> st.SearchStrategy[Snapshot]:
    return st.builds(
        Snapshot,
        tick=st.integers(0, 2**32 - 1),
        session_time_us=st.integers(0, caps.TIME_US_MAX),
        avatars=st.lists(avatars(), max_size=4).map(tuple),
        hands=st.lists(told_hands(), max_size=4).map(tuple),
    )


def mangled(payloads: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Valid payloads with some bytes replaced, dropped or added."""

    def mangle(payload: bytes, edits: list[tuple[int, int, int]]) -> bytes:
        mangled = bytearray(payload)
        for kind, where, byte in edits:
            at = where % (len(mangled) + 1)
            if kind == 0:
                mangled[at : at + 1] = bytes((byte,))
            elif kind == 1:
                mangled.insert(at, byte)
            else:
                del mangled[at : at + 1 + byte % 8]
        return bytes(mangled)

    edits = st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2**16), st.integers(0, 255)), max_size=4
    )
    return st.builds(mangle, payloads, edits)
