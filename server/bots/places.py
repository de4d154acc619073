"""Owns where people stand: in rings about the middle of the room, looking at it."""

import math
from collections.abc import Iterator

from armspan.server.bots.motion import Place

APART_M = 1.6  # two people with their arms out just miss each other
INNERMOST_M = 1.4
ONE_CIRCLE = 12  # people; more than these stand in rings


def places(count: int) -> list[Place]:
    """``count`` places, at least 1.4 m apart, each looking at the middle; one alone: there."""
    if count == 1:
        return [Place()]
    found: list[Place] = []
    for radius_m, capacity in _rings(count):
        here = min(capacity, count - len(found))
        for step in range(here):
            angle = 2 * math.pi * step / here
            # Yaw 0 looks along -Z, so whoever looks at the middle with it stands at +Z.
            found.append(Place(radius_m * math.sin(angle), radius_m * math.cos(angle), angle))
        if len(found) == count:
            break
    return found


def _rings(count: int) -> Iterator[tuple[float, int]]:
    """Radius and room of each ring: one circle that fits a few, else rings from the middle."""
    radius_m = INNERMOST_M
    if count <= ONE_CIRCLE:
        radius_m = max(radius_m, (count + 0.01) * APART_M / (2 * math.pi))
    while True:
        yield radius_m, int(2 * math.pi * radius_m / APART_M)
        radius_m += APART_M
