"""This browser draws in software, so the picture is a plain one, unless the finest is asked for."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PageOpener, until
from tests.browser.processes import bots, server

pytestmark = pytest.mark.browser

SIZE = (480, 320)


def drawn_pixels(page: Page) -> int:
    until(page, "window.armspan?.bodies().bodies[0]?.opacity > 0.9")
    return page.evaluate("document.querySelector('canvas').width")


def test_software_draws_fewer_pixels_unless_told_otherwise(open_page: PageOpener):
    with server() as running, bots(running.url, "plain", 1):
        assert drawn_pixels(open_page(running.page("plain"), *SIZE)) == 0.6 * SIZE[0]
        finest = open_page(running.page("plain") + "?quality=finest", *SIZE)
        assert drawn_pixels(finest) == SIZE[0]
    assert not open_page.complaints
