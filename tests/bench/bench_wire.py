"""What the binary frames cost against the ordinary ways: numpy's structured arrays and msgpack.

All ways start from the arrays that a solver leaves and end at bytes (or the other way around) for
100 avatars. They take turns, so that a busy machine slows all alike; the ratios are what counts.
Numpy's way is given the easier task of byte-aligned 16-bit fields, which is not enough precision.

    python -m tests.bench.bench_wire [--json FILE]
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgpack
import numpy as np
from armspan.protocol.frames import (
    TrackerFrame,
    decode_snapshot,
    decode_tracker,
    encode_snapshot,
    encode_tracker,
)
from armspan.protocol.hands import (
    HandsFrame,
    HandsState,
    decode_hands,
    encode_hands,
    encode_sections,
)
from armspan.server.wire import (
    PARTS_BYTES,
    SnapshotArrays,
    hands_bytes,
    pack_hands,
    pack_snapshot,
    read_hands,
    read_tracker,
    unpack_snapshot,
)

AVATARS = 100
TURNS = 41
TURN_S = 0.01
# msgpack is what the snapshot would be as an ordinary message; numpy what it would be in arrays.
ALIGNED = np.dtype(
    [("id", "<u2"), ("position", "<i2", 3), ("rotations", "<i2", (2, 3)), ("angles", "<i2", 15)]
)
Ways = dict[str, Callable[[], object]]


def session() -> SnapshotArrays:
    source = np.random.default_rng(0)
    state = SnapshotArrays(capacity=AVATARS)
    state.ids[:] = np.arange(1, AVATARS + 1)
    state.world_from_chest[:, :3] = source.uniform(-5.0, 5.0, (AVATARS, 3))
    rotations = source.normal(size=(2, AVATARS, 4))
    rotations /= np.linalg.norm(rotations, axis=2, keepdims=True)
    state.world_from_chest[:, 3:], state.head_rotation[:] = rotations
    state.joint_angles[:] = source.uniform(-3.0, 3.0, (AVATARS, 15))
    state.sample_age_us[:] = source.integers(0, 20_000, AVATARS)
    state.provenance[:] = 2
    return state


def smallest_three(rotations: np.ndarray) -> np.ndarray:
    """The three smaller components as 15 bits each, the index in their lowest bits."""
    rows = np.arange(len(rotations))
    dropped = np.abs(rotations).argmax(axis=1)
    signs = np.where(rotations[rows, dropped] < 0.0, -1.0, 1.0)
    kept = np.ones(rotations.shape, bool)
    kept[rows, dropped] = False
    others = (rotations * signs[:, None])[kept].reshape(-1, 3)
    whole = np.rint(others * (np.sqrt(2.0) * 16_383)).astype(np.int16) << 1
    whole[:, 0] |= (dropped & 1).astype(np.int16)
    whole[:, 1] |= (dropped >> 1).astype(np.int16)
    return whole


def snapshot_ways(state: SnapshotArrays) -> Ways:
    rows, out = np.arange(AVATARS, dtype=np.int32), np.zeros(16 + 47 * AVATARS, np.uint8)
    aligned = np.empty(AVATARS, ALIGNED)

    def kernel() -> int:
        return pack_snapshot(
            1, 2, rows, state.ids, state.world_from_chest, state.head_rotation,
            state.joint_angles, state.sample_age_us, state.provenance, state.discontinuity, out,
        )  # fmt: skip

    def numpy() -> bytes:
        aligned["id"] = state.ids
        aligned["position"] = np.rint(state.world_from_chest[:, :3] * 300.0)
        aligned["rotations"][:, 0] = smallest_three(state.world_from_chest[:, 3:])
        aligned["rotations"][:, 1] = smallest_three(state.head_rotation)
        aligned["angles"] = np.rint(state.joint_angles * (32_767 / np.pi))
        return aligned.tobytes()

    def packed_lists() -> bytes:
        columns = (
            state.ids, state.world_from_chest, state.head_rotation, state.joint_angles,
            state.sample_age_us, state.provenance, state.discontinuity,
        )  # fmt: skip
        avatars = list(zip(*(column.tolist() for column in columns), strict=True))
        return msgpack.packb([1, 2, avatars], use_single_float=True)

    return {"kernel": kernel, "numpy, 16 bits": numpy, "msgpack": packed_lists}


def unpack_ways(state: SnapshotArrays) -> Ways:
    ways = snapshot_ways(state)
    out = np.zeros(16 + 47 * AVATARS, np.uint8)
    pack_snapshot(
        1, 2, np.arange(AVATARS, dtype=np.int32), state.ids, state.world_from_chest,
        state.head_rotation, state.joint_angles, state.sample_age_us, state.provenance,
        state.discontinuity, out,
    )  # fmt: skip
    frame, lists = out.tobytes(), ways["msgpack"]()
    received = SnapshotArrays(capacity=AVATARS)
    assert encode_snapshot(decode_snapshot(frame))[:4] == frame[:4]
    return {
        "kernel": lambda: unpack_snapshot(frame, received),
        "msgpack, to lists": lambda: msgpack.unpackb(lists),  # type: ignore[arg-type]
        "reference codec": lambda: decode_snapshot(frame),
    }


def tracker_ways() -> Ways:
    pose = (0.25, 1.5, -0.5, 0.0, 0.6, 0.0, 0.8)
    frame = encode_tracker(TrackerFrame(1, pose, pose, pose))
    poses, inputs = np.zeros(21), np.zeros(8, np.uint8)
    lists = msgpack.packb([7, 0, 1, *([*pose] * 3), [0] * 8], use_single_float=True)
    return {
        "kernel": lambda: read_tracker(frame, poses, inputs),
        "msgpack, unchecked": lambda: msgpack.unpackb(lists),
        "reference codec": lambda: decode_tracker(frame),
    }


def hands_ways() -> Ways:
    frame = encode_hands(
        HandsFrame(15, (0.25,) * 20, (0.5,) * 20, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    )
    parts = np.zeros(PARTS_BYTES, np.uint8)
    lists = msgpack.packb([15, [0.25] * 40, [1.0] * 6], use_single_float=True)
    return {
        "kernel": lambda: read_hands(frame, parts),
        "msgpack, unchecked": lambda: msgpack.unpackb(lists),
        "reference codec": lambda: decode_hands(frame),
    }


def section_ways() -> Ways:
    rows, ids = np.arange(AVATARS, dtype=np.int32), np.arange(1, AVATARS + 1, dtype=np.uint16)
    flags, parts = np.full(AVATARS, 15, np.uint8), np.zeros((AVATARS, PARTS_BYTES), np.uint8)
    out = np.zeros(hands_bytes(rows, flags), np.uint8)
    told = tuple(HandsState(id=int(person), flags=15) for person in ids)
    return {
        "kernel": lambda: pack_hands(rows, ids, flags, parts, out, 0),
        "reference codec": lambda: encode_sections(told),
    }


def in_turns(ways: Ways) -> dict[str, float]:
    """Microseconds a call: the median of many short turns."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(TURNS):
        for name, way in ways.items():
            calls, started = 0, time.perf_counter()
            while time.perf_counter() - started < TURN_S:
                way()
                calls += 1
            spent[name].append((time.perf_counter() - started) / calls * 1e6)
    return {name: sorted(times)[len(times) // 2] for name, times in spent.items()}


def measure() -> dict[str, dict[str, float]]:
    """Microseconds by task and way; the kernel is always the first way."""
    state = session()
    return {
        f"pack {AVATARS} avatars": in_turns(snapshot_ways(state)),
        f"unpack {AVATARS} avatars": in_turns(unpack_ways(state)),
        "read a tracker frame": in_turns(tracker_ways()),
        "read a hands frame": in_turns(hands_ways()),
        f"pack the hands of {AVATARS} people": in_turns(section_ways()),
    }


def main() -> int:
    """Print a table; with `--json` write the figures."""
    parser = argparse.ArgumentParser(description="Time the binary frames.")
    parser.add_argument("--json", metavar="FILE", help="write the figures; - for standard output")
    target = parser.parse_args().json
    figures = measure()
    text = json.dumps(figures, indent=2) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return 0
    if target:
        Path(target).write_text(text)
    for task, ways in figures.items():
        sys.stdout.write(f"{task}\n")
        kernel_us = next(iter(ways.values()))
        for name, spent_us in ways.items():
            sys.stdout.write(f"  {name:20}{spent_us:10.2f} us{spent_us / kernel_us:8.1f} x\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
