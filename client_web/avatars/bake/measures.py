"""Owns what a file says about itself: licence, authorship, and the measures that drawing needs."""

from typing import Any

import numpy as np

from client_web.avatars.bake.arrays import Floats
from client_web.avatars.bake.body import Body, hand_length_m, palm_centre
from client_web.avatars.bake.people import Person

AUTHORS = ["MakeHuman and MPFB contributors (body, CC0)", "Armspan (clothes, hair, bake)"]
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"


def meta(person: Person) -> dict[str, Any]:
    """VRM 1.0's meta: the data is CC0, and so is what is baked from it."""
    return {
        "name": person.title,
        "version": "1",
        "authors": [
            "MakeHuman and MPFB contributors (shapes, CC0)",
            "Armspan (clothes, hair, bake)",
        ],
        "copyrightInformation": "No rights reserved: CC0 1.0 Universal",
        "references": ["https://static.makehumancommunity.org/"],
        "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "otherLicenseUrl": CC0,
        "avatarPermission": "everyone",
        "allowExcessivelyViolentUsage": True,
        "allowExcessivelySexualUsage": False,
        "commercialUsage": "corporation",
        "allowPoliticalOrReligiousUsage": True,
        "allowAntisocialOrHateUsage": False,
        "creditNotation": "unnecessary",
        "allowRedistribution": True,
        "modification": "allowModificationRedistribution",
    }


def extras(body: Body) -> dict[str, Any]:
    """Places that drawing needs to the millimetre, in the frames of their bones, metres."""
    eyes = (body.head("leftEye") + body.head("rightEye")) / 2 - body.head("head")
    out: dict[str, Any] = {"eyesInHead": _rounded(eyes)}
    for side in ("left", "right"):
        out[f"{side}PalmInHand"] = _rounded(palm_centre(body, side) - body.head(f"{side}Hand"))
    return out | {"handLength": round(hand_length_m(body), 5)}


def _rounded(place: Floats) -> list[float]:
    return [float(value) for value in np.round(place, 5)]
