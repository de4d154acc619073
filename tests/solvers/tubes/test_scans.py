"""Real scans: what a hand would take hold of is found, whatever else is wrong with them."""

import numpy as np
import pytest
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.tubes.plumber import find_tubes
from armspan.solvers.tubes.shape import Shape, Tube, TubeKind

from tests.solvers.tubes.changes import mirrored, moved, soup
from tests.solvers.tubes.scans import scan
from tests.solvers.tubes.sweeps import MeshArrays


def found(arrays: MeshArrays) -> Shape:
    return find_tubes(clean(*arrays).mesh)


def handles(shape: Shape) -> list[Tube]:
    return [tube for tube in shape.tubes if tube.kind is TubeKind.HANDLE]


def middle_of(tube: Tube) -> np.ndarray:
    return tube.axis[len(tube.axis) // 2]


def test_the_pitcher_has_one_handle():
    (handle,) = handles(found(scan("019_pitcher_base")))
    assert not handle.closed
    assert 0.10 < handle.length_m < 0.20
    assert np.hypot(*(middle_of(handle) - [0.055, 0.10, 0.13])[:2]) < 0.03


def test_the_scissors_have_two_finger_loops():
    loops = handles(found(scan("037_scissors")))
    assert len(loops) == 2
    for loop in loops:
        assert 0.07 < loop.length_m < 0.16
        assert 0.003 < loop.radius_m < 0.008
    apart = np.linalg.norm(middle_of(loops[0]) - middle_of(loops[1]))
    assert 0.04 < apart < 0.09


def test_the_hammer_has_a_shaft_for_the_hand():
    shape = found(scan("048_hammer"))
    shaft = max(shape.tubes, key=lambda tube: tube.length_m)
    assert shaft.kind in (TubeKind.HANDLE, TubeKind.PROTRUSION)
    assert 0.2 < shaft.length_m < 0.33
    assert 0.012 < shaft.radius_m < 0.018


def test_the_broken_mug_has_its_handle():
    cleaned = clean(*scan("025_mug"))
    assert not cleaned.report.watertight or cleaned.report.components > 1
    (handle,) = handles(find_tubes(cleaned.mesh))
    assert 0.05 < handle.length_m < 0.12
    assert 0.003 < handle.radius_m < 0.008


@pytest.mark.slow
@pytest.mark.parametrize("name", ["019_pitcher_base", "025_mug", "037_scissors", "048_hammer"])
def test_a_scan_that_is_turned_or_mirrored_or_torn_into_faces_has_the_same_tubes(name: str):
    known = found(scan(name))
    for arrays in (moved(scan(name), 4), mirrored(scan(name)), soup(scan(name))):
        shape = found(arrays)
        assert [t.kind for t in shape.tubes] == [t.kind for t in known.tubes]
        assert len(shape.bodies) == len(known.bodies)
        for tube, other in zip(shape.tubes, known.tubes, strict=True):
            assert tube.radius_m == pytest.approx(other.radius_m, rel=0.03)
            assert tube.length_m == pytest.approx(other.length_m, rel=0.10)  # to fillets
