"""Owns grasping: the posture with which a hand closes round a tube, and how good a grasp is."""

from armspan.solvers.grasp.search import search_grasp
from armspan.solvers.grasp.site import (
    Contact,
    DigitState,
    Grasp,
    GraspError,
    GraspSite,
    Part,
    Place,
    Segment,
    Span,
    Thumb,
)

__all__ = [
    "Contact",
    "DigitState",
    "Grasp",
    "GraspError",
    "GraspSite",
    "Part",
    "Place",
    "Segment",
    "Span",
    "Thumb",
    "search_grasp",
]
