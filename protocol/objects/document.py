"""Owns the smart object as data: what it is made of, its tubes, grasp sites and postures.

Metres, radians and kilograms, in the object's own frame. These classes check what the schema
cannot say; what it can say (ranges, counts, words) is checked where a document is read or written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from armspan.protocol.objects.errors import DocumentError, shown
from armspan.protocol.objects.geometry import Piece, Pose, Vector
from armspan.protocol.objects.vocabulary import (
    Digit,
    HandSegment,
    Side,
    ThumbToward,
    ThumbUse,
    Touching,
    TubeKind,
)

_Word = TypeVar("_Word")

VERSION = 1
"""Of the vocabulary: the last part of the namespace. What is new within it counts as revisions."""
REVISION = 1
NAMESPACE = f"urn:armspan:smart-object:{VERSION}"
JOINTS = 20  # of a hand: four a digit, in the hand's order
DEFAULT_TOLERANCE_M = 0.002
DEFAULT_MAX_POSTURES = 10_000


@dataclass(frozen=True)
class Span:
    """All values from low to high, both included; equal ends are a fixed value."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse ends in the wrong order."""
        if not self.low <= self.high:
            raise DocumentError(f"a span of {self.low:g} {self.high:g}; put its lower end first")


ZERO = Span(0.0, 0.0)


@dataclass(frozen=True)
class Mass:
    """How heavy the object is, and where its centre of mass is; None: that of its geometry."""

    mass_kg: float
    centre_m: Vector | None = None


@dataclass(frozen=True)
class Section:
    """A tube's cross-section: a point of the axis, and the radius there."""

    position_m: Vector
    radius_m: float


@dataclass(frozen=True)
class TubeRegion:
    """A part of the object that runs round an axis.

    ``closed``: a ring, whose last section is joined to the first one, which is not repeated.
    ``normal``: where "around" is zero at the first section; None chooses by a rule.
    """

    name: str
    kind: TubeKind
    sections: tuple[Section, ...]
    closed: bool = False
    normal: Vector | None = None

    def __post_init__(self) -> None:
        """Refuse an axis without length, and a normal without direction."""
        places = {section.position_m for section in self.sections}
        if len(places) < (3 if self.closed else 2):
            raise DocumentError(
                f"tube {shown(self.name)} has {len(places)} different points; "
                + ("a ring needs three" if self.closed else "an axis needs two")
            )
        if self.normal is not None and not any(self.normal):
            raise DocumentError(
                f"normal of tube {shown(self.name)} is 0 0 0; a direction is wanted"
            )


@dataclass(frozen=True)
class ParameterSet:
    """One way to grasp a tube. Spans that are None are chosen from the tube and the hand.

    What each span means is told in docs/smart-object.md, and where the solvers own it: along (m)
    and around (rad) say where the section and the palm are, distance and forward (m) and tilt,
    pitch and roll (rad) how the hand sits there; spread (rad) is the fingers'.
    """

    name: str
    hands: tuple[Side, ...] = (Side.LEFT, Side.RIGHT)
    thumb: ThumbUse = ThumbUse.CLOSED
    thumb_toward: ThumbToward = ThumbToward.END
    fingers: tuple[Digit, ...] = tuple(Digit)
    tolerance_m: float = DEFAULT_TOLERANCE_M
    along_m: Span | None = None
    around_rad: Span | None = None
    distance_m: Span | None = None
    forward_m: Span | None = None
    tilt_rad: Span | None = None
    pitch_rad: Span = ZERO
    roll_rad: Span = ZERO
    spread_rad: Span | None = None
    max_postures: int = DEFAULT_MAX_POSTURES

    def __post_init__(self) -> None:
        """Bring words into one order; refuse a grasp without a finger."""
        object.__setattr__(self, "hands", _in_order(self.hands, Side))
        object.__setattr__(self, "fingers", _in_order(self.fingers, Digit))
        if self.fingers == (Digit.THUMB,):
            raise DocumentError(
                f"parameter set {shown(self.name)} has only the thumb in its fingers; "
                "at least one finger must take part"
            )


@dataclass(frozen=True)
class GraspSite:
    """A tube that may be grasped, and the ways to do it, in the order in which they are tried."""

    name: str
    tube: str
    parameter_sets: tuple[ParameterSet, ...]

    def __post_init__(self) -> None:
        """Refuse two ways of one name."""
        _check_unique("parameter set", (given.name for given in self.parameter_sets))


@dataclass(frozen=True)
class Contact:
    """Where a hand touches: the object's surface point and outward unit normal; gap (m)."""

    finger: Touching
    segment: HandSegment
    gap_m: float
    point_m: Vector
    normal: Vector


@dataclass(frozen=True)
class Posture:
    """A grasp that was found for a hand.

    ``palm_from_object``: the object's place in the palm's frame. ``joint_angles_rad`` (20) in the
    hand's order. ``quality``: the largest disturbance that the contacts resist whatever its
    direction (epsilon), where it was computed.
    """

    site: str
    parameter_set: str
    hand: Side
    hand_length_m: float
    palm_from_object: Pose
    joint_angles_rad: tuple[float, ...]
    contacts: tuple[Contact, ...] = ()
    quality: float | None = None

    def __post_init__(self) -> None:
        """Refuse a hand with other than twenty angles."""
        if len(self.joint_angles_rad) != JOINTS:
            raise DocumentError(f"a posture has {len(self.joint_angles_rad)} angles, not {JOINTS}")


@dataclass(frozen=True)
class SmartObject:
    """A thing in a room, and how it is grasped.

    ``extension``: elements of other programs, each as a text of canonical XML; kept, never read.
    """

    name: str
    description: str = ""
    mass: Mass | None = None
    geometry: tuple[Piece, ...] = ()
    tubes: tuple[TubeRegion, ...] = ()
    grasp_sites: tuple[GraspSite, ...] = ()
    postures: tuple[Posture, ...] = ()
    extension: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse names that stand twice, or for nothing, and letters that XML cannot hold."""
        for text in (self.name, self.description.replace("\n", "").replace("\t", "")):
            if not text.isprintable():
                raise DocumentError(f"{shown(text)} has letters that cannot be printed")
        _check_unique("tube", (tube.name for tube in self.tubes))
        _check_unique("grasp site", (site.name for site in self.grasp_sites))
        tubes = {tube.name for tube in self.tubes}
        for site in self.grasp_sites:
            if site.tube not in tubes:
                raise DocumentError(
                    f"grasp site {shown(site.name)} is on tube {shown(site.tube)}, and "
                    "there is none"
                )
        for posture in self.postures:
            self.check_posture(posture)

    def tube(self, name: str) -> TubeRegion:
        """Return the tube of this name, which must be there."""
        return next(tube for tube in self.tubes if tube.name == name)

    def site(self, name: str) -> GraspSite | None:
        """Return the grasp site of this name, if there is one."""
        return next((site for site in self.grasp_sites if site.name == name), None)

    def check_posture(self, posture: Posture) -> None:
        """Raise DocumentError unless the posture's site and parameter set are there."""
        site = self.site(posture.site)
        if site is None or all(way.name != posture.parameter_set for way in site.parameter_sets):
            raise DocumentError(
                f"a posture is for parameter set {shown(posture.parameter_set)} of grasp site "
                f"{shown(posture.site)}, and there is none"
            )


def _in_order(given: Iterable[_Word], words: Iterable[_Word]) -> tuple[_Word, ...]:
    chosen = set(given)
    return tuple(word for word in words if word in chosen)


def _check_unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DocumentError(
                f"two {what}s are called {shown(name)}; give each a name of its own"
            )
        seen.add(name)
