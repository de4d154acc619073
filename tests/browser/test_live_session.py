"""Two browsers and bots in one session: what is drawn is what the server says."""

import colorsys
import io
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageOpener, until
from tests.browser.processes import Server, bots, key_link, server
from tests.browser.witness import Witness

pytestmark = pytest.mark.browser

SESSION = "review"
PEOPLE = 4
COMPARED = 60  # drawn bodies, on each page
DEADLINE_S = 60.0
WIDE = (800, 420)
PANEL_PX = 316  # what the panel covers of a wide page
PART_TOLERANCE_M = 1e-5  # both read the same bytes; the page's matrices are float32
LIVE = "window.armspan?.status().phase === 'live'"
ALL_DRAWN = f"armspan.bodies().bodies.filter(each => each.opacity > 0.9).length === {PEOPLE}"


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as started, bots(started.url, SESSION, PEOPLE, "--seed", "3"):
        yield started


def bodies(page: Page) -> dict[str, Any]:
    return page.evaluate("armspan.bodies()")


def until_all_drawn(page: Page) -> None:
    until(page, f"window.armspan !== undefined && {ALL_DRAWN}")


def test_bodies_are_where_the_server_says_on_both_pages(running: Server, open_page: PageOpener):
    pages = [open_page(running.page(SESSION)) for _ in range(2)]
    for page in pages:
        until_all_drawn(page)
    with Witness(running.url, SESSION) as witness:
        for page in pages:
            differences = _many_differences(page, witness)
            assert max(differences) < PART_TOLERANCE_M
    assert {each["name"] for each in bodies(pages[0])["bodies"]} == {
        each["name"] for each in bodies(pages[1])["bodies"]
    }
    assert not open_page.complaints


def _many_differences(page: Page, witness: Witness) -> list[float]:
    """From as many frames as it takes: a late frame shows poses that are still guessed."""
    differences: list[float] = []
    deadline = time.monotonic() + DEADLINE_S
    while len(differences) < COMPARED:
        differences += _differences(bodies(page), witness)
        assert time.monotonic() < deadline, f"only {len(differences)} poses from samples alone"
    return differences


def _differences(drawn: dict[str, Any], witness: Witness) -> list[float]:
    """For each body drawn from snapshots alone, how far its worst part is from the truth, m."""
    differences: list[float] = []
    for body in drawn["bodies"]:
        if body["between"] is None:
            continue
        truth = witness.places(body["id"], drawn["timeUs"], tuple(body["between"]))
        if truth is not None:
            differences.append(max(_distance(body, part, truth[part]) for part in truth))
    return differences


def _distance(body: dict[str, Any], part: str, place: np.ndarray) -> float:
    return float(np.linalg.norm(np.array(body["parts"][part]["position"]) - place))


def test_people_move_and_pages_see_the_same_people(running: Server, open_page: PageOpener):
    page = open_page(running.page(SESSION))
    until_all_drawn(page)
    first = bodies(page)
    until(page, f"armspan.bodies().timeUs > {first['timeUs'] + 700_000}")
    later = {body["id"]: body["parts"] for body in bodies(page)["bodies"]}
    moved = [
        _distance(body, hand, later[body["id"]][hand]["position"])
        for body in first["bodies"]
        for hand in ("leftHand", "rightHand")
    ]
    assert max(moved) > 0.02


def test_everyone_is_in_the_picture_in_their_own_colour(running: Server, open_page: PageOpener):
    page = open_page(running.page(SESSION), 1000, 600)
    until_all_drawn(page)
    page.wait_for_timeout(1500)  # the first view glides to its place
    drawn = bodies(page)["bodies"]
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    for body in drawn:
        x, y = body["screen"]
        assert 0 < x < 1000, f"{body['name']} is beside the picture"
        assert 0 < y < 600, f"{body['name']} is above or below the picture"
        colour = _colour_of(page, body["name"])
        around = np.asarray(picture.crop((int(x) - 45, int(y), int(x) + 45, int(y) + 110)))
        assert _pixels_like(colour, around) > 40, f"{body['name']} is not drawn at {x}, {y}"


def _colour_of(page: Page, name: str) -> str:
    """The colour of a person's dot in the panel, as `#rrggbb`."""
    item = page.locator(".people li", has_text=name)
    return item.evaluate("element => element.style.getPropertyValue('--person')")


def _pixels_like(colour: str, pixels: np.ndarray) -> int:
    """How many pixels have this colour's hue, and are coloured at all."""
    wanted = colorsys.rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)))[0]
    hsv = [colorsys.rgb_to_hsv(*pixel) for pixel in pixels.reshape(-1, 3) / 255.0]
    return sum(
        abs((hue - wanted + 0.5) % 1 - 0.5) < 0.035 and saturation > 0.25
        for hue, saturation, _ in hsv
    )


def test_names_and_readings_are_shown(running: Server, open_page: PageOpener):
    page = open_page(running.page(SESSION), *WIDE)
    until_all_drawn(page)
    names = sorted(body["name"] for body in bodies(page)["bodies"])
    assert len(set(names)) == PEOPLE
    assert sorted(page.locator(".person-name").all_inner_texts()) == names
    assert sorted(page.locator(".label-text").all_inner_texts()) == names
    expect(page.locator(".panel-status")).to_have_text("Live")
    expect(page.locator(".panel-summary")).to_contain_text(f"{PEOPLE} people")
    until(page, "armspan.status().roundTripUs > 0")
    for name in ("Tick rate", "Round trip", "Behind live", "Data"):
        value = page.locator(".reading", has_text=name).locator("dd")
        expect(value).to_contain_text(re.compile(r"\d"))
    rate = page.locator(".reading", has_text="Tick rate").locator("dd").inner_text()
    assert 55 < float(rate.removesuffix(" Hz")) < 65


