"""Owns a session with someone in an emulated headset, and with others who watch: who sees what."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Page
from scipy.spatial.transform import Rotation

from tests.browser.conftest import until
from tests.browser.follower import Follower
from tests.browser.headset_device import EmulatedHeadset, Floats, Truth
from tests.browser.network import Network
from tests.browser.processes import Server

NAME = "Ada"
PALM_M = 0.002
DEADLINE_S = 20.0
PARTS = {"left": "leftHand", "right": "rightHand"}
CARRIED = Rotation.from_euler("X", 0.5)  # as one holds a controller: pointing up a little
MINE = f"armspan.bodies().bodies.find(({{name}}) => name === '{NAME}')"


@dataclass
class Room:
    """One server, one person in a headset behind a network that can be cut, and two who watch."""

    server: Server
    network: Network
    page: Page
    headset: EmulatedHeadset
    watcher: Page
    follower: Follower

    def enter(self) -> None:
        """Put the headset on, as a person does."""
        more = self.page.get_by_role("button", name="More", exact=True)
        if more.is_visible():
            more.click()
        self.page.get_by_role("button", name="Enter VR").first.click()
        until(self.page, "armspan.own().tracked === 7")

    def stand(self, mode: str = "hand") -> None:
        """Hold both hands within reach, bare or around controllers, and let everyone see it."""
        self.headset.do(f"device.primaryInputMode = '{mode}'")
        self.headset.look((0.0, 1.65, 0.0))
        pointer = Rotation.identity() if mode == "hand" else CARRIED
        self.headset.hold("left", (-0.25, 1.3, -0.35), pointer)
        self.headset.hold("right", (0.25, 1.25, -0.35), pointer)
        until(self.page, "armspan.own().tracked === 7")
        self.settle()

    def measured(self) -> None:
        """Wait until the headset has told how tall its wearer is: arms are of another size then."""
        self.follower.wait_for(NAME, lambda _: self.follower.version(NAME) > 0)
        self.settle()

    def expected(self, side: str) -> Floats:
        """Where the palm really is now, in the world (7,)."""
        truth = self.headset.truth()[-1]
        return to_world(truth, np.array(self.page.evaluate("armspan.own().poses"))[:7], side)

    def settle(self) -> None:
        """Wait until everyone sees both palms where they really are."""
        for side in PARTS:
            self.agree(side)

    def agree(self, side: str) -> None:
        """Wait until the wearer, the watching page and the Python client agree with the truth."""
        part = PARTS[side]
        places: dict[str, Callable[[], Floats | None]] = {
            "the wearer's page": lambda: _drawn(self.page, part),
            "the watching page": lambda: _drawn(self.watcher, part),
            "the Python client": lambda: self.follower.palm(NAME, side),
        }
        deadline = time.monotonic() + DEADLINE_S
        while places:
            truth = self.expected(side)[:3]
            for who, look in list(places.items()):
                seen = look()
                off = np.inf if seen is None else float(np.linalg.norm(seen - truth))
                if off <= PALM_M:
                    del places[who]
                elif time.monotonic() > deadline:
                    raise AssertionError(f"{who} sees the {side} palm {1000 * off:.1f} mm off")
            self.page.wait_for_timeout(30)

    def alone(self) -> None:
        """There is one body, and no ghost of it anywhere, nor was the page loaded again."""
        until(self.watcher, "armspan.bodies().bodies.length === 1", DEADLINE_S)
        until(self.page, "armspan.bodies().bodies.length === 1", DEADLINE_S)
        assert self.watcher.evaluate("armspan.status().people") == 1
        assert self.page.evaluate("window.sameDocument === true")


def to_world(truth: Truth, own_head: Floats, side: str) -> Floats:
    """A palm by the headset's own word, carried into the world as the head was."""
    turn = Rotation.from_quat(own_head[3:]) * Rotation.from_quat(truth.head[3:]).inv()
    palm = truth.palms[side]
    place = own_head[:3] + turn.apply(palm[:3] - truth.head[:3])
    return np.array([*place, *(turn * Rotation.from_quat(palm[3:])).as_quat()])


def _drawn(page: Page, part: str) -> Floats | None:
    place = page.evaluate(f"{MINE}?.parts.{part}?.position ?? null")
    return None if place is None else np.array(place)
