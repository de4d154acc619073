"""A person in an emulated headset: everyone sees where head and hands are, whatever happens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from scipy.spatial.transform import Rotation

from tests.browser.conftest import PageOpener, until
from tests.browser.follower import Follower
from tests.browser.guest import guest
from tests.browser.headset_device import EmulatedHeadset, Floats, emulator
from tests.browser.headset_room import DEADLINE_S, MINE, NAME, PALM_M, Room, to_world
from tests.browser.network import Network
from tests.browser.processes import server

pytestmark = pytest.mark.browser

SESSION = "room"
SMALL = (360, 240)
LOST, TRACKED = 0, 2
"""Members of the protocol's Provenance."""
HICCUP_MS = 1500  # a test machine may be busy for so long, now and then


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
    room.measured()
    room.headset.forget()
    seen = _follow(room, seconds=2.5)
    path = room.headset.truth()
    own = np.array(room.page.evaluate("armspan.own().poses"))[:7]
    times = np.array([each.at_ms for each in path])
    places = np.array([to_world(each, own, "left")[:3] for each in path])
    assert len(seen) > 10
    assert np.ptp(places[:, 0]) > 0.15, "the hand did not move"
    # The way there, and a frame of either page: this machine draws in software.
    frames_ms = float(np.diff(times).max() + np.diff([each.at_ms for each in seen]).max())
    under_way_ms = room.watcher.evaluate("armspan.status().roundTripUs") / 1000 + frames_ms
    in_time = 0
    for each in seen:
        off = _nearest(each.place, each.at_ms - HICCUP_MS, each.at_ms, times, places)
        assert off <= PALM_M, f"{1000 * off:.1f} mm off all that was ever true"
        since = each.at_ms - each.delay_ms - under_way_ms
        in_time += _nearest(each.place, since, each.at_ms, times, places) <= PALM_M
    assert in_time >= 0.9 * len(seen), f"only {in_time} of {len(seen)} pictures were in time"


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


def test_the_wearer_sees_who_is_there_and_reads_what_the_page_says(room: Room):
    room.stand("controller")
    assert room.page.evaluate("armspan.headset().named") == []
    with guest(room.server.url, SESSION, "Grace"):
        until(room.page, "armspan.headset().named.join() === 'Grace'")
    room.headset.do("device.controllers.right.updateButtonValue('b-button', 1)")
    until(room.page, "armspan.headset().words.startsWith('Your voice is off.')")
    until(room.page, "armspan.headset().clarity > 0.9")
    room.headset.do("device.controllers.right.updateButtonValue('b-button', 0)")
    until(room.page, "armspan.headset().named.length === 0")
    room.alone()


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


def test_a_page_that_was_hidden_is_right_when_it_is_shown_again(room: Room):
    room.stand()
    browser = room.page.context.new_cdp_session(room.page)
    window = browser.send("Browser.getWindowForTarget")["windowId"]
    for state in ("minimized", "normal"):
        bounds = {"windowId": window, "bounds": {"windowState": state}}
        browser.send("Browser.setWindowBounds", bounds)
        room.page.wait_for_timeout(2000 if state == "minimized" else 0)
    until(room.page, "armspan.own().tracked === 7")
    frames_ms = np.array([each.at_ms for each in room.headset.truth()])
    assert np.diff(frames_ms).max() > 600, "the page was not hidden: it went on drawing"
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
    until(room.page, "armspan.headset().words.startsWith('Disconnected.')")
    with server(port=room.server.port), Follower(room.server.url, SESSION) as follower:
        room.follower = follower
        until(room.page, "armspan.status().phase === 'live'", DEADLINE_S)
        until(room.watcher, "armspan.status().phase === 'live'", DEADLINE_S)
        until(room.page, "armspan.headset().words === 'Connected again.'")
        room.stand()
        room.alone()
