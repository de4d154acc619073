"""Owns getting ready for objects: what finds tubes and grasps, compiled or loaded once."""

import numpy as np
from armspan.protocol.objects import (
    Capsule,
    GraspSite,
    ParameterSet,
    Section,
    Side,
    SmartObject,
    ThumbToward,
    ThumbUse,
    TubeKind,
    TubeRegion,
)
from armspan.server.objects.folder import Geometry
from armspan.server.objects.grasping import load_search, make_grasper
from armspan.server.objects.implied_sites import load_plumber
from armspan.server.objects.primitives import triangles
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, HAND_LENGTH
from armspan.solvers.grasp.reach import Room

_RADIUS_M, _HALF_M = 0.015, 0.03
_STANDING = np.array([0.2, 1.1, -0.4, 0.0, 0.0, 0.0, 1.0])


def load_objects() -> None:
    """Run all that ``armspan plumb`` and ``armspan grasp`` run, on little things."""
    load_plumber()
    bar = _bar()
    vertices, faces = triangles(Capsule(_RADIUS_M, 2.0 * _HALF_M), 16)
    for geometry in (Geometry(vertices, faces), None):
        grasper = make_grasper(
            bar, bar.grasp_sites, geometry, Side.LEFT, float(DEFAULT_LENGTHS[HAND_LENGTH]), None
        )
        load_search(grasper, bar.grasp_sites)
        grasper.ranked(bar.grasp_sites, Room(DEFAULT_LENGTHS, _STANDING), 2, _silent)


def _bar() -> SmartObject:
    ends = ((0.0, -_HALF_M, 0.0), (0.0, _HALF_M, 0.0))
    tube = TubeRegion("bar", TubeKind.FREE, tuple(Section(end, _RADIUS_M) for end in ends))
    sets = tuple(
        ParameterSet(use.value, thumb=use, thumb_toward=ThumbToward.END, max_postures=500)
        for use in ThumbUse
    )
    return SmartObject("bar", tubes=(tube,), grasp_sites=(GraspSite("bar", "bar", sets),))


def _silent(_share: float, _words: str) -> None:
    pass
