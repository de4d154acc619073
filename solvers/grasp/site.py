"""Owns the numbers of a grasp site: a tube, and where about it a hand may be.

A place of the palm is told in a section of the tube: ``along`` its axis, ``around`` it, and then
how the hand sits there (``distance``, ``forward``, ``tilt``, ``pitch``, ``roll``). Every one is a
span; a span whose ends are equal is a fixed value. Frames: ``frame.py``.
"""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Fingers = tuple[bool, bool, bool, bool, bool]

ALL_FINGERS: Fingers = (True, True, True, True, True)
LEAST_TOLERANCE_M = 1e-5
MOST_TOLERANCE_M = 0.02
LEAST_RADIUS_M = 5e-4  # a hand feels no thinner tube
LEAST_LENGTH_M = 1e-3
MOST_RADIUS_M = 10.0
MOST_POSTURES = 10_000_000
_LONGEST_M = 1000.0


class GraspError(ValueError):
    """A site that no hand could ever grasp, for a reason that lies in its numbers."""


class Thumb(IntEnum):
    """What the thumb does: closes round the tube, lies along it, or stays out of the grasp."""

    CLOSED = 0
    ON_THE_SIDE = 1
    UNUSED = 2


@dataclass(frozen=True)
class Span:
    """All values from ``low`` to ``high``, both included."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise GraspError(f"a span from {self.low} to {self.high}: both ends must be finite")
        if self.low > self.high:
            raise GraspError(f"a span from {self.low:g} to {self.high:g}: put its lower end first")

    @property
    def middle(self) -> float:
        """Halfway between the ends."""
        return 0.5 * (self.low + self.high)

    @property
    def width(self) -> float:
        """From end to end; 0 is a fixed value."""
        return self.high - self.low


FIXED_AT_ZERO = Span(0.0, 0.0)


@dataclass(frozen=True, eq=False)
class GraspSite:
    """A tube and how a hand may take it. Metres and radians, in the object's frame.

    A span left ``None`` is chosen from the tube and the hand that grasps (``places.py``).

    - ``points`` (K, 3), ``radii`` (K,): the axis, and the tube's radius at each point; a closed
      tube leads from the last point back to the first, which is not repeated.
    - ``normal``: the reference normal at the first point, made perpendicular to the axis; ``None``
      chooses one by a rule.
    - ``along``: arc length of the section's place. On a closed tube it may exceed the length; of an
      open one, what lies beyond the ends counts for nothing, and some of it must lie between them.
    - ``around``: where round the tube the back of the hand points: the angle about the tangent from
      the section's reference normal.
    - ``sign``: the thumb's side lies toward ``sign`` times the tangent, for either hand, so that
      the left hand's grasp is the mirror image of the right one's.
    - ``distance``: gap between the palm and the object; 0 touches. The palm comes down on it from
      above; before a tube ahead of the palm it stops where a flat palm would have that gap.
    - ``forward``: the section's place along the fingers, from the palm's centre.
    - ``tilt``, ``pitch``, ``roll``: turns of the hand about its +Y, +X and -Z, in this order, as a
      right hand has them; a left one turns as in a mirror.
    - ``spread``: the angle between neighbouring fingers, 0 for parallel ones, as far as each joint
      allows; ``None`` leaves them parallel and turns one aside that has no room.
    - ``fingers``: thumb, index, middle, ring, little.
    """

    points: Floats
    radii: Floats
    closed: bool = False
    normal: Floats | None = None
    along: Span | None = None
    around: Span | None = None
    sign: int = 1
    distance: Span | None = None
    forward: Span | None = None
    tilt: Span | None = None
    pitch: Span = FIXED_AT_ZERO
    roll: Span = FIXED_AT_ZERO
    tolerance_m: float = 0.002
    thumb: Thumb = Thumb.CLOSED
    spread: Span | None = None
    fingers: Fingers = ALL_FINGERS
    max_postures: int = 10_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _floats(self.points))
        object.__setattr__(self, "radii", _floats(self.radii))
        if self.normal is not None:
            object.__setattr__(self, "normal", _floats(self.normal))
        _check_tube(self)
        _check_hold(self)


class Part(IntEnum):
    """What of a hand touches; the first five are digits in the hand's order."""

    THUMB = 0
    INDEX = 1
    MIDDLE = 2
    RING = 3
    LITTLE = 4
    PALM = 5


class Segment(IntEnum):
    """Which bone of a digit, from its base; a thumb's are metacarpal, proximal and distal.

    The palm is one piece and always ``FIRST``.
    """

    FIRST = 0
    SECOND = 1
    THIRD = 2


