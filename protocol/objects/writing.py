"""Owns the writing of smart objects.

What is written is stable (one object, one text), pretty, and has every number in full precision as
shortly as it can be told.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from armspan.protocol.objects.document import (
    JOINTS,
    NAMESPACE,
    REVISION,
    Contact,
    GraspSite,
    ParameterSet,
    Posture,
    SmartObject,
    Span,
    TubeRegion,
)
from armspan.protocol.objects.errors import DocumentError
from armspan.protocol.objects.geometry import Box, MeshFile, Piece, Pose, Sphere, Torus
from armspan.protocol.objects.parsing import ROOT, parse
from armspan.protocol.objects.schema import find_problems
from armspan.protocol.objects.tree import (
    Element,
    indent,
    new_root,
    parse_xml,
    serialised,
    sub_element,
)
from armspan.protocol.objects.vocabulary import Digit

INDENT = "  "
_ANGLES_PER_DIGIT = JOINTS // len(Digit)

_Item = TypeVar("_Item")
Value = float | str | Iterable[float] | None


def write_document(told: SmartObject) -> bytes:
    """Return a document; reading it gives an equal object. Raises DocumentError.

    The error means a value that the schema does not allow, like a radius of twenty metres.
    """
    root = new_root(ROOT, NAMESPACE)
    _set(root, name=told.name, revision=str(REVISION))
    if told.description:
        _add(root, "description").text = told.description
    if told.mass is not None:
        _add(root, "mass", mass_kg=told.mass.mass_kg, centre_m=told.mass.centre_m)
    _add_all(root, "geometry", told.geometry, _add_piece)
    _add_all(root, "tubes", told.tubes, _add_tube)
    _add_all(root, "grasp_sites", told.grasp_sites, _add_site)
    _add_all(root, "postures", told.postures, _add_posture)
    indent(root, INDENT)
    _add_extension(root, told.extension)
    return _checked(root)


def posture_element(posture: Posture) -> Element:
    """Return a posture alone, as an element of the namespace."""
    alone = _add_posture(new_root("postures", NAMESPACE), posture)
    indent(alone, INDENT)
    return alone


def _checked(root: Element) -> bytes:
    written = serialised(root)
    problems = find_problems(parse(written))
    if problems:
        raise DocumentError(*problems)
    return written


def _add_all(
    root: Element, name: str, given: tuple[_Item, ...], add: Callable[[Element, _Item], object]
) -> None:
    if given:
        container = _add(root, name)
        for item in given:
            add(container, item)


def _add_piece(parent: Element, piece: Piece) -> None:
    if isinstance(piece, MeshFile):
        unit = None if piece.unit is None else piece.unit.value
        added = _add(parent, "mesh", file=piece.file, unit=unit)
    elif isinstance(piece, Box):
        added = _add(parent, "box", size_m=piece.size_m)
    elif isinstance(piece, Sphere):
        added = _add(parent, "sphere", radius_m=piece.radius_m)
    elif isinstance(piece, Torus):
        added = _add(parent, "torus", radius_m=piece.radius_m, tube_radius_m=piece.tube_radius_m)
    else:
        name = type(piece).__name__.lower()
        added = _add(parent, name, radius_m=piece.radius_m, length_m=piece.length_m)
    if piece.pose.position_m != Pose.position_m:
        _set(added, position_m=piece.pose.position_m)
    if piece.pose.rotation_xyzw != Pose.rotation_xyzw:
        _set(added, rotation_xyzw=piece.pose.rotation_xyzw)


def _add_tube(parent: Element, tube: TubeRegion) -> None:
    closed = "true" if tube.closed else None
    added = _add(
        parent, "tube", name=tube.name, kind=tube.kind.value, closed=closed, normal=tube.normal
    )
    for section in tube.sections:
        _add(added, "section", position_m=section.position_m, radius_m=section.radius_m)


def _add_site(parent: Element, site: GraspSite) -> None:
    added = _add(parent, "grasp_site", name=site.name, tube=site.tube)
    for way in site.parameter_sets:
        _add_way(added, way)


def _add_way(parent: Element, way: ParameterSet) -> None:
    usual = ParameterSet(way.name)
    added = _add(parent, "parameter_set", name=way.name)
    if way.hands != usual.hands:
        _set(added, hands=" ".join(side.value for side in way.hands))
    _set(added, thumb=way.thumb.value)
    _set(added, thumb_toward=way.thumb_toward.value)
    if way.fingers != usual.fingers:
        _set(added, fingers=" ".join(digit.value for digit in way.fingers))
    _set(added, tolerance_m=way.tolerance_m)
    for name in ("along_m", "around_rad", "distance_m", "forward_m", "tilt_rad", "pitch_rad",
                 "roll_rad", "spread_rad"):  # fmt: skip
        span: Span | None = getattr(way, name)
        if span is not None and span != getattr(usual, name):
            _set(added, **{name: (span.low,) if span.low == span.high else (span.low, span.high)})
    if way.max_postures != usual.max_postures:
        _set(added, max_postures=str(way.max_postures))


def _add_posture(parent: Element, posture: Posture) -> Element:
    added = _add(
        parent,
        "posture",
        site=posture.site,
        parameter_set=posture.parameter_set,
        hand=posture.hand.value,
        hand_length_m=posture.hand_length_m,
        quality=posture.quality,
    )
    palm = posture.palm_from_object
    _add(added, "palm_from_object", position_m=palm.position_m, rotation_xyzw=palm.rotation_xyzw)
    angles = _add(added, "joint_angles_rad")
    for number, digit in enumerate(Digit):
        first = number * _ANGLES_PER_DIGIT
        of_digit = posture.joint_angles_rad[first : first + _ANGLES_PER_DIGIT]
        _set(angles, **{digit.value: of_digit})
    for contact in posture.contacts:
        _add_contact(added, contact)
    return added


def _add_contact(parent: Element, contact: Contact) -> None:
    _add(
        parent,
        "contact",
        finger=contact.finger.value,
        segment=contact.segment.value,
        gap_m=contact.gap_m,
        point_m=contact.point_m,
        normal=contact.normal,
    )


def _add_extension(root: Element, extension: tuple[str, ...]) -> None:
    """Append other programs' elements after the indenting, which would change their texts."""
    if not extension:
        return
    if len(root):
        root[-1].tail = "\n" + INDENT
    else:
        root.text = "\n" + INDENT
    container = _add(root, "extension")
    container.tail = "\n"
    for text in extension:
        container.append(parse_xml(text.encode("utf-8")))


def _add(parent: Element, word: str, /, **values: Value) -> Element:
    added = sub_element(parent, f"{{{NAMESPACE}}}{word}")
    _set(added, **values)
    return added


def _set(element: Element, /, **values: Value) -> None:
    for name, value in values.items():
        if isinstance(value, str):
            element.set(name, value)
        elif isinstance(value, float | int):
            element.set(name, _number(value))
        elif value is not None:
            element.set(name, " ".join(_number(number) for number in value))


def _number(value: float) -> str:
    """Return the shortest text that reads as the same number."""
    text = repr(float(value) + 0.0)  # no -0.0
    return text.removesuffix(".0")
