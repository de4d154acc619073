"""Owns what is told of a grasp: the lines for people, and the JSON for programs."""

import math
from collections.abc import Sequence
from typing import Any

from armspan.protocol.objects import Side
from armspan.server.objects.grasping import Attempt
from armspan.server.objects.site_numbers import segment_of, touching_of
from armspan.solvers.body.skeleton import JOINT_NAMES
from armspan.solvers.grasp.reach import ArmReach
from armspan.solvers.grasp.site import Contact, DigitState
from armspan.solvers.hand import ANGLE_NAMES, DIGITS, Digit

_LISTED = 10  # grasps of a ranking, on a terminal
_COLUMNS = ("", "site", "way", "thumb to", "along", "around", "quality", "arm")
_RIGHT = (True, False, False, False, True, True, True, True)


def report(attempt: Attempt) -> dict[str, Any]:
    """Return the JSON of one search."""
    grasp = attempt.grasp
    return {
        "grasped": grasp.grasped,
        "why": grasp.why,
        "site": attempt.way.site.name,
        "parameter_set": attempt.way.parameter_set.name,
        "thumb_toward": _toward(attempt),
        "hand": attempt.side.value,
        "hand_length_m": attempt.hand.length_m,
        "postures_tested": attempt.postures_tested,
        "joint_names": list(ANGLE_NAMES),
        "joint_angles": _numbers(grasp.joint_angles),
        "palm_from_object": _numbers(grasp.palm_from_object),
        "object_from_palm": _numbers(grasp.object_from_palm),
        "place": grasp.place.__dict__,
        "digits": {
            Digit(number).name.lower(): state.name.lower().replace("_", " ")
            for number, state in enumerate(grasp.digits)
        },
        "contacts": [_contact(contact) for contact in grasp.contacts],
        "deepest_m": grasp.deepest_m,
        "quality": attempt.quality,
        "arm": None if attempt.reach is None else _arm(attempt.reach),
        "milliseconds": round(attempt.milliseconds, 4),
    }


def nothing_to_grasp(why: str, side: Side, hand_length_m: float) -> dict[str, Any]:
    """Return the JSON where there was not even a place to search at."""
    return {
        "grasped": False,
        "why": why,
        "hand": side.value,
        "hand_length_m": hand_length_m,
        "postures_tested": 0,
        "joint_angles": [],
        "palm_from_object": [],
        "contacts": [],
        "milliseconds": 0.0,
    }


def sentence(attempt: Attempt) -> str:
    """Say in one sentence what became of a search."""
    hand = f"a {attempt.side.value} hand {1e3 * attempt.hand.length_m:.0f} mm long"
    if attempt.grasp.grasped:
        return (
            f"{hand} grasps {attempt.way.site.name} ({attempt.way.parameter_set.name}), "
            f"the thumb toward the axis' {_toward(attempt)}: {attempt.postures_tested:,} postures "
            f"in {attempt.milliseconds:.2f} ms"
        )
    return f"{hand} cannot grasp {attempt.way.site.name}: {attempt.grasp.why}"


def lines(attempt: Attempt) -> str:
    """Return the lines for a terminal, of a grasp."""
    grasp = attempt.grasp
    place = grasp.place
    told = [
        sentence(attempt),
        f"  palm     {1e3 * place.along:.0f} mm along the axis, {_degrees(place.around)} round it, "
        f"tilted by {_degrees(place.tilt)}",
        *(f"  {_digit(attempt, number)}" for number in range(DIGITS)),
    ]
    if any(touching_of(contact).value == "palm" for contact in grasp.contacts):
        told.append(f"  palm     touches{_gap(grasp.contacts, 'palm')}")
    told.append(f"  deepest  {1e3 * grasp.deepest_m:.1f} mm inside, of "
                f"{1e3 * attempt.way.numbers.tolerance_m:g} mm that are tolerated")  # fmt: skip
    if attempt.quality is not None:
        told.append(f"  quality  {_quality(attempt.quality)}")
    if attempt.reach is not None:
        told.append(f"  arm      {_arm_words(attempt.reach)}")
    return "\n".join(told)


