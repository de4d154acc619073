"""A person in an emulated headset: everyone sees where head and hands are, whatever happens."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from scipy.spatial.transform import Rotation

from tests.browser.conftest import PageOpener, until
from tests.browser.follower import Follower
from tests.browser.headset_device import EmulatedHeadset, Floats, Truth, emulator
from tests.browser.network import Network
from tests.browser.processes import Server, server

pytestmark = pytest.mark.browser

SESSION = "room"
NAME = "Ada"
SMALL = (360, 240)
PALM_M = 0.002
PARTS = {"left": "leftHand", "right": "rightHand"}
DEADLINE_S = 20.0
LOST, TRACKED = 0, 2
"""Members of the protocol's Provenance."""
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

    def expected(self, side: str) -> Floats:
        """Where the palm really is now, in the world (7,)."""
        truth = self.headset.truth()[-1]
        return _to_world(truth, np.array(self.page.evaluate("armspan.own().poses"))[:7], side)

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


def _to_world(truth: Truth, own_head: Floats, side: str) -> Floats:
    """A palm by the headset's own word, carried into the world as the head was."""
    turn = Rotation.from_quat(own_head[3:]) * Rotation.from_quat(truth.head[3:]).inv()
    palm = truth.palms[side]
    place = own_head[:3] + turn.apply(palm[:3] - truth.head[:3])
    return np.array([*place, *(turn * Rotation.from_quat(palm[3:])).as_quat()])


def _drawn(page: Page, part: str) -> Floats | None:
    place = page.evaluate(f"{MINE}?.parts.{part}?.position ?? null")
    return None if place is None else np.array(place)


@pytest.fixture(scope="module")
def room(browser: Browser) -> Iterator[Room]:
    opener = PageOpener(browser)
    with server() as running, Network(running.port) as network:
        page = opener(f"http://127.0.0.1:{network.port}/s/{SESSION}", *SMALL, script=emulator())
        page.evaluate("window.sameDocument = true")
        page.get_by_label("Your name").fill(NAME)
        watcher = opener(running.page(SESSION), *SMALL)
        with Follower(running.url, SESSION) as follower:
            room = Room(running, network, page, EmulatedHeadset(page), watcher, follower)
            room.enter()
            yield room
        opener.close()


def test_everyone_sees_head_and_controllers_where_they_are(room: Room):
    room.stand("controller")
    room.headset.look((0.2, 1.6, -0.1), yaw=0.4, pitch=-0.2)
    room.headset.hold("left", (-0.1, 1.5, -0.4), Rotation.from_euler("YX", [0.3, 0.6]))
    room.headset.hold("right", (0.45, 1.35, -0.35), Rotation.from_euler("YX", [-0.4, 0.4]))
    room.settle()
    room.alone()


def test_everyone_sees_bare_hands_where_they_are(room: Room):
    room.stand()
    room.headset.hold("left", (-0.22, 1.4, -0.4), Rotation.from_euler("X", -0.2))
    room.headset.hold("right", (0.2, 1.2, -0.3), Rotation.from_euler("Y", 0.2))
    room.settle()


def test_a_moving_hand_is_seen_where_it_was_within_one_delay(room: Room):
    room.stand()
    room.headset.forget()
    seen = _follow(room, seconds=2.5)
    path = room.headset.truth()
    own = np.array(room.page.evaluate("armspan.own().poses"))[:7]
    times = np.array([each.at_ms for each in path])
    places = np.array([_to_world(each, own, "left")[:3] for each in path])
    assert len(seen) > 10
    assert np.ptp(places[:, 0]) > 0.15, "the hand did not move"
    # The way there, and a frame of either page: this machine draws in software.
    frames_ms = float(np.diff(times).max() + np.diff([each.at_ms for each in seen]).max())
    under_way_ms = room.watcher.evaluate("armspan.status().roundTripUs") / 1000 + frames_ms
    for each in seen:
        lag_ms = each.delay_ms + under_way_ms
        off = _nearest(each.place, each.at_ms - lag_ms, each.at_ms, times, places)
        assert off <= PALM_M, f"{1000 * off:.1f} mm off all that was true for {lag_ms:.0f} ms"


@dataclass
class Seen:
    """What the watching page drew in one frame."""

    at_ms: float  # by the machine's clock
    place: Floats
    delay_ms: float  # how far behind the newest snapshot the picture was


def _follow(room: Room, seconds: float) -> list[Seen]:
    """Swing the left hand, and note what the watching page draws meanwhile."""
    room.headset.swing("left", seconds + 0.5)
    room.page.wait_for_timeout(400)
    notes: list[list[Any]] = room.watcher.evaluate(_NOTES, 1000 * (seconds - 0.5))
    room.page.wait_for_timeout(1000)
    return [Seen(at_ms, np.array(place), delay_us / 1000) for at_ms, place, delay_us in notes]


_NOTES = f"""(forMs) => new Promise((done) => {{
  const notes = [];
  const start = performance.now();
  const look = () => {{
    const body = {MINE};
    const atMs = performance.timeOrigin + performance.now();
    const delayUs = armspan.status().newestUs - armspan.bodies().timeUs;
    if (body?.between) notes.push([atMs, body.parts.leftHand.position, delayUs]);
    if (performance.now() - start > forMs) done(notes);
    else requestAnimationFrame(look);
  }};
  look();
}})"""


