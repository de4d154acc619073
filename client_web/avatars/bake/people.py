"""Owns who is baked: each person's body, face, hair and clothes."""

from dataclasses import dataclass

from client_web.avatars.bake.cloth import Outfit
from client_web.avatars.bake.face import Complexion
from client_web.avatars.bake.hair import Hair
from client_web.avatars.bake.shape import Build


@dataclass(frozen=True)
class Person:
    """One avatar: its file name, its title for people, and all that makes it."""

    name: str
    title: str
    build: Build
    look: Complexion
    hair: Hair
    outfit: Outfit
    sole_m: float = 0.018
    glasses: str = ""  # the frame's colour, for those who wear them


# Hairlines: degrees around the head from the front, elevation seen from the head's middle.
SHORT = {
    0: 34, 25: 32, 40: 26, 50: 18, 57: 8, 63: -6, 69: -22, 77: -26, 83: -16, 90: -8, 100: -8,
    108: -16, 118: -28, 130: -38, 145: -44, 180: -46,
}  # fmt: skip
RECEDING = {
    0: 45, 25: 51, 40: 46, 50: 32, 57: 14, 63: -3, 69: -16, 77: -20, 83: -14, 90: -8, 100: -8,
    108: -16, 118: -28, 130: -37, 145: -42, 180: -44,
}  # fmt: skip
BOB = {0: 33, 25: 32, 40: 27, 50: 20, 57: 12, 63: 6, 69: 4, 77: 3, 83: 2, 90: 0, 180: 0}
# How far below the eyes the bob's tips are, metres; above them, it ends at the hairline.
BOB_TIPS_M = {
    0: -0.10, 25: -0.10, 40: -0.06, 50: -0.01, 57: 0.05, 63: 0.09, 69: 0.115, 77: 0.125, 83: 0.13,
    180: 0.13,
}  # fmt: skip
CALM = {
    "mouth/mouth-angles-up": 0.25,
    "expression/units/caucasian/mouth-corner-puller": 0.12,
}

PEOPLE = (
    Person(
        name="woman",
        title="Woman",
        build=Build(
            gender="female",
            ancestry={"asian": 0.45, "caucasian": 0.45, "african": 0.10},
            age={"young": 0.85, "old": 0.15},
            height={"maxheight": 0.12},
            ideal=0.4,
            details=CALM,
        ),
        look=Complexion(
            skin="#d9a787", flush="#cf8069", lips="#b0605a", brows="#2d1f18", iris="#5a3a22",
            palms="#dfae92", brow_height=0.85,
        ),
        hair=Hair("#2a1a12", "#54382a", 0.021, BOB, BOB_TIPS_M, parting=20.0),
        outfit=Outfit(
            top="#8fa3b8", trousers="#2b3040", shoes="#3a2c25", soles="#1c1917", trim="#f2f0ea",
            sleeve=0.955, own_collar=False, placket_m=0.0, buttons=0, cuffs=True,
        ),
    ),
    Person(
        name="man",
        title="Man",
        build=Build(
            gender="male",
            ancestry={"african": 0.75, "caucasian": 0.25},
            age={"young": 0.9, "old": 0.1},
            muscle={"averagemuscle": 0.7, "maxmuscle": 0.3},
            height={"maxheight": 0.02},
            details=CALM,
        ),
        look=Complexion(
            skin="#7d5139", flush="#7a4232", lips="#71403a", brows="#120d0b", iris="#2e1b10",
            palms="#a8775e", brow_height=1.25,
        ),
        hair=Hair(
            "#14100e", "#241c18", 0.013, SHORT, fade="#5a3a2a", curl_m=0.0015, ripple=0.0,
        ),
        outfit=Outfit(
            top="#8fa3b8", trousers="#4b473f", shoes="#2a2624", soles="#12100f", trim="#31363d",
            sleeve=0.30, own_collar=True, placket_m=0.15, buttons=3, leg_m=0.088,
        ),
    ),
    Person(
        name="elder",
        glasses="#26221f",
        title="Older person",
        build=Build(
            gender="male",
            ancestry={"caucasian": 0.8, "asian": 0.2},
            age={"young": 0.25, "old": 0.75},
            weight={"averageweight": 0.7, "maxweight": 0.3},
            height={"maxheight": 0.03},
            details=CALM | {"mouth/mouth-angles-up": 0.6},
        ),
        look=Complexion(
            skin="#d8ab90", flush="#cb8470", lips="#b3746a", brows="#8b8680", iris="#4c6373",
            palms="#dfb39c", brow_height=1.15,
        ),
        hair=Hair("#8f8c88", "#c8c5c0", 0.013, RECEDING, fade="#b9a698", parting=24.0),
        outfit=Outfit(
            top="#8fa3b8", trousers="#3d4450", shoes="#4a3426", soles="#1d1815", trim="#e6e3dc",
            sleeve=0.97, own_collar=True, placket_m=0.40, buttons=6, leg_m=0.086,
            tucked=True, pocket=True, hem_m=0.09,
        ),
    ),
)  # fmt: skip
