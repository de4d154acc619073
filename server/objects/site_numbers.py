"""Owns the way from a document's grasp sites to the solvers' numbers, and of a grasp back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from armspan.protocol.objects import (
    Contact,
    Digit,
    GraspSite,
    HandSegment,
    ParameterSet,
    Pose,
    Posture,
    Side,
    SmartObject,
    ThumbToward,
    ThumbUse,
    Touching,
    TubeRegion,
)
from armspan.protocol.objects import Span as DocumentSpan
from armspan.solvers.body.skeleton import Side as SolverSide
from armspan.solvers.grasp.site import Contact as FoundContact
from armspan.solvers.grasp.site import Grasp, GraspError, Part, Span, Thumb
from armspan.solvers.grasp.site import GraspSite as SiteNumbers

_THUMBS = {
    ThumbUse.CLOSED: Thumb.CLOSED,
    ThumbUse.ON_THE_SIDE: Thumb.ON_THE_SIDE,
    ThumbUse.UNUSED: Thumb.UNUSED,
}
_SIGNS = {ThumbToward.END: (1,), ThumbToward.START: (-1,), ThumbToward.EITHER: (1, -1)}
_OF_A_THUMB = (HandSegment.METACARPAL, HandSegment.PROXIMAL, HandSegment.DISTAL)
_OF_A_FINGER = (HandSegment.PROXIMAL, HandSegment.MIDDLE, HandSegment.DISTAL)
_DECIMALS = 9  # of metres, radians and quaternions in a document


@dataclass(frozen=True, eq=False)
class Way:
    """One way to try: a site's parameter set, with the thumb to one end, as numbers."""

    site: GraspSite
    parameter_set: ParameterSet
    numbers: SiteNumbers


def ways_of(told: SmartObject, site: GraspSite, side: Side) -> Iterator[Way]:
    """Every way in which the hand of a side may grasp a site, in the order to try them.

    A parameter set that takes the thumb to either end is two ways, which share its postures. Raises
    GraspError for numbers that make no tube, and for a site on a hole in the material.
    """
    tube = told.tube(site.tube)
    if tube.kind.concave:
        raise GraspError(
            f"the site {site.name} is on {tube.name}, a {tube.kind.value}, which no hand closes "
            "round: give it a tube of material"
        )
    for parameters in site.parameter_sets:
        if side not in parameters.hands:
            continue
        signs = _SIGNS[parameters.thumb_toward]
        for sign in signs:
            numbers = numbers_of(tube, parameters, sign)
            most = max(1, numbers.max_postures // len(signs))
            yield Way(site, parameters, replace(numbers, max_postures=most))


def numbers_of(tube: TubeRegion, parameters: ParameterSet, sign: int) -> SiteNumbers:
    """Put a tube and one parameter set into numbers. Raises GraspError."""
    uses_thumb = Digit.THUMB in parameters.fingers
    return SiteNumbers(
        points=np.array([section.position_m for section in tube.sections]),
        radii=np.array([section.radius_m for section in tube.sections]),
        closed=tube.closed,
        normal=None if tube.normal is None else np.array(tube.normal),
        along=_span(parameters.along_m),
        around=_span(parameters.around_rad),
        sign=sign,
        distance=_span(parameters.distance_m),
        forward=_span(parameters.forward_m),
        tilt=_span(parameters.tilt_rad),
        pitch=Span(parameters.pitch_rad.low, parameters.pitch_rad.high),
        roll=Span(parameters.roll_rad.low, parameters.roll_rad.high),
        tolerance_m=parameters.tolerance_m,
        thumb=_THUMBS[parameters.thumb] if uses_thumb else Thumb.UNUSED,
        spread=_span(parameters.spread_rad),
        fingers=_fingers(parameters),
        max_postures=parameters.max_postures,
    )


def solver_side(side: Side) -> SolverSide:
    """The solvers' word for a hand."""
    return SolverSide.LEFT if side is Side.LEFT else SolverSide.RIGHT


def posture_of(
    way: Way, side: Side, hand_length_m: float, grasp: Grasp, quality: float | None
) -> Posture:
    """Tell a grasp as a document does."""
    x, y, z, *rotation = _rounded(grasp.palm_from_object)
    qx, qy, qz, qw = rotation
    return Posture(
        site=way.site.name,
        parameter_set=way.parameter_set.name,
        hand=side,
        hand_length_m=hand_length_m,
        palm_from_object=Pose((x, y, z), (qx, qy, qz, qw)),
        joint_angles_rad=_rounded(grasp.joint_angles),
        contacts=tuple(_contact(contact) for contact in grasp.contacts),
        quality=None if quality is None else round(quality, _DECIMALS),
    )


def touching_of(contact: FoundContact) -> Touching:
    """The document's word for what of the hand touches."""
    return Touching(Part(contact.finger).name.lower())


def segment_of(contact: FoundContact) -> HandSegment:
    """The document's word for the bone that touches."""
    if contact.finger == Part.PALM:
        return HandSegment.PALM
    bones = _OF_A_THUMB if contact.finger == Part.THUMB else _OF_A_FINGER
    return bones[int(contact.segment)]


def _contact(contact: FoundContact) -> Contact:
    px, py, pz = _rounded(contact.point)
    nx, ny, nz = _rounded(contact.normal)
    return Contact(
        finger=touching_of(contact),
        segment=segment_of(contact),
        gap_m=round(contact.gap_m, _DECIMALS),
        point_m=(px, py, pz),
        normal=(nx, ny, nz),
    )


def _fingers(parameters: ParameterSet) -> tuple[bool, bool, bool, bool, bool]:
    thumb, index, middle, ring, little = (digit in parameters.fingers for digit in Digit)
    return thumb, index, middle, ring, little


def _span(span: DocumentSpan | None) -> Span | None:
    return None if span is None else Span(span.low, span.high)


def _rounded(numbers: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> tuple[float, ...]:
    return tuple(round(float(number), _DECIMALS) for number in numbers)
