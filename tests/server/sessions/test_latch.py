"""The latch copies what is tracked, keeps what is not, and touches no other row."""

import numpy as np
from armspan.server.sessions.arrays import AvatarArrays
from armspan.server.sessions.latch import latch


def latched(arrays: AvatarArrays, rows: list[int], now_us: int) -> None:
    latch(
        now_us,
        np.array(rows, np.int32),
        arrays.poses,
        arrays.tracked_bits,
        arrays.sample_time_us,
        arrays.world_from_head,
        arrays.head_rotation,
        arrays.world_from_hand,
        arrays.tracked,
        arrays.sample_age_us,
    )


def test_each_sensor_is_copied_only_while_it_is_tracked():
    random = np.random.default_rng(3)
    arrays = AvatarArrays.of(4)
    for bits in (7, 1, 2, 4, 0, 6, 5):
        before = arrays.grown(4)
        arrays.poses[:] = random.random((4, 21))
        arrays.tracked_bits[2] = bits
        latched(arrays, [2], 0)
        sensors = [arrays.world_from_head[2], *arrays.world_from_hand[2]]
        kept = [before.world_from_head[2], *before.world_from_hand[2]]
        for n, (sensor, old) in enumerate(zip(sensors, kept, strict=True)):
            tracked = bool(bits >> n & 1)
            assert arrays.tracked[2, n] == tracked
            wanted = arrays.poses[2, 7 * n : 7 * n + 7] if tracked else old
            np.testing.assert_array_equal(sensor, wanted)
        np.testing.assert_array_equal(arrays.head_rotation[2], arrays.world_from_head[2, 3:])
        for row in (0, 1, 3):
            np.testing.assert_array_equal(arrays.world_from_head[row], [0, 0, 0, 0, 0, 0, 1])
            assert not arrays.tracked[row].any()


def test_age_is_never_negative():
    arrays = AvatarArrays.of(2)
    arrays.sample_time_us[:] = (1_000, 5_000)
    latched(arrays, [0, 1], 3_000)
    assert arrays.sample_age_us.tolist() == [2_000, 0]
