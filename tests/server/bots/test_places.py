"""Places: apart, and facing one another."""

import math

import pytest
from armspan.server.bots.places import places


@pytest.mark.parametrize("count", [1, 2, 3, 8, 12, 13, 50, 300])
def test_people_stand_apart_and_look_at_the_middle(count: int):
    found = places(count)
    assert len(found) == count
    for index, place in enumerate(found):
        for other in found[index + 1 :]:
            assert math.hypot(place.x_m - other.x_m, place.z_m - other.z_m) > 1.39
        radius_m = math.hypot(place.x_m, place.z_m)
        ahead = (-math.sin(place.yaw_rad), -math.cos(place.yaw_rad))
        assert radius_m == 0 or place.x_m * ahead[0] + place.z_m * ahead[1] == pytest.approx(
            -radius_m
        )
        assert radius_m < 40


def test_a_few_people_make_one_circle():
    assert len({round(math.hypot(p.x_m, p.z_m), 6) for p in places(12)}) == 1
