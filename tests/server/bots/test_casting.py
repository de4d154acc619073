"""The cast: the same in every process, in protocol's bounds, and together where they acted so."""

import math

import numpy as np
import pytest
from armspan.protocol import Lengths, caps, clean_name
from armspan.server.bots.casting import Part, cast_random, cast_recordings
from armspan.server.traces import Recording, read_recording, shipped_recordings
from armspan.server.traces.rotations import rotate

SHIPPED = [read_recording(path) for path in shipped_recordings()]
BY_NAME = {recording.name: recording for recording in SHIPPED}
PAIR = [BY_NAME["handover_giver"], BY_NAME["handover_taker"]]


def pose(part: Part, elapsed_s: float) -> np.ndarray:
    out = np.empty(21)
    part.pose(elapsed_s, out)
    return out.reshape(3, 7)


def forward(part: Part) -> np.ndarray:
    """Where the person looks on average, from above."""
    over = np.linspace(0, part.motion.period_s, 200)
    heads = np.array([pose(part, time_s)[0] for time_s in over])
    return rotate(heads[:, 3:], np.array([0.0, 0, -1])).mean(axis=0)[[0, 2]]


def test_every_process_works_out_the_same_cast():
    for cast in (
        lambda: cast_random(7, 20, seed=3),
        lambda: cast_recordings(7, SHIPPED, seed=3),
    ):
        one, other = cast(), cast()
        assert len(one) == 7
        for a, b in zip(one, other, strict=True):
            assert (a.name, a.place, a.scale, a.start_s, a.phase, a.clock_us) == (
                b.name,
                b.place,
                b.scale,
                b.start_s,
                b.phase,
                b.clock_us,
            )
            assert np.array_equal(pose(a, 1.25), pose(b, 1.25))


def test_random_people_differ_in_size_clock_and_moment():
    parts = cast_random(20, 50, seed=0)
    for of in ("name", "scale", "start_s", "phase", "clock_us", "place"):
        assert len({getattr(part, of) for part in parts}) == 20
    assert all(0 <= part.phase < 1 for part in parts)
    assert all(part.clock_us + 2**45 < caps.TIME_US_MAX for part in parts)


def test_a_random_person_has_the_lengths_that_fit_its_size():
    for part in cast_random(5, 20, seed=0):
        expected = np.array(Lengths().as_row()) * part.scale
        np.testing.assert_allclose(part.lengths.as_row(), expected)


@pytest.mark.parametrize("count", [1, 6, 8, 20])
def test_recorded_people_have_valid_names_and_lengths(count: int):
    parts = cast_recordings(count, SHIPPED, seed=0)
    names = [part.name for part in parts]
    assert len(set(names)) == count
    assert all(clean_name(name) == name for name in names)
    assert all(isinstance(part.lengths, Lengths) for part in parts)


def test_lengths_beyond_the_bounds_are_told_as_the_bounds():
    giant = Recording("g", PAIR[0].time_s, PAIR[0].poses, PAIR[0].tracked, np.full(11, 9.0))
    lengths = cast_recordings(1, [giant], seed=0)[0].lengths
    assert lengths.as_row() == tuple(cap.high_m for cap in caps.LENGTHS)


def test_people_who_acted_together_still_meet():
    giver, taker = cast_recordings(2, PAIR, seed=0)
    closest = 9.0
    for time_s in np.linspace(0, giver.motion.period_s, 300):
        palms = pose(giver, time_s)[1:, None, :3] - pose(taker, time_s)[None, 1:, :3]
        closest = min(closest, float(np.linalg.norm(palms, axis=2).min()))
    assert closest < 0.35
    assert giver.place == taker.place


def test_a_second_pair_stands_elsewhere_and_meets_too():
    parts = cast_recordings(4, PAIR, seed=0)
    for giver, taker in (parts[:2], parts[2:]):
        apart = np.linalg.norm(pose(giver, 0)[0, :3] - pose(taker, 0)[0, :3])
        assert apart < 1.5
        assert giver.start_s == taker.start_s
    assert np.linalg.norm(pose(parts[0], 0)[0, :3] - pose(parts[2], 0)[0, :3]) > 1.0


def test_people_alone_look_at_the_middle_of_the_room():
    alone = [recording for recording in SHIPPED if not recording.group]
    for part in cast_recordings(4, alone, seed=0):
        here = np.array([part.place.x_m, part.place.z_m])
        towards = -here / np.linalg.norm(here)
        looks = forward(part)
        cosine = float(looks @ towards / np.linalg.norm(looks))
        assert math.degrees(math.acos(cosine)) < 10


def test_nobody_stands_in_another():
    parts = cast_recordings(8, SHIPPED, seed=0)
    for time_s in np.linspace(0, 40, 100):
        heads = np.array([pose(part, time_s)[0, :3] for part in parts])
        away = np.linalg.norm(heads[:, None] - heads[None], axis=2)
        assert away[np.triu_indices(8, 1)].min() > 0.4
