"""The distance of two capsules against an exact search over the edges, for every sort of pair."""

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from armspan.solvers.grasp.capsule_distance import point_distance, segment_distance
from armspan.solvers.kernel import kernel
from numba import config

Point = tuple[float, float, float]


def brute(p0, p1, q0, q1) -> float:
    """Least distance in rational arithmetic: the stationary point if inside, and all four edges."""
    p0, p1, q0, q1 = (tuple(Fraction(float(x)) for x in point) for point in (p0, p1, q0, q1))
    u, v, r = (
        tuple(b - a for a, b in zip(*pair, strict=True)) for pair in ((p0, p1), (q0, q1), (p0, q0))
    )

    def dot(x, y):
        return sum(i * j for i, j in zip(x, y, strict=True))

    def squared(s, t):
        gap = tuple(ri + t * vi - s * ui for ri, ui, vi in zip(r, u, v, strict=True))
        return dot(gap, gap)

    def clamped(x):
        return min(max(x, Fraction(0)), Fraction(1))

    a, b, c, d, e = dot(u, u), dot(u, v), dot(v, v), dot(u, r), dot(v, r)
    tried = [squared(s, t) for s, t in itertools.product((0, 1), repeat=2)]
    for end in (Fraction(0), Fraction(1)):
        if c:
            tried.append(squared(end, clamped((b * end - e) / c)))
        if a:
            tried.append(squared(clamped((b * end + d) / a), end))
    if a * c - b * b:
        s = (c * d - b * e) / (a * c - b * b)
        t = (b * d - a * e) / (a * c - b * b)
        if 0 <= s <= 1 and 0 <= t <= 1:
            tried.append(squared(s, t))
    least = min(tried)
    scale = 2**400  # a root of a rational number to many more digits than a float has
    return math.isqrt(least.numerator * scale // least.denominator) / math.sqrt(scale)


def pairs(kind: str, count: int):
    source = np.random.default_rng(len(kind))
    for _ in range(count):
        p0, p1, q0, q1 = source.normal(size=(4, 3)) * 0.1
        u = p1 - p0
        along = source.uniform(-2.0, 2.0, 2)
        match kind:
            case "parallel":
                q1 = q0 + u * along[0]
            case "nearly parallel":
                q1 = q0 + u * along[0] + source.normal(size=3) * 10.0 ** source.uniform(-16, -5)
            case "nearly parallel and crossing":
                across = source.normal(size=3) * 10.0 ** source.uniform(-16, -5)
                q0, q1 = p0 + u * 0.3 - across, p0 + u * 0.6 + across
            case "on one line":
                q0, q1 = p0 + u * along[0], p0 + u * along[1]
            case "crossing":
                middle = p0 + u * source.uniform()
                q0, q1 = middle - (q1 - q0) * 0.3, middle + (q1 - q0) * 0.6
            case "point and segment":
                q1 = q0
            case "segment and point":
                p1 = p0
            case "points":
                p1, q1 = p0, q0
            case "the same":
                q0, q1 = p0, p1
            case "sharing an end":
                q0 = p1
            case "whole numbers":
                p0, p1, q0, q1 = np.round(source.uniform(-2, 2, (4, 3)))
            case "tiny and huge":
                q1 = q0 + (q1 - q0) * 1e-9
                p1 = p0 + u * 1e3
        yield tuple(tuple(float(x) for x in point) for point in (p0, p1, q0, q1))


KINDS = (
    "random",
    "parallel",
    "nearly parallel",
    "nearly parallel and crossing",
    "on one line",
    "crossing",
    "point and segment",
    "segment and point",
    "points",
    "the same",
    "sharing an end",
    "whole numbers",
    "tiny and huge",
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_distance_is_the_least_there_is(kind: str):
    for pair in pairs(kind, 200):
        distance, s, t = segment_distance(*pair)
        size = max(abs(x) for point in pair for x in point)
        assert abs(distance - brute(*pair)) <= 4e-15 * size, pair
        assert 0.0 <= s <= 1.0
        assert 0.0 <= t <= 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_places_are_where_the_distance_is(kind: str):
    for pair in pairs(kind, 50):
        distance, s, t = segment_distance(*pair)
        p0, p1, q0, q1 = (np.array(point) for point in pair)
        gap = np.linalg.norm(p0 + s * (p1 - p0) - q0 - t * (q1 - q0))
        np.testing.assert_allclose(gap, distance, atol=1e-15 * (1.0 + np.abs(p1).max()))
        other, _, _ = segment_distance(*pair[2:], *pair[:2])
        np.testing.assert_allclose(other, distance, atol=1e-14 * (1.0 + np.abs(p1).max()))


@pytest.mark.parametrize("kind", ["random", "point and segment", "points", "on one line"])
def test_a_point_is_a_segment_without_length(kind: str):
    for p0, _, q0, q1 in pairs(kind, 50):
        distance, t = point_distance(p0, q0, q1)
        np.testing.assert_allclose(
            [distance, t], np.array(segment_distance(p0, p0, q0, q1))[[0, 2]], atol=1e-15
        )


@kernel
def sum_of_distances(table, count):
    total = 0.0
    for i in range(count):
        row = table[i % len(table)]
        distance, _, _ = segment_distance(
            (row[0], row[1], row[2]),
            (row[3], row[4], row[5]),
            (row[6], row[7], row[8]),
            (row[9], row[10], row[11]),
        )
        total += distance
    return total


@pytest.mark.skipif(config.DISABLE_JIT, reason="a speed of compiled code")
def test_a_pair_takes_40_nanoseconds_at_most():
    table = np.random.default_rng(0).normal(size=(1024, 12))
    sum_of_distances(table, 10)
    count, times = 100_000, []
    for _ in range(20):
        start = time.perf_counter()
        sum_of_distances(table, count)
        times.append((time.perf_counter() - start) / count)
    assert min(times) <= 40e-9
