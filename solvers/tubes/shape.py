"""What Plumber finds in a mesh: tubes, bodies, and how they hang together (the shape graph)."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


class TubeKind(Enum):
    """What a tube is to the thing that has it.

    Convex kinds are material that a hand may close round; concave ones are room inside the
    material (the sections' outward normals point at their centre).
    """

    HANDLE = "handle"  # convex: attached at both ends, or closed on itself
    PROTRUSION = "protrusion"  # convex: attached at one end, the other is free
    FREE = "free"  # convex: attached nowhere; the tube is the whole thing
    TUNNEL = "tunnel"  # concave: open at both ends, or closed on itself
    WELL = "well"  # concave: open at one end, the other is its bottom

    @property
    def concave(self) -> bool:
        """Whether the tube is a hole in the material."""
        return self in (TubeKind.TUNNEL, TubeKind.WELL)


class EndKind(Enum):
    """What is at the end of a tube."""

    CAP = "cap"  # it ends there: a tip, or the bottom of a well
    BODY = "body"  # the surface goes over into a body part
    TUBE = "tube"  # it runs straight into another tube
    OPEN = "open"  # the mesh itself ends there: a rim of an open scan
    ITSELF = "itself"  # a closed tube has no ends: both are the other one


@dataclass(frozen=True, slots=True)
class TubeEnd:
    """One end of a tube.

    ``index`` counts in ``Shape.bodies`` for a BODY, in ``Shape.tubes`` for a TUBE, and is -1
    otherwise (ITSELF has the tube's own index).
    """

    kind: EndKind
    index: int = -1


@dataclass(frozen=True, slots=True)
class Tube:
    """A part of the surface that runs round an axis.

    Attributes:
        kind: what it is to the object.
        closed: whether it is a ring; then the axis' last point is joined to its first.
        axis: (K, 3) m, the points of the smoothed axis, end to end. From apex to apex where it
            has caps, else to the boundary with the body. The first point of a closed tube is not
            repeated.
        section_radii_m: (K,) m, of the circle with the area of the section there, which is the
            mesh's planar cut normal to the axis. Beyond the last whole section, in a cap, the
            radius of the nearest whole one.
        sections: K polygons, (M, 3) m each, without a repeated first point; empty (0, 3) where
            the mesh has no whole section of this tube, as in a cap.
        radius_m: mean of the whole sections' radii, weighted by length.
        length_m: along the axis; round the whole ring for a closed one.
        faces: indices into the faces of the mesh that was given, sorted.
        scale_m: radius of the spheres that found it.
        flatness: median over the sections of how much wider than deep they are (>= 1; from the
            second moments of area: exact for ellipses and rectangles).
        ends: at ``axis[0]`` and ``axis[-1]``.
    """

    kind: TubeKind
    closed: bool
    axis: Floats
    section_radii_m: Floats
    sections: tuple[Floats, ...]
    radius_m: float
    length_m: float
    faces: Indices
    scale_m: float
    flatness: float
    ends: tuple[TubeEnd, TubeEnd]


@dataclass(frozen=True, slots=True)
class Body:
    """A connected part of the surface that no tube has taken."""

    faces: Indices  # sorted, into the faces of the mesh that was given
    area_m2: float
    centre: Floats  # (3,) m, the area's


@dataclass(frozen=True, slots=True)
class Attachment:
    """An edge of the shape graph: this end of this tube is joined to that body or tube."""

    tube: int
    end: int  # 0 or 1: at axis[0] or axis[-1]
    kind: EndKind  # BODY, TUBE or ITSELF
    index: int  # into bodies or tubes, by kind


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape graph of a mesh; tubes by scale, small ones first, then as they were found."""

    tubes: tuple[Tube, ...]
    bodies: tuple[Body, ...]  # the largest first

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Give every joint between a tube and what it hangs on."""
        return tuple(
            Attachment(number, side, end.kind, end.index)
            for number, tube in enumerate(self.tubes)
            for side, end in enumerate(tube.ends)
            if end.kind in (EndKind.BODY, EndKind.TUBE, EndKind.ITSELF)
        )