def test_a_click_on_a_name_follows_that_person(running: Server, open_page: PageOpener):
    page = open_page(running.page(SESSION), *WIDE)
    until_all_drawn(page)
    page.get_by_role("button", name="Only watch").click()
    page.locator(".person").first.click()
    expect(page.locator(".person").first).to_have_attribute("aria-pressed", "true")
    name = page.locator(".person-name").first.inner_text()
    middle = f"armspan.bodies().bodies.find(each => each.name === {name!r}).screen"
    until(page, f"Math.abs({middle}[0] - {(WIDE[0] - PANEL_PX) / 2}) < 60")
    page.keyboard.press("Escape")
    expect(page.locator(".person").first).to_have_attribute("aria-pressed", "false")


def test_the_keys_turn_the_view_and_home_shows_everyone_again(
    running: Server, open_page: PageOpener
):
    page = open_page(running.page(SESSION))
    until_all_drawn(page)
    inside = "armspan.bodies().bodies.every(({screen: [x]}) => x > 0 && x < innerWidth)"
    until(page, inside)
    page.locator("canvas").focus()
    for _ in range(14):
        page.keyboard.press("+")
    until(page, f"!({inside})")
    page.keyboard.press("Home")
    until(page, inside)


def test_a_narrow_screen_has_the_panel_as_a_sheet(running: Server, open_page: PageOpener):
    page = open_page(running.page(SESSION), 390, 844)
    until_all_drawn(page)
    page.get_by_role("button", name="Only watch").click()
    expect(page.locator(".people")).to_be_hidden()
    page.get_by_role("button", name="People and readings").click()
    expect(page.locator(".people")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_who_loses_the_network_is_shown_as_away(running: Server, open_page: PageOpener):
    with bots(running.url, "fragile", 1) as process:
        page = open_page(running.page("fragile"), *WIDE)
        until(page, "window.armspan?.bodies().bodies[0]?.opacity > 0.9")
        os.killpg(process.pid, signal.SIGKILL)
        expect(page.locator(".person-state")).to_have_text("away")
        until(page, "armspan.bodies().bodies[0].opacity < 0.5")


def test_the_page_says_that_the_server_is_gone_and_comes_back_by_itself(open_page: PageOpener):
    with server("--demo", "2") as first:
        page = open_page(first.page("demo"))
        until(page, "window.armspan?.bodies().bodies.length === 2")
        first.kill()
        notice = page.locator(".notice")
        expect(notice).to_contain_text("Disconnected", timeout=10_000)
        expect(notice).to_contain_text("Trying again in", timeout=10_000)
        expect(page.locator(".panel-status")).to_have_text("Disconnected")
        assert page.title().startswith("Disconnected")
        until(page, "armspan.bodies().bodies[0].opacity < 0.5")
    with server("--demo", "2", port=first.port):
        until(page, LIVE, 40)
        expect(notice).to_be_hidden()
        until(page, "armspan.bodies().bodies.filter(e => e.opacity > 0.9).length === 2")
        newest = page.evaluate("armspan.status().newestUs")
        until(page, f"armspan.bodies().timeUs > {newest + 500_000}")


def test_a_session_with_a_key_opens_by_its_whole_link_only(tmp_path: Path, open_page: PageOpener):
    secret = tmp_path / "secret"
    secret.write_text("a secret for this test only, long enough")
    secret.chmod(0o600)
    options = ("--require-key", "--secret-file", str(secret), "--session", "closed")
    with server(*options) as running:
        link = key_link("closed", secret, running.port)
        key = link.partition("#key=")[2]
        assert len(key) > 20
        page = open_page(running.page("closed"))
        notice = page.locator(".notice")
        expect(notice).to_contain_text("needs its key")
        sockets = len([url for url in open_page.requests if url.startswith("ws")])
        page.wait_for_timeout(2500)
        expect(notice).to_contain_text("needs its key")
        assert len([url for url in open_page.requests if url.startswith("ws")]) == sockets
        notice.get_by_role("textbox").fill(link)
        notice.get_by_role("button", name="Open the link").click()
        until(page, LIVE)
        assert not [url for url in open_page.requests if key in url.partition("#")[0]]
        assert not [text for text in open_page.complaints if key in text]
        assert key not in page.evaluate("JSON.stringify({...localStorage})")


def test_the_start_page_leads_into_a_session_and_remembers(running: Server, open_page: PageOpener):
    page = open_page(running.url)
    session = page.get_by_label("Session")
    session.fill("not a name!")
    page.get_by_role("button", name="Go to the session").click()
    expect(page.get_by_role("alert")).to_contain_text("letters, digits")
    session.fill(SESSION)
    page.get_by_role("button", name="Go to the session").click()
    page.wait_for_url(running.page(SESSION))
    until(page, LIVE)
    page.get_by_role("link", name="Armspan").click()
    expect(page.get_by_label("Session")).to_have_value(SESSION)


def test_nothing_comes_from_elsewhere_or_breaks_the_security_policy(
    running: Server, open_page: PageOpener
):
    page = open_page(running.url)
    page.locator("canvas").wait_for()
    response = page.goto(running.page(SESSION))
    assert response is not None
    assert "default-src 'self'" in response.headers["content-security-policy"]
    until_all_drawn(page)
    assert not open_page.complaints
    assert {url.split("/")[2] for url in open_page.requests} == {f"127.0.0.1:{running.port}"}