def _nearest(place: Floats, since: float, until_: float, times: Floats, places: Floats) -> float:
    """Metres between a place and the nearest that the path held in an interval of time."""
    moments = np.linspace(since, until_, 200)
    path = np.column_stack([np.interp(moments, times, places[:, axis]) for axis in range(3)])
    return float(np.linalg.norm(path - place, axis=1).min())


def test_a_hand_that_was_lost_comes_back_without_a_glide(room: Room):
    room.stand()
    before = room.expected("left")[:3]
    room.headset.do("device.hands.left.connected = false")
    room.follower.wait_for(NAME, lambda avatar: avatar.provenance[1] == LOST)
    rest = room.follower.palm(NAME, "left")
    assert rest is not None
    assert np.linalg.norm(rest - before) > 0.2, "the lost hand does not sink to rest"
    jumps = room.page.evaluate("armspan.own().discontinuity")
    room.headset.hold("left", (-0.35, 1.5, -0.3), Rotation.identity())
    room.follower.forget()
    room.headset.do("device.hands.left.connected = true")
    room.agree("left")
    found = room.expected("left")[:3]
    assert room.page.evaluate("armspan.own().discontinuity") == (jumps + 1) % 16
    for avatar in room.follower.history(NAME):
        palm = room.follower.palm_of(NAME, avatar, "left")
        near = min(float(np.linalg.norm(palm - each)) for each in (rest, found))
        assert near < 0.02, "the hand glides through places where it never was"
    room.settle()


def test_who_looks_away_rests_and_who_looks_again_is_there(room: Room):
    room.stand()
    room.headset.do("device.updateVisibilityState('visible-blurred')")
    room.follower.wait_for(NAME, lambda avatar: avatar.provenance == (TRACKED, LOST, LOST))
    room.headset.do("device.updateVisibilityState('hidden')")
    room.follower.wait_for(NAME, lambda avatar: avatar.provenance == (LOST, LOST, LOST))
    room.headset.look((0.05, 1.6, 0.05), yaw=-0.2)
    room.headset.do("device.updateVisibilityState('visible')")
    room.follower.wait_for(NAME, lambda avatar: avatar.provenance == (TRACKED,) * 3)
    room.settle()
    room.alone()


def test_steps_and_teleports_are_jumps_and_end_where_the_arc_did(room: Room):
    room.stand("controller")
    start = np.array(room.page.evaluate("armspan.own().poses"))[:7]
    jumps = room.page.evaluate("armspan.own().discontinuity")
    room.headset.do("device.controllers.right.updateAxes('thumbstick', 1, 0)")
    until(room.page, f"armspan.own().discontinuity === {(jumps + 1) % 16}")
    room.headset.do("device.controllers.right.updateAxes('thumbstick', 0, 0)")
    turned = np.array(room.page.evaluate("armspan.own().poses"))[:7]
    turn = (Rotation.from_quat(turned[3:]) * Rotation.from_quat(start[3:]).inv()).as_rotvec()
    np.testing.assert_allclose(turn, [0, -np.pi / 6, 0], atol=1e-5)
    np.testing.assert_allclose(turned[:3], start[:3], atol=1e-5)
    room.headset.do("device.controllers.left.updateAxes('thumbstick', 0, -1)")
    room.page.wait_for_timeout(300)
    room.headset.do("device.controllers.left.updateAxes('thumbstick', 0, 0)")
    until(room.page, f"armspan.own().discontinuity === {(jumps + 2) % 16}")
    there = np.array(room.page.evaluate("armspan.own().poses"))[:7]
    assert np.linalg.norm(there[[0, 2]] - start[[0, 2]]) > 1.5
    assert there[1] == pytest.approx(start[1], abs=1e-5)
    room.settle()


def test_leaving_the_headset_and_entering_again_is_the_same_person(room: Room):
    room.stand()
    id_ = room.follower.id_of(NAME)
    jumps = room.page.evaluate("armspan.own().discontinuity")
    room.page.evaluate("void emulated.device.activeSession.end()")
    until(room.page, f"!emulated.device.activeSession && armspan.own().discontinuity !== {jumps}")
    room.alone()
    room.enter()
    room.stand()
    room.alone()
    assert room.follower.id_of(NAME) == id_


def test_a_page_that_slept_is_right_when_it_wakes(room: Room):
    room.stand()
    tab = room.page.context.new_cdp_session(room.page)
    tab.send("Page.setWebLifecycleState", {"state": "frozen"})
    time.sleep(2)
    tab.send("Page.setWebLifecycleState", {"state": "active"})
    until(room.page, "armspan.own().tracked === 7")
    frames_ms = np.array([each.at_ms for each in room.headset.truth()])
    assert np.diff(frames_ms).max() > 1500, "the page did not sleep"
    room.headset.look((0.0, 1.62, 0.05))
    room.settle()
    room.alone()


def test_five_seconds_without_network_leave_no_trace(room: Room):
    room.stand()
    id_ = room.follower.id_of(NAME)
    room.network.cut()
    room.headset.look((-0.05, 1.62, 0.0))
    room.page.wait_for_timeout(5000)
    room.network.mend()
    room.settle()
    room.alone()
    assert room.follower.id_of(NAME) == id_


def test_a_server_that_starts_again_finds_the_person_in_the_headset(room: Room):
    room.server.kill()
    with server(port=room.server.port), Follower(room.server.url, SESSION) as follower:
        room.follower = follower
        until(room.page, "armspan.status().phase === 'live'", DEADLINE_S)
        until(room.watcher, "armspan.status().phase === 'live'", DEADLINE_S)
        room.stand()
        room.alone()
