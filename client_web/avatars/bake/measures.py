"""Owns what a file says about itself: licence, authorship, and the measures that drawing needs."""

from typing import Any

import numpy as np

from client_web.avatars.bake.body import Body
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
    out: dict[str, Any] = {}
    eyes = (body.head("leftEye") + body.head("rightEye")) / 2 - body.head("head")
    out["eyesInHead"] = np.round(eyes, 5).tolist()
    for side in ("left", "right"):
        hand = body.head(f"{side}Hand")
        knuckle = body.head(f"{side}MiddleProximal")
        out[f"{side}PalmInHand"] = np.round((knuckle - hand) / 2, 5).tolist()
    return out
