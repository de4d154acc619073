"""Somebody without a headset walks, reaches and points, and the others see it."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from armspan.protocol.frames import AvatarState
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.conftest import PageOpener, until
from tests.browser.follower import Follower
from tests.browser.processes import Server, server

pytestmark = pytest.mark.browser

SESSION = "desk"
SIZE = (780, 440)
WATCHER_SIZE = (240, 180)
PHONE = (390, 760)
LIVE = "window.armspan?.status().phase === 'live'"
EYES, LEFT_PALM, RIGHT_PALM = 0, 7, 14
PALM_TOLERANCE_M = 0.002
DRAWN_TOLERANCE_M = 0.005
STILL_M = 1e-5
STILL_FRAMES = 4
DEADLINE_S = 20.0
CHEST_FROM_EYES_M = 0.3  # level, whichever way the head looks


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server("--session", SESSION) as started:
        yield started


@pytest.fixture
def follower(running: Server) -> Iterator[Follower]:
    with Follower(running.url, SESSION) as following:
        yield following


def join(page: Page, name: str) -> int:
    """Comes in through the card; returns one's id once one's body is sent."""
    until(page, LIVE)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    until(page, "armspan.own().id > 0 && armspan.own().posesSent > 0")
    return page.evaluate("armspan.own().id")


def own(page: Page, what: str) -> Any:
    return page.evaluate(f"armspan.own().{what}")


def place(page: Page, sensor: int) -> np.ndarray:
    """Where one's own sensor is, world metres."""
    return np.array(own(page, "poses")[sensor : sensor + 3])


def until_still(page: Page, sensor: int) -> np.ndarray:
    """Where a sensor comes to rest: in every one of a few frames that were sent."""
    at = f"(({{posesSent, poses}}) => [posesSent, ...poses.slice({sensor}, {sensor + 3})])"
    deadline = time.monotonic() + DEADLINE_S
    first, *before = page.evaluate(f"{at}(armspan.own())")
    while time.monotonic() < deadline:
        page.wait_for_timeout(30)
        sent, *now = page.evaluate(f"{at}(armspan.own())")
        if np.abs(np.subtract(now, before)).max() > STILL_M:
            first, before = sent, now
        elif sent >= first + STILL_FRAMES:
            return np.array(now)
    raise AssertionError("it never came to rest")


def drawn(page: Page, id_: int, part: str) -> np.ndarray | None:
    """Where a page draws a part of somebody."""
    found = f"armspan.bodies().bodies.find(each => each.id === {id_})?.parts.{part}?.position"
    position = page.evaluate(f"{found} ?? null")
    return None if position is None else np.array(position)


def until_drawn_at(page: Page, id_: int, part: str, where: np.ndarray) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        position = drawn(page, id_, part)
        if position is not None and np.linalg.norm(position - where) < DRAWN_TOLERANCE_M:
            return
        page.wait_for_timeout(60)
    raise AssertionError(f"{part} is drawn at {drawn(page, id_, part)} and not at {where}")


def test_the_others_see_somebody_walk_reach_and_point(
    running: Server, open_page: PageOpener, follower: Follower
):
    page = open_page(running.page(SESSION), *SIZE)
    watcher = open_page(running.page(SESSION), *WATCHER_SIZE)
    id_ = join(page, "Ada")
    walk(page, follower)
    until_drawn_at(watcher, id_, "head", until_still(page, EYES))
    reach(page, follower)
    until_drawn_at(watcher, id_, "rightHand", until_still(page, RIGHT_PALM))
    point(page, watcher, id_)
    assert watcher.evaluate("armspan.own().posesSent") == 0
    assert not open_page.complaints


def walk(page: Page, follower: Follower) -> None:
    start = until_still(page, EYES)
    page.locator("canvas").focus()
    page.keyboard.down("w")
    until(page, f"Math.abs(armspan.own().poses[2] - {start[2]}) > 1")
    page.keyboard.up("w")
    end = until_still(page, EYES)

    def is_there(body: AvatarState) -> bool:
        chest = np.array(body.chest_position_m)
        return float(np.hypot(*(chest - end)[[0, 2]])) < CHEST_FROM_EYES_M

    assert np.linalg.norm(end - start) > 1
    follower.wait_for("Ada", is_there)


