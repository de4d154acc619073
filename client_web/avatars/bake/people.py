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


AROUND = (0.0, 25.0, 45.0, 60.0, 72.0, 90.0, 108.0, 120.0, 140.0, 160.0, 180.0)
SHORT = (34.0, 32.0, 22.0, 8.0, -12.0, 14.0, 0.0, -20.0, -42.0, -46.0, -47.0)
RECEDING = (48.0, 50.0, 34.0, 10.0, -10.0, 14.0, 0.0, -20.0, -40.0, -44.0, -45.0)

PEOPLE = (
    Person(
        name="woman",
        title="Woman",
        build=Build(
            gender="female",
            ancestry={"asian": 0.45, "caucasian": 0.45, "african": 0.10},
            age={"young": 0.85, "old": 0.15},
            height={"maxheight": 0.35},
            ideal=0.4,
        ),
        look=Complexion(
            skin="#d9a787", flush="#cf8069", lips="#b0605a", brows="#2d1f18", iris="#5a3a22",
            brow_height=0.85,
        ),
        hair=Hair("#2a1a12", "#4a3020", 0.020, AROUND, SHORT),
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
            height={"maxheight": 0.2},
        ),
        look=Complexion(
            skin="#7d5139", flush="#7a4232", lips="#71403a", brows="#120d0b", iris="#2e1b10",
            brow_height=1.25,
        ),
        hair=Hair("#100c0b", "#1d1714", 0.012, AROUND, SHORT, ripple=0.05),
        outfit=Outfit(
            top="#8fa3b8", trousers="#4b473f", shoes="#2a2624", soles="#12100f", trim="#31363d",
            sleeve=0.30, own_collar=True, placket_m=0.15, buttons=3, leg_m=0.088,
        ),
    ),
    Person(
        name="elder",
        title="Older person",
        build=Build(
            gender="male",
            ancestry={"caucasian": 0.8, "asian": 0.2},
            age={"young": 0.25, "old": 0.75},
            weight={"averageweight": 0.7, "maxweight": 0.3},
            height={"maxheight": 0.1},
        ),
        look=Complexion(
            skin="#d8ab90", flush="#cb8470", lips="#b3746a", brows="#8b8680", iris="#4c6373",
            brow_height=1.1,
        ),
        hair=Hair("#a9a6a2", "#d2d0cc", 0.014, AROUND, RECEDING),
        outfit=Outfit(
            top="#8fa3b8", trousers="#3d4450", shoes="#4a3426", soles="#1d1815", trim="#e6e3dc",
            sleeve=0.97, own_collar=True, placket_m=0.40, buttons=6, leg_m=0.086,
            tucked=True, pocket=True, hem_m=0.09,
        ),
    ),
)  # fmt: skip
