"""Owns the candidates of a whole object: where hands may take it, searched and ranked.

A grasp site is wide: all of a tube, all round it. It is divided into *parts*, a piece of the axis
and a sector round it, so that the grasps found are different ones; each part is searched for each
hand. What is found is judged by how much of the hand closes round the tube, by the disturbances
that what touches the tube withstands (``quality.py``) and, when it is known where the object
stands, by the arm (``reach.py``): a grasp out of the arm's reach comes after all within it, and one
where a joint is near its limit counts in proportion.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from armspan.solvers.body.skeleton import Side
from armspan.solvers.grasp.frame import make_axis
from armspan.solvers.grasp.places import along_span
from armspan.solvers.grasp.quality import FRICTION, grasp_quality
from armspan.solvers.grasp.reach import ArmReach, Room, arm_reaches, palms_in_room
from armspan.solvers.grasp.search import search_grasp
from armspan.solvers.grasp.site import (
    DigitState,
    Grasp,
    GraspSite,
    Span,
)
from armspan.solvers.grasp.solid import Solid
from armspan.solvers.hand.anthropometry import DIGITS
from armspan.solvers.hand.model import Hand
from armspan.solvers.tubes.shape import Shape

MOST_CANDIDATES: Final = 12
PART_POSTURES: Final = 2_000  # of one part: it is small, and there are many
_PIECE = 0.3  # hand's lengths along the axis
_SECTOR_RAD = math.pi / 4.0
_MOST_PIECES = 40  # of one site
_SAME_M, _SAME_RAD = 0.02, math.radians(25.0)  # nearer to each other, two grasps are one

Progress = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A way to hold the object.

    ``site``: its place among the sites that were given. ``part``: what of it was searched.
    ``quality``: epsilon of what touches the tube, a pure number; above 0 the hold withstands forces
    and torques from anywhere. ``reach``: the arm's posture, where it is known where the object
    stands.
    """

    site: int
    part: GraspSite
    hand: Hand
    grasp: Grasp
    quality: float
    reach: ArmReach | None = None

    @property
    def reached(self) -> bool:
        """Whether the arm gets there, as far as that is known."""
        return self.reach is None or self.reach.reached

    @property
    def wrap(self) -> float:
        """The share of digits that touch the tube, and nothing beside it."""
        beside = {contact.finger for contact in self.grasp.contacts if not contact.on_tube}
        return max(_touching(self.grasp) - len(beside), 0) / DIGITS

    @property
    def worth(self) -> float:
        """What candidates within reach are ranked by: wrap and quality, less if the arm strains."""
        ease = 1.0 if self.reach is None else self.reach.ease
        worth = self.wrap + self.quality
        return worth * ease if worth > 0.0 else worth


@dataclass(frozen=True, eq=False)
class Candidates:
    """What was found, the best first; ``missed`` is the nearest miss of all that was searched."""

    ranked: tuple[Candidate, ...]
    searched: int
    missed: Grasp | None


def tube_quality(grasp: Grasp, solid: Solid, friction: float = FRICTION) -> float:
    """Epsilon of a grasp's contacts on the tube: walls and claws beside it hold nothing.

    A hand that leans on them is not held by them: they may press one way only, or not at all.
    """
    contacts = [contact for contact in grasp.contacts if contact.on_tube]
    return float(grasp_quality(contacts, solid.centre, solid.size_m, friction))


def sites_of(shape: Shape) -> list[GraspSite]:
    """A site for each tube of material, for the thumb toward either end; tunnels have none."""
    return [
        GraspSite(tube.axis, tube.section_radii_m, closed=tube.closed, sign=sign)
        for tube in shape.tubes
        if not tube.kind.concave
        for sign in (1, -1)
    ]


def parts_of(site: GraspSite, hand: Hand) -> list[GraspSite]:
    """Divide a site's spans along and round its tube; what the designer fixed stays fixed."""
    length_m = make_axis(site).length_m
    along = along_span(site, length_m) or Span(0.0, length_m)
    around = site.around or Span(-math.pi, math.pi)
    pieces = min(_parts(along, _PIECE * hand.length_m), _MOST_PIECES)
    return [
        replace(site, along=piece, around=sector)
        for piece in _divided(along, pieces)
        for sector in _divided(around, _parts(around, _SECTOR_RAD))
    ]


