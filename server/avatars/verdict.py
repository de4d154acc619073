"""Owns what can be wrong with a person's avatar, and how it is said. Pure.

The names of the faults, and the order in which they are looked for, are those of the web client's
check; ``tests/golden/avatars`` holds both to the same cases.
"""

from enum import StrEnum

FILE_BYTES = 20_000_000
"""The largest avatar that any server takes, and any page loads."""


class Fault(StrEnum):
    """What is wrong, in the order in which it is looked for."""

    TOO_LARGE = "too-large"
    NOT_GLB = "not-glb"
    NOT_VRM = "not-vrm"
    OUTSIDE = "outside"
    BONES = "bones"
    TOO_MUCH = "too-much"
    IMAGES = "images"
    ACCESSORS = "accessors"


class AvatarFault(Exception):  # noqa: N818 - it is the avatar's
    """An avatar that is not taken; the message is for the person who brought it."""

    def __init__(self, fault: Fault, words: str) -> None:
        super().__init__(words)
        self.fault = fault
        self.words = words


def broken(words: str) -> AvatarFault:
    """The file does not hold what glTF 2.0 says."""
    return AvatarFault(
        Fault.NOT_GLB, f"The file is broken: {words}. Export it again as a VRM 1.0 file."
    )


def cap(count: float, most: float, what: str, step: str = "make a simpler one") -> None:
    """Refuse more than can be shown to a whole session."""
    if count > most:
        raise AvatarFault(
            Fault.TOO_MUCH,
            f"The avatar has {count:,.0f} {what}, and at most {most:,.0f} can be shown; {step}.",
        )
