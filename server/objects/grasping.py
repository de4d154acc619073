"""Owns the grasping of a smart object: the ways that its sites allow, for one person's hand."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from armspan.protocol.objects import GraspSite, Posture, Side, SmartObject
from armspan.server.objects.folder import Geometry
from armspan.server.objects.primitives import Floats
from armspan.server.objects.site_numbers import Way, posture_of, solver_side, ways_of
from armspan.solvers.grasp.candidates import PART_POSTURES, find_candidates, tube_quality
from armspan.solvers.grasp.reach import ArmReach, Room
from armspan.solvers.grasp.search import search_grasp
from armspan.solvers.grasp.site import Grasp
from armspan.solvers.grasp.site import GraspSite as SiteNumbers
from armspan.solvers.grasp.solid import Solid, make_solid
from armspan.solvers.hand import Hand, make_hand
from armspan.solvers.meshes.field import DistanceField

Progress = Callable[[float, str], None]

_REACH = 1.3  # hand's lengths round a tube: as far as any part of a hand that grasps it is
_LOADING_POSTURES = 1000  # enough for a grasp, whose contacts have kernels of their own


@dataclass(frozen=True, eq=False)
class Attempt:
    """A grasp at one site, or the nearest miss of all ways that were tried.

    ``postures_tested`` counts all that was tried, and so do ``milliseconds``. ``quality`` is the
    epsilon of a grasp; ``reach`` is the arm's posture, where it is known where the object stands.
    """

    way: Way
    side: Side
    hand: Hand
    grasp: Grasp
    postures_tested: int
    milliseconds: float
    quality: float | None = None
    reach: ArmReach | None = None

    def posture(self) -> Posture:
        """Tell the grasp as a document does."""
        return posture_of(self.way, self.side, self.hand.length_m, self.grasp, self.quality)


@dataclass(frozen=True, eq=False)
class Grasper:
    """One hand, one object, and where the object's material is; ``solid`` None: nowhere but in
    the tubes.

    ``max_postures`` bounds what is tested at one site; None leaves it to the parameter sets.
    """

    told: SmartObject
    side: Side
    hand: Hand
    solid: Solid | None
    max_postures: int | None = None

    def first(self, site: GraspSite) -> Attempt | None:
        """The first way of a site that is a grasp; else the nearest miss; None for no way at all.

        Ways are tried in the document's order, and each has as many postures as it allows. Raises
        GraspError for numbers that make no tube.
        """
        missed: list[Attempt] = []
        for attempt in self._attempts(site):
            if attempt.grasp.grasped:
                return replace(attempt, quality=self._quality(attempt))
            missed.append(attempt)
        if not missed:
            return None
        last = missed[-1]
        # What the designer would rather have comes first, so its miss is the one to tell.
        return replace(
            missed[0], postures_tested=last.postures_tested, milliseconds=last.milliseconds
        )

    def ranked(
        self, sites: Sequence[GraspSite], room: Room | None, most: int, on_progress: Progress
    ) -> list[Attempt]:
        """Grasps of several sites that differ from each other, the best first.

        A site's later parameter sets are searched only where an earlier one led to no grasp.
        """
        found: list[tuple[bool, float, Attempt]] = []
        waiting = [(site, _by_set(ways_of(self.told, site, self.side))) for site in sites]
        rounds = max((len(sets) for _, sets in waiting), default=0)
        for number in range(rounds):
            ways = [way for _, sets in waiting if number < len(sets) for way in sets[number]]
            if not ways:
                break
            low, high = number / rounds, (number + 1) / rounds

            def tell(share: float, words: str, low: float = low, high: float = high) -> None:
                on_progress(low + share * (high - low), words)

            found += self._candidates(ways, room, most, tell)
            held = {attempt.way.site.name for *_, attempt in found}
            waiting = [pair for pair in waiting if pair[0].name not in held]
        found.sort(key=lambda one: (not one[0], -one[1]))
        return [attempt for *_, attempt in found[:most]]

    def _candidates(
        self, ways: list[Way], room: Room | None, most: int, tell: Progress
    ) -> list[tuple[bool, float, Attempt]]:
        numbers = [self._bounded(way) for way in ways]
        told = find_candidates(
            numbers, [self.hand], self.solid, room=room, most=most, on_progress=tell
        )
        return [
            (
                one.reached,
                one.worth if one.reached or one.reach is None else one.reach.slack,
                Attempt(
                    ways[one.site], self.side, self.hand, one.grasp, one.grasp.postures_tested,
                    self._search_ms(one.part), float(one.quality), one.reach,
                ),
            )
            for one in told.ranked
        ]  # fmt: skip

    def _search_ms(self, part: SiteNumbers) -> float:
        """How long the search of a part takes by itself: it was one of many at once."""
        began_s = time.perf_counter()
        search_grasp(part, self.hand, self._field, min(part.max_postures, PART_POSTURES))
        return 1e3 * (time.perf_counter() - began_s)

    @property
    def _field(self) -> DistanceField | None:
        return None if self.solid is None else self.solid.field

    def _bounded(self, way: Way) -> SiteNumbers:
        most = way.numbers.max_postures
        return replace(way.numbers, max_postures=min(most, self.max_postures or most))

    def _attempts(self, site: GraspSite) -> Iterator[Attempt]:
        tested, spent_ms = 0, 0.0
        for way in ways_of(self.told, site, self.side):
            allowed = way.numbers.max_postures
            if self.max_postures is not None:
                allowed = min(allowed, self.max_postures - tested)
            if allowed < 1:
                return
            began_s = time.perf_counter()
            grasp = search_grasp(way.numbers, self.hand, self._field, allowed)
            spent_ms += 1e3 * (time.perf_counter() - began_s)
            tested += grasp.postures_tested
            yield Attempt(way, self.side, self.hand, grasp, tested, spent_ms)

    def _quality(self, attempt: Attempt) -> float:
        solid = self.solid or Solid.of_tube(attempt.way.numbers)
        return tube_quality(attempt.grasp, solid)


def make_grasper(
    told: SmartObject,
    sites: Sequence[GraspSite],
    geometry: Geometry | None,
    side: Side,
    hand_length_m: float,
    max_postures: int | None,
) -> Grasper:
    """Get ready to grasp some sites: the hand, and where the object is round them."""
    hand = make_hand(hand_length_m, solver_side(side))
    solid = None
    if geometry is not None and sites:
        low, high = _region(told, sites, _REACH * hand_length_m)
        mass = told.mass
        centre = None if mass is None or mass.centre_m is None else np.array(mass.centre_m)
        solid = make_solid(geometry.vertices, geometry.faces, centre=centre, low=low, high=high)
    return Grasper(told, side, hand, solid, max_postures)


def load_search(grasper: Grasper, sites: Sequence[GraspSite]) -> None:
    """Load or compile what a search runs, so that the time of the next one is its own.

    Raises GraspError for a site whose numbers make no tube.
    """
    field = None if grasper.solid is None else grasper.solid.field
    for site in sites:
        for way in ways_of(grasper.told, site, grasper.side):
            search_grasp(way.numbers, grasper.hand, field, _LOADING_POSTURES)


def _by_set(ways: Iterator[Way]) -> list[list[Way]]:
    """Ways with those of one parameter set together."""
    sets: dict[str, list[Way]] = {}
    for way in ways:
        sets.setdefault(way.parameter_set.name, []).append(way)
    return list(sets.values())


def _region(
    told: SmartObject, sites: Sequence[GraspSite], around_m: float
) -> tuple[Floats, Floats]:
    points = np.array(
        [section.position_m for site in sites for section in told.tube(site.tube).sections]
    )
    return points.min(axis=0) - around_m, points.max(axis=0) + around_m