def find_candidates(
    sites: Sequence[GraspSite],
    hands: Sequence[Hand],
    solid: Solid | None = None,
    *,
    room: Room | None = None,
    friction: float = FRICTION,
    most: int = MOST_CANDIDATES,
    threads: int = 2,
    on_progress: Progress | None = None,
) -> Candidates:
    """Search all sites with all hands, and rank what is found.

    ``solid``: the object; None: nothing but each site's own tube is there. Of grasps that are
    nearly the same the best is told, and ``most`` at most. The answer does not depend on
    ``threads``. Raises GraspError for a site whose numbers make no tube.
    """
    wanted = [
        (number, part, hand)
        for number, site in enumerate(sites)
        for hand in hands
        for part in parts_of(site, hand)
    ]
    field = None if solid is None else solid.field
    found: list[Candidate] = []

    def search(want: tuple[int, GraspSite, Hand]) -> Grasp:
        _, part, hand = want
        return search_grasp(part, hand, field, min(part.max_postures, PART_POSTURES))

    def judge(pair: tuple[tuple[int, GraspSite, Hand], Grasp]) -> Candidate:
        (number, part, hand), grasp = pair
        about = Solid.of_tube(part) if solid is None else solid
        quality = tube_quality(grasp, about, friction)
        return Candidate(number, part, hand, grasp, quality)

    with ThreadPoolExecutor(threads) as pool:
        grasps: list[Grasp] = []
        for grasp in pool.map(search, wanted):
            grasps.append(grasp)
            _tell(on_progress, 0.6 * len(grasps) / len(wanted), "searching")
        held = [pair for pair in zip(wanted, grasps, strict=True) if pair[1].grasped]
        missed = [grasp for grasp in grasps if not grasp.grasped]
        for candidate in pool.map(judge, held):
            found.append(candidate)
            _tell(on_progress, 0.6 + 0.3 * len(found) / len(held), "judging")
    if room is not None:
        found = _with_arms(found, room)
    _tell(on_progress, 1.0, "ranked")
    ranked = _distinct(sorted(found, key=_rank), most)
    return Candidates(tuple(ranked), len(wanted), max(missed, key=_touching, default=None))


def _tell(on_progress: Progress | None, share: float, text: str) -> None:
    if on_progress is not None:
        on_progress(share, text)


def _parts(span: Span, step: float) -> int:
    return max(1, math.ceil(span.width / step - 1e-9))


def _divided(span: Span, parts: int) -> list[Span]:
    bounds = np.linspace(span.low, span.high, parts + 1).tolist()
    return [Span(low, high) for low, high in pairwise(bounds)]


def _with_arms(found: list[Candidate], room: Room) -> list[Candidate]:
    """Ask the arms, all of a side at once."""
    reaches: dict[int, ArmReach] = {}
    for side in Side:
        rows = [row for row, candidate in enumerate(found) if candidate.hand.side == side]
        if rows:
            palms = np.array([found[row].grasp.object_from_palm for row in rows])
            told = arm_reaches(room.lengths, side, palms_in_room(room, palms))
            reaches.update(zip(rows, told, strict=True))
    return [replace(candidate, reach=reaches[row]) for row, candidate in enumerate(found)]


def _rank(candidate: Candidate) -> tuple[bool, float, float]:
    """Sort key: within reach first, then by worth; out of it those that miss least."""
    slack = 0.0 if candidate.reach is None else candidate.reach.slack
    if candidate.reached:
        return (False, -candidate.worth, -slack)
    return (True, -slack, -candidate.worth)


def _distinct(ranked: list[Candidate], most: int) -> list[Candidate]:
    """Leave out what is nearly the same as something better of the same hand."""
    kept: list[Candidate] = []
    for candidate in ranked:
        if len(kept) == most:
            break
        if not any(_same(candidate, better) for better in kept):
            kept.append(candidate)
    return kept


def _same(one: Candidate, other: Candidate) -> bool:
    here, there = one.grasp.object_from_palm, other.grasp.object_from_palm
    if one.hand.side != other.hand.side or np.linalg.norm(here[:3] - there[:3]) > _SAME_M:
        return False
    return 2.0 * math.acos(min(abs(float(here[3:] @ there[3:])), 1.0)) < _SAME_RAD


def _touching(grasp: Grasp) -> int:
    return sum(state == DigitState.TOUCHES for state in grasp.digits)
