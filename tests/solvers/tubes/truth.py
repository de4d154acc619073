"""Owns judging what was found by what is known of a shape: each difference in words."""

from dataclasses import dataclass

import numpy as np
from armspan.solvers.tubes.shape import EndKind, Tube, TubeKind
from armspan.solvers.tubes.shape import Shape as Found
from scipy.optimize import linear_sum_assignment

from tests.solvers.tubes.shapes import Known, Shape

_LEGAL_ENDS = {
    TubeKind.HANDLE: ({EndKind.BODY, EndKind.TUBE}, {EndKind.BODY, EndKind.TUBE}),
    TubeKind.TUNNEL: ({EndKind.BODY, EndKind.TUBE}, {EndKind.BODY, EndKind.TUBE}),
    TubeKind.PROTRUSION: ({EndKind.BODY, EndKind.TUBE}, {EndKind.CAP, EndKind.OPEN}),
    TubeKind.WELL: ({EndKind.BODY, EndKind.TUBE}, {EndKind.CAP}),
    TubeKind.FREE: ({EndKind.CAP, EndKind.OPEN}, {EndKind.CAP, EndKind.OPEN}),
}


@dataclass(frozen=True)
class Tolerance:
    """Shares of the true radius and length."""

    radius: float = 0.03
    length: float = 0.02


def differences(shape: Shape, found: Found, tolerance: Tolerance = Tolerance()) -> list[str]:
    """Everything that is not as it is known to be; empty when all is well."""
    wrong = [*_counts(shape, found), *_graph(shape, found)]
    if not wrong and shape.tubes:
        for known, tube in _pairs(shape, found):
            wrong += _misfits(known, tube, tolerance)
    return wrong


def describe(found: Found) -> str:
    """One line for people."""
    tubes = ", ".join(
        f"{t.kind.name.lower()}{' closed' if t.closed else ''} r {1e3 * t.radius_m:.2f} "
        f"l {1e3 * t.length_m:.1f} at {1e3 * t.scale_m:.0f} "
        f"[{'|'.join(e.kind.name.lower() + str(e.index) for e in t.ends)}]"
        for t in found.tubes
    )
    return f"{tubes or 'no tube'}; bodies {len(found.bodies)}"


def _counts(shape: Shape, found: Found) -> list[str]:
    wrong: list[str] = []
    kinds = sorted((t.kind.name, t.closed) for t in shape.tubes)
    seen = sorted((t.kind.name, t.closed) for t in found.tubes)
    if kinds != seen:
        wrong.append(f"tubes {_named(kinds)} but found {_named(seen)}")
    if shape.bodies != len(found.bodies):
        wrong.append(f"{shape.bodies} bodies but found {len(found.bodies)}")
    return wrong


def _named(kinds: list[tuple[str, bool]]) -> str:
    return " ".join(k.lower() + ("*" if closed else "") for k, closed in kinds) or "none"


def _graph(shape: Shape, found: Found) -> list[str]:
    """Ends that no tube of that kind has, and bodies that hang on nothing."""
    wrong: list[str] = []
    reached: set[int] = set()
    for number, tube in enumerate(found.tubes):
        ends = [end.kind for end in tube.ends]
        if tube.closed:
            legal = ends == [EndKind.ITSELF] * 2
        else:
            one, two = _LEGAL_ENDS[tube.kind]
            legal = (ends[0] in one and ends[1] in two) or (ends[1] in one and ends[0] in two)
        if not legal:
            wrong.append(f"tube {number}, {tube.kind.name}, ends in {[e.name for e in ends]}")
        reached |= {end.index for end in tube.ends if end.kind is EndKind.BODY}
        wrong += [
            f"tube {number} names body {end.index} of {len(found.bodies)}"
            for end in tube.ends
            if end.kind is EndKind.BODY and not 0 <= end.index < len(found.bodies)
        ]
    if shape.tubes and reached != set(range(len(found.bodies))):
        wrong.append(f"bodies {sorted(reached)} of {len(found.bodies)} are attached")
    owners = np.concatenate(
        [part.faces for part in (*found.tubes, *found.bodies)] or [np.empty(0, dtype=np.int32)]
    )
    if len(np.unique(owners)) != len(owners):
        wrong.append(f"{len(owners) - len(np.unique(owners))} faces belong to two parts")
    return wrong


def _pairs(shape: Shape, found: Found) -> list[tuple[Known, Tube]]:
    """Which tube is which: of one kind, and nearest in size."""
    cost = np.array(
        [
            [
                abs(np.log(t.radius_m / k.radius_m))
                + abs(np.log(t.length_m / k.length_m))
                + 100.0 * ((t.kind, t.closed) != (k.kind, k.closed))
                for t in found.tubes
            ]
            for k in shape.tubes
        ]
    )
    rows, columns = linear_sum_assignment(cost)
    return [(shape.tubes[i], found.tubes[j]) for i, j in zip(rows, columns, strict=True)]


def _misfits(known: Known, tube: Tube, tolerance: Tolerance) -> list[str]:
    wrong: list[str] = []
    off = tube.radius_m / known.radius_m - 1.0
    if not abs(off) <= tolerance.radius:
        wrong.append(
            f"{known.kind.name.lower()} radius {1e3 * tube.radius_m:.3f} mm "
            f"for {1e3 * known.radius_m:.3f} ({100 * off:+.1f} %)"
        )
    off = tube.length_m / known.length_m - 1.0
    if not abs(off) <= tolerance.length + known.slack:
        wrong.append(
            f"{known.kind.name.lower()} length {1e3 * tube.length_m:.2f} mm "
            f"for {1e3 * known.length_m:.2f} ({100 * off:+.1f} %)"
        )
    return wrong