class DigitState(IntEnum):
    """How a digit ended."""

    TOUCHES = 0
    AT_LIMIT = 1  # off the tube, and closed till its joints, the hand or the object's rest stops it
    RELAXED = 2  # takes no part in the grasp
    INSIDE = 3  # no posture of it stays out of the object: only where no grasp was found
    MISSES = 4  # a thumb that does not reach: only where no grasp was found


@dataclass(frozen=True, eq=False)
class Contact:
    """Where a part of the hand touches; in the object's frame.

    ``gap_m`` is the distance between the surfaces, negative where they sink into each other.
    ``normal`` is the object's outward unit normal at ``point``, which lies on its surface;
    ``on_tube``: on that of the site's tube, and not on the rest of the object.
    """

    finger: Part
    segment: Segment
    gap_m: float
    point: Floats
    normal: Floats
    on_tube: bool = True


@dataclass(frozen=True)
class Place:
    """Where the palm is about the tube: one value of each of the site's spans."""

    along: float
    around: float
    distance: float
    forward: float
    tilt: float
    pitch: float
    roll: float


@dataclass(frozen=True, eq=False)
class Grasp:
    """What a search found. Where ``grasped`` is false, the nearest miss, and ``why`` it is one.

    ``joint_angles`` (20,) in the hand's order; poses (7,) position xyz, rotation xyzw: the palm's
    place in the object (``object_from_palm``) and its inverse. ``digits``: how each of the five
    ended. ``deepest_m``: how far the hand sinks in at most, 0 where it only touches.
    """

    grasped: bool
    why: str
    postures_tested: int
    joint_angles: Floats
    palm_from_object: Floats
    object_from_palm: Floats
    place: Place
    digits: tuple[DigitState, ...]
    contacts: tuple[Contact, ...]
    deepest_m: float


def _floats(given: Any) -> Floats:
    try:
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as wrong:
        raise GraspError("the tube of a site is told in plain numbers") from wrong


def _check_tube(site: GraspSite) -> None:
    points, radii = site.points, site.radii
    least = 3 if site.closed else 2
    if points.ndim != 2 or points.shape[1:] != (3,) or len(points) < least:
        raise GraspError(
            f"the axis has shape {points.shape}: it needs at least {least} points of three numbers"
        )
    if radii.shape != (len(points),):
        raise GraspError(f"{len(points)} points of the axis need as many radii, not {radii.shape}")
    if not (np.isfinite(points).all() and np.isfinite(radii).all()):
        raise GraspError("axis and radii must be finite numbers: look for NaN in the site")
    if float(np.abs(points).max()) > _LONGEST_M:
        raise GraspError(f"the axis goes farther than {_LONGEST_M:g} m: is it in millimetres?")
    if not 0.0 < float(radii.min()) <= float(radii.max()) <= MOST_RADIUS_M:
        raise GraspError(
            f"radii from {radii.min():g} to {radii.max():g} m: they must be more than 0 and at "
            f"most {MOST_RADIUS_M:g} m; are they in millimetres?"
        )
    if float(radii.max()) < LEAST_RADIUS_M:
        raise GraspError(
            f"a tube of {radii.max():g} m radius at its thickest: no hand feels less than "
            f"{LEAST_RADIUS_M:g} m; give it the radius that it has"
        )
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    if length < LEAST_LENGTH_M:
        raise GraspError(
            f"the axis is {length:g} m long, which is no length to grasp: it must be at least "
            f"{LEAST_LENGTH_M:g} m; give it two different points"
        )
    normal = site.normal
    if normal is not None and not (
        normal.shape == (3,) and bool(np.isfinite(normal).all()) and bool(normal.any())
    ):
        raise GraspError(f"the reference normal {normal} must be three finite numbers, not all 0")


def _check_hold(site: GraspSite) -> None:
    if site.sign not in (1, -1):
        raise GraspError(f"a sign of {site.sign}: it is 1 or -1, the side of the thumb")
    if not LEAST_TOLERANCE_M <= site.tolerance_m <= MOST_TOLERANCE_M:
        raise GraspError(
            f"a touch tolerance of {site.tolerance_m:g} m: it must be from "
            f"{LEAST_TOLERANCE_M:g} to {MOST_TOLERANCE_M:g} m"
        )
    if not 1 <= site.max_postures <= MOST_POSTURES:
        raise GraspError(
            f"{site.max_postures} postures: a search needs from 1 to {MOST_POSTURES} of them"
        )
    if len(site.fingers) != 5:
        raise GraspError(f"{len(site.fingers)} fingers: tell of five, thumb first, who takes part")
    if not any(site.fingers[1:]):
        raise GraspError("no finger but the thumb takes part: choose at least one of the others")
