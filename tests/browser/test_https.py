"""A page of a server with its own authority, in a browser that goes past the warning."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import until
from tests.browser.processes import Server, server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("tls")
    with server("--https", "--tls-folder", str(folder)) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Of someone who clicked through: the browser knows no authority of this certificate."""
    context = browser.new_context(
        ignore_https_errors=True, viewport={"width": 480, "height": 320}, color_scheme="light"
    )
    yield context.new_page()
    context.close()


def test_past_the_warning_everything_works_that_needs_encryption(running: Server, page: Page):
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    # By the address that a person types: it leads to https on the same port.
    page.goto(f"http://127.0.0.1:{running.port}/s/review")
    assert page.url.startswith(f"https://127.0.0.1:{running.port}/s/review")
    assert page.evaluate("isSecureContext")
    assert page.evaluate("'xr' in navigator && 'mediaDevices' in navigator")
    opened = page.evaluate(
        """() => new Promise((resolve) => {
            const socket = new WebSocket(`wss://${location.host}/ws/review`);
            socket.onopen = () => resolve(socket.url);
            socket.onerror = () => resolve('refused');
        })"""
    )
    assert opened == f"wss://127.0.0.1:{running.port}/ws/review"
    until(page, "window.armspan?.status().phase === 'live'")
    assert all(url.startswith("wss://") for url in sockets)


def test_the_page_about_trust_is_readable_and_offers_the_certificate(running: Server, page: Page):
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"https://127.0.0.1:{running.port}/trust")
    assert page.get_by_role("heading", level=1).inner_text() == "Trust this server"
    assert re.fullmatch(r"([0-9A-F]{2}:){31}[0-9A-F]{2}", page.locator(".print").inner_text())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the certificate").click()
    assert downloading.value.suggested_filename == "armspan-ca.crt"
    assert downloading.value.path().read_text().startswith("-----BEGIN CERTIFICATE-----")
    assert complaints == []


def test_without_going_past_the_warning_nothing_is_shown(running: Server, browser: Browser):
    context = browser.new_context()
    page = context.new_page()
    with pytest.raises(Exception, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(f"https://127.0.0.1:{running.port}/")
    context.close()
