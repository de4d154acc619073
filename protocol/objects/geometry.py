"""Owns what a smart object is made of: mesh files by reference, and plain solids, each placed."""

import math
from dataclasses import dataclass

from armspan.protocol.objects.errors import DocumentError, shown
from armspan.protocol.objects.vocabulary import LengthUnit

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

_UNIT_WITHIN = 0.01  # as far as a quaternion's norm may be off one, here as on the wire
_FORBIDDEN = frozenset('\\:*?"<>|')  # in a file's name, somewhere


@dataclass(frozen=True)
class Pose:
    """Where something is: position (m) and rotation (a unit quaternion xyzw)."""

    position_m: Vector = (0.0, 0.0, 0.0)
    rotation_xyzw: Quaternion = (0.0, 0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Refuse a quaternion that is no rotation."""
        norm = math.hypot(*self.rotation_xyzw)
        if not abs(norm - 1.0) <= _UNIT_WITHIN:
            raise DocumentError(
                f"rotation_xyzw has the length {norm:.3g}; a unit quaternion x y z w is wanted"
            )


@dataclass(frozen=True)
class MeshFile:
    """A mesh in a file beside the document; ``unit`` None is guessed from the size."""

    file: str
    unit: LengthUnit | None = None
    pose: Pose = Pose()

    def __post_init__(self) -> None:
        """Refuse a path that might leave the document's folder."""
        check_path(self.file)


@dataclass(frozen=True)
class Box:
    """Its middle at the origin, its edges along the axes."""

    size_m: Vector
    pose: Pose = Pose()


@dataclass(frozen=True)
class Sphere:
    """Its centre at the origin."""

    radius_m: float
    pose: Pose = Pose()


@dataclass(frozen=True)
class Cylinder:
    """Along Y, its middle at the origin."""

    radius_m: float
    length_m: float
    pose: Pose = Pose()


@dataclass(frozen=True)
class Capsule:
    """Along Y, its middle at the origin; the length is that between the centres of its ends."""

    radius_m: float
    length_m: float
    pose: Pose = Pose()


@dataclass(frozen=True)
class Torus:
    """A ring round Y; ``radius_m`` is that of the circle in its middle."""

    radius_m: float
    tube_radius_m: float
    pose: Pose = Pose()

    def __post_init__(self) -> None:
        """Refuse a ring that runs through itself."""
        if not self.tube_radius_m < self.radius_m:
            raise DocumentError(
                f"a torus with tube_radius_m {self.tube_radius_m:g} and radius_m {self.radius_m:g} "
                "runs through itself; tube_radius_m must be the smaller one"
            )


Piece = MeshFile | Box | Sphere | Cylinder | Capsule | Torus


def check_path(path: str) -> None:
    """Raise DocumentError unless ``path`` is relative, stays below its folder and is portable."""
    parts = path.split("/")
    if path.startswith(("/", "\\", "~")) or ":" in path:
        why = "is absolute or an address"
    elif ".." in parts:
        why = "climbs out of the folder"
    elif not all(parts) or "." in parts:
        why = "has an empty step"
    elif not all(letter.isprintable() and letter not in _FORBIDDEN for letter in path):
        why = "has a letter that not every system has in names"
    else:
        return
    raise DocumentError(
        f"file {shown(path)} {why}; a path in the document's own folder is wanted, with / between"
    )
