"""Owns Plumber: the tubular parts of a triangle mesh (Mortara et al. 2004; Abaci et al. 2005)."""

from armspan.solvers.tubes.plumber import DEFAULT_SCALES_M, PlumberError, find_tubes
from armspan.solvers.tubes.shape import Attachment, Body, EndKind, Shape, Tube, TubeEnd, TubeKind

__all__ = [
    "DEFAULT_SCALES_M",
    "Attachment",
    "Body",
    "EndKind",
    "PlumberError",
    "Shape",
    "Tube",
    "TubeEnd",
    "TubeKind",
    "find_tubes",
]