def caption(attempt: Attempt) -> str:
    """Return what stands below a picture."""
    said = sentence(attempt)
    told = [said[0].upper() + said[1:]]
    if attempt.quality is not None:
        told.append(f"Quality {_quality(attempt.quality)}")
    return "\n".join(told)


def ranking(attempts: Sequence[Attempt]) -> str:
    """Return a table of grasps, the best first."""
    rows = [_COLUMNS] + [
        (
            str(number),
            attempt.way.site.name,
            attempt.way.parameter_set.name,
            _toward(attempt),
            f"{1e3 * attempt.grasp.place.along:.0f} mm",
            _degrees(attempt.grasp.place.around),
            "" if attempt.quality is None else f"{attempt.quality:.3f}",
            _slack(attempt.reach),
        )
        for number, attempt in enumerate(attempts[:_LISTED], start=1)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    told = [
        "  ".join(
            f"{cell:>{width}}" if right else f"{cell:<{width}}"
            for cell, width, right in zip(row, widths, _RIGHT, strict=True)
        ).rstrip()
        for row in rows
    ]
    more = len(attempts) - _LISTED
    return "\n".join(told + ([f"and {more} more"] if more > 0 else []))


def _toward(attempt: Attempt) -> str:
    return "end" if attempt.way.numbers.sign > 0 else "start"


def _digit(attempt: Attempt, number: int) -> str:
    name, state = Digit(number).name.lower(), attempt.grasp.digits[number]
    words = {
        DigitState.TOUCHES: f"touches{_gap(attempt.grasp.contacts, name)}",
        DigitState.AT_LIMIT: f"is closed as far as it goes, and {_beside(attempt, name)}",
        DigitState.RELAXED: "takes no part",
        DigitState.INSIDE: "has no room",
        DigitState.MISSES: "does not reach",
    }
    return f"{name:<7}  {words[state]}"


def _beside(attempt: Attempt, name: str) -> str:
    """What a digit does that is off the tube."""
    beside = _gap(attempt.grasp.contacts, name)
    return f"touches the object beside the tube{beside}" if beside else "touches nothing"


def _gap(contacts: Sequence[Contact], name: str) -> str:
    """With which bones, and how far the deepest of them sinks in."""
    own = [contact for contact in contacts if touching_of(contact).value == name]
    if not own:
        return ""
    deepest = min(contact.gap_m for contact in own)
    bones = [segment_of(contact).value for contact in own]
    with_bones = "" if name == "palm" else f" with its {_listed(bones)} bone{'s' * (len(own) > 1)}"
    return f"{with_bones}, {max(0.0, -1e3 * deepest):.1f} mm deep"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _quality(quality: float) -> str:
    if quality <= 0.0:
        return f"{quality:.3f}: the contacts alone do not hold it against every push"
    return f"{quality:.3f}: pushes up to this share of a contact's force are withstood"


def _arm_words(reach: ArmReach) -> str:
    joint = reach.tightest.replace("_", " ")
    if reach.reached:
        return f"gets there; the tightest joint, {joint}, has {reach.slack:.0%} of its room left"
    return (
        f"does not get there: {1e3 * reach.off_m:.0f} mm and {_degrees(reach.turned_rad)} are "
        f"missing, most of all at {joint}"
    )


def _degrees(angle_rad: float) -> str:
    return f"{math.degrees(angle_rad):+.0f}\N{DEGREE SIGN}"


def _arm(reach: ArmReach) -> dict[str, Any]:
    return {
        "reached": reach.reached,
        "slack": reach.slack,
        "tightest": reach.tightest,
        "joint_names": list(JOINT_NAMES),
        "joint_angles": _numbers(reach.joint_angles),
        "off_m": reach.off_m,
        "turned_rad": reach.turned_rad,
    }


def _slack(reach: ArmReach | None) -> str:
    if reach is None:
        return ""
    return f"{reach.slack:.0%} free" if reach.reached else "out of reach"


def _contact(contact: Contact) -> dict[str, Any]:
    return {
        "finger": touching_of(contact).value,
        "segment": segment_of(contact).value,
        "gap_m": contact.gap_m,
        "point_m": _numbers(contact.point),
        "normal": _numbers(contact.normal),
    }


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in values]