def reach(page: Page, follower: Follower) -> None:
    at_rest = until_still(page, RIGHT_PALM)
    page.mouse.move(330, 210)
    page.mouse.down(button="right")
    page.mouse.move(290, 240)
    page.mouse.wheel(0, -100)
    there = until_still(page, RIGHT_PALM)
    assert there[1] > at_rest[1] + 0.2

    def palm_is_there(body: AvatarState) -> bool:
        palm = follower.palm_of("Ada", body, "right")
        return float(np.linalg.norm(palm - there)) < PALM_TOLERANCE_M

    follower.wait_for("Ada", palm_is_there)
    page.mouse.down(button="left")
    until(page, "armspan.own().fingersKnown === 2")
    page.mouse.up(button="left")
    page.mouse.up(button="right")
    # The keys alone reach as well: a short press keeps it on, the arrows lead the hand.
    page.locator("canvas").press("r")
    before = until_still(page, RIGHT_PALM)
    page.keyboard.down("ArrowUp")
    until(page, f"armspan.own().poses[{RIGHT_PALM + 1}] > {before[1] + 0.05}")
    page.keyboard.up("ArrowUp")


def point(page: Page, watcher: Page, id_: int) -> None:
    page.keyboard.press("Escape")
    page.mouse.move(340, 300)
    page.mouse.down(button="middle")
    until(page, "armspan.own().pointing === 2")
    until_still(page, RIGHT_PALM)
    target = np.array(own(page, "points")[3:])
    assert abs(target[1]) < 1e-6, "the floor"
    until(watcher, f"armspan.laser({id_}, 1) !== null")
    ended = np.array(watcher.evaluate(f"armspan.laser({id_}, 1)"))
    assert np.linalg.norm(ended - target) < DRAWN_TOLERANCE_M
    page.mouse.up(button="middle")
    until(watcher, f"armspan.laser({id_}, 1) === null")


def test_keys_that_are_meant_for_something_else_never_walk(running: Server, open_page: PageOpener):
    page = open_page(running.page(SESSION), *SIZE)
    join(page, "Bo")
    page.get_by_role("button", name="Settings").click()
    name = page.get_by_role("dialog").get_by_label("Your name")
    start = until_still(page, EYES)
    name.press_sequentially("wwaassdd wasd")
    page.keyboard.down("w")
    page.wait_for_timeout(300)
    page.keyboard.up("w")
    assert np.allclose(place(page, EYES), start)
    page.keyboard.press("Escape")
    page.locator("canvas").focus()
    page.keyboard.down("w")
    until(page, f"Math.abs(armspan.own().poses[2] - {start[2]}) > 0.2")
    page.evaluate("dispatchEvent(new Event('blur'))")  # the key comes up where nobody sees it
    until_still(page, EYES)


def test_thumbs_walk_and_look_and_reach(running: Server, browser: Browser):
    width, height = PHONE
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=True, is_mobile=True
    )
    try:
        page = context.new_page()
        page.goto(running.page(SESSION))
        join(page, "Cy")
        fingers = context.new_cdp_session(page)
        x0, _, z0 = until_still(page, EYES)
        box = page.locator(".stick").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        touch(fingers, "touchStart", x, y)
        touch(fingers, "touchMove", x, y - 40)
        gone = f"Math.hypot(armspan.own().poses[0] - {x0}, armspan.own().poses[2] - {z0})"
        until(page, f"{gone} > 0.4")
        touch(fingers, "touchEnd")
        until_still(page, EYES)
        turned = own(page, "poses")[4]
        touch(fingers, "touchStart", 200, 300)
        touch(fingers, "touchMove", 260, 300)
        touch(fingers, "touchEnd")
        until(page, f"Math.abs(armspan.own().poses[4] - {turned}) > 0.05")
        page.get_by_role("button", name="Reach").click()
        touch(fingers, "touchStart", 200, 250)
        until(page, f"armspan.own().poses[{RIGHT_PALM + 1}] > 1.2")
        touch(fingers, "touchEnd")
        expect(page.get_by_role("button", name="Pinch")).to_be_visible()
    finally:
        context.close()


def touch(fingers: CDPSession, kind: str, *place: float) -> None:
    points = [{"x": place[0], "y": place[1]}] if place else []
    fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
