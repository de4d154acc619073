"""Owns which places of the palm a search tries, and in which order.

Seven numbers tell a place (``site.Place``). The first try is what is preferred of each: the middle
of a span the designer gives, or what suits the hand and the tube. Then a sequence without clusters
(Roberts 2018, additive recurrence on the generalised golden ratio) fills the spans, at first near
what is preferred and soon wholly; a longer search tries all that a shorter one does, and more.
"""

import math
from typing import Final

import numpy as np
from armspan.solvers.grasp.frame import Axis, section_at
from armspan.solvers.grasp.site import Floats, GraspError, GraspSite, Span
from armspan.solvers.hand.model import Hand
from armspan.solvers.kernel import kernel

ALONG, AROUND, DISTANCE, FORWARD, TILT, PITCH, ROLL = range(7)
NUMBERS: Final = 7
LOW, PREFERRED, HIGH = range(3)

_HAND_M = 0.19  # the hand that the next four are told for
_FORWARD = 0.6  # metres forward for each metre of radius, from ...
_THIN = 0.008  # ... this radius on, ...
_THICK = 0.032  # ... by as much as this
_FORWARD_M = 0.025
_DISTANCE = 0.08  # of the hand's length: how far off a palm may be
_TILT = (-0.35, 0.12, 0.5)  # rad: a hand's knuckles are not square to its fingers
_WHOLE_AFTER = 24  # tries, from which on the whole spans are filled
_ROUNDED_M = 1e-6  # by how much a fixed place may miss the end of a tube
_SHARES = np.zeros((NUMBERS + 1, NUMBERS))
for _count in range(1, NUMBERS + 1):
    _ratio = 1.5
    for _ in range(60):
        _ratio = (1.0 + _ratio) ** (1.0 / (_count + 1))
    _SHARES[_count, :_count] = [_ratio ** -(i + 1) % 1.0 for i in range(_count)]


def place_ranges(site: GraspSite, axis: Axis, hand: Hand) -> Floats:
    """Rows (7, 3) of low, preferred and high, for a search of this site with this hand."""
    out = np.empty((NUMBERS, 3))
    length = axis.length_m
    out[ALONG] = _given(along_span(site, length)) or (0.0, 0.5 * length, length)
    out[AROUND] = _given(site.around) or (-math.pi, 0.0, math.pi)
    *_, radius = section_at(axis, float(out[ALONG, PREFERRED]))
    out[DISTANCE] = _given(site.distance) or (0.0, 0.0, _DISTANCE * hand.length_m)
    out[FORWARD] = _given(site.forward) or forward_range(hand, radius)
    out[TILT] = _given(site.tilt) or _TILT
    out[PITCH] = _given(site.pitch) or (0.0, 0.0, 0.0)
    out[ROLL] = _given(site.roll) or (0.0, 0.0, 0.0)
    return out


def along_span(site: GraspSite, length: float) -> Span | None:
    """What of a site's span lies on its tube, ``length`` metres long; a closed one goes on.

    Raises GraspError where nothing does.
    """
    given = site.along
    if given is None or site.closed or 0.0 <= given.low <= given.high <= length:
        return given
    if given.high < -_ROUNDED_M or given.low > length + _ROUNDED_M:
        raise GraspError(
            f"the span along the tube, from {given.low:g} to {given.high:g} m, lies beyond its "
            f"ends: the tube is {length:g} m long; give places from 0 to that"
        )
    return Span(min(max(given.low, 0.0), length), min(max(given.high, 0.0), length))


def forward_range(hand: Hand, radius: float) -> tuple[float, float, float]:
    """How far before the palm's centre a tube of this radius is taken: low, preferred, high.

    Where most segments touch, and the thumb comes round: a thin tube lies under the palm's centre,
    a thick one toward the knuckles (found by trying radii, hands and tilts).
    """
    by = hand.length_m / _HAND_M
    preferred = _FORWARD * min(max(radius - _THIN * by, 0.0), _THICK * by)
    return preferred - _FORWARD_M * by, preferred, preferred + _FORWARD_M * by


def _given(span: Span | None) -> tuple[float, float, float] | None:
    return None if span is None else (span.low, span.middle, span.high)


@kernel
def free_numbers(ranges: Floats) -> int:
    """How many of a place's numbers are not fixed."""
    free = 0
    for number in range(NUMBERS):
        if ranges[number, HIGH] > ranges[number, LOW]:
            free += 1
    return free


@kernel
def write_place(ranges: Floats, attempt: int, out: Floats) -> None:
    """Write the place of an attempt, from 0 on, into ``out`` (7,)."""
    free = free_numbers(ranges)
    reach = min(1.0, math.sqrt(attempt / _WHOLE_AFTER))
    dimension = 0
    for number in range(NUMBERS):
        low, preferred, high = ranges[number, LOW], ranges[number, PREFERRED], ranges[number, HIGH]
        out[number] = preferred
        if high > low:
            step = 0.5 + attempt * _SHARES[free, dimension]
            offset = 2.0 * (step - math.floor(step) - 0.5) * reach
            dimension += 1
            out[number] += offset * (high - preferred if offset > 0.0 else preferred - low)
