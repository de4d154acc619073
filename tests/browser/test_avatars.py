"""People in avatars: shipped ones, one's own, and ones that cannot be shown."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from armspan.protocol import Look
from playwright.sync_api import Page

from tests.browser.conftest import PageOpener, until
from tests.browser.guest import guest
from tests.browser.processes import Server, bots, server
from tests.browser.witness import Witness
from tests.golden.write_avatar_cases import glb, smallest

pytestmark = pytest.mark.browser

SESSION = "dressed"
OWN = Path(__file__).parents[2] / "client_web/public/avatars/woman.1.vrm"
NOWHERE = "vrm:" + "5e" * 32
BOTS = 2
# What each guest asks for, and what they are drawn as.
WORN = {
    "Chosen": ("man", "man"),
    "Plain": ("figure", "figure"),
    "Unknown": ("nobody-knows-me", "figure"),
    "Nowhere": (NOWHERE, "figure"),
}
TOLERANCE_M = 1e-5
COMPARED = 12
DEADLINE_S = 40.0


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with contextlib.ExitStack() as stack:
        started = stack.enter_context(server())
        stack.enter_context(bots(started.url, SESSION, BOTS, "--seed", "5"))
        for name, (avatar, _) in WORN.items():
            look = Look(avatar=avatar, colour=0x3366CC)
            stack.enter_context(guest(started.url, SESSION, name, look))
        stack.enter_context(guest(started.url, SESSION, "Bringer", own=OWN.read_bytes()))
        # Fifteen bones, one triangle, and a picture, which the page's own policy must let through.
        stack.enter_context(guest(started.url, SESSION, "Least", own=glb(*smallest())))
        yield started


def bodies(page: Page) -> dict[str, dict[str, Any]]:
    return {body["name"]: body for body in page.evaluate("armspan.bodies().bodies")}


def until_dressed(page: Page) -> None:
    """Until everyone is there and who can be is more than a figure."""
    dressed = BOTS + 3
    until(
        page,
        "window.armspan?.bodies().bodies.filter(each => each.opacity > 0.9 && "
        f"each.avatar !== 'figure').length === {dressed}",
        DEADLINE_S,
    )


def test_everyone_is_drawn_as_they_ask_or_as_a_figure_and_the_page_says_why(
    running: Server, open_page: PageOpener
):
    page = open_page(running.page(SESSION))
    until(page, "document.body.innerText.includes('knows no avatar')", DEADLINE_S)
    until_dressed(page)
    drawn = bodies(page)
    assert {name: drawn[name]["avatar"] for name in WORN} == {
        name: shown for name, (_, shown) in WORN.items()
    }
    assert drawn["Bringer"]["avatar"].startswith("vrm:")
    assert drawn["Least"]["avatar"].startswith("vrm:")
    for body in drawn.values():
        if body["avatar"] != "figure":
            feet = [body["parts"][f"{side}Foot"]["position"][1] for side in ("left", "right")]
            assert min(feet) < 0.15
    problems = [text for text in open_page.complaints if "404" not in text]
    assert not problems  # the avatar that is nowhere is a 404, which a browser writes down


def test_shoulders_elbows_palms_and_eyes_are_where_the_server_says(
    running: Server, open_page: PageOpener
):
    page = open_page(running.page(SESSION))
    until_dressed(page)
    compared = {"Bringer": 0, "bots": 0}
    deadline = time.monotonic() + DEADLINE_S
    with Witness(running.url, SESSION) as witness:
        while min(compared.values()) < COMPARED:
            assert time.monotonic() < deadline, f"only {compared} poses from samples alone"
            drawn = page.evaluate("armspan.bodies()")
            for body in drawn["bodies"]:
                if body["between"] is None or body["avatar"] == "figure" or body["name"] == "Least":
                    continue
                truth = witness.places(body["id"], drawn["timeUs"], tuple(body["between"]))
                if truth is None:
                    continue
                for part, place in truth.items():
                    away = np.array(body["parts"][part]["position"]) - place
                    assert np.linalg.norm(away) < TOLERANCE_M, f"{part} of {body['name']}"
                compared["Bringer" if body["name"] == "Bringer" else "bots"] += 1
