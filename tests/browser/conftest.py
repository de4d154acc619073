"""Owns the browser of the browser tests: which one, how it is started, and what it may not do."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

STATIC = Path(__file__).parents[2] / "server" / "web" / "static"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Drawing in software: the machine may have no graphics card.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


def until(page: Page, expression: str, seconds: float = 30.0) -> None:
    """Wait until a JavaScript expression holds on a page.

    The page's own security policy forbids what `wait_for_function` does, so this asks again.
    """
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"in vain for {seconds:g} s: {expression}"
        page.wait_for_timeout(40)


def find_browser() -> str | None:
    """The browser that ARMSPAN_CHROMIUM names, or the first one on the path."""
    named = os.environ.get("ARMSPAN_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def _leave_out(reason: str) -> None:
    """Skip where a person runs the tests; fail where nobody would read that they were skipped."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason} CI never leaves the browser tests out.", pytrace=False)
    pytest.skip(f"BROWSER TESTS LEFT OUT: {reason}")


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A headless browser that draws WebGL; a module may add to its ``BROWSER_ARGUMENTS``.

    It ends with its module: while Playwright's synchronous interface lives, its event loop runs in
    this thread, and no asynchronous test could.
    """
    executable = find_browser()
    if executable is None:
        _leave_out(f"none of {', '.join(NAMES)} is on the path, nor one named by ARMSPAN_CHROMIUM.")
    if not (STATIC / "index.html").is_file():
        _leave_out("the web client is not built; run make client.")
    with sync_playwright() as playwright:
        arguments = [*ARGUMENTS, *getattr(request.module, "BROWSER_ARGUMENTS", ())]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator["PageOpener"]:
    """Opens pages, each as another person's browser; fails the test for any error on them."""
    opener = PageOpener(browser)
    yield opener
    opener.close()


class PageOpener:
    """Pages of separate contexts, with a record of what they asked for and complained about."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._pages: list[Page] = []
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def __call__(
        self, url: str, width: int = 480, height: int = 320, script: str | None = None
    ) -> Page:
        """Open a page; a ``script`` runs in it before its own."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="light"
        )
        page = context.new_page()
        if script is not None:
            page.add_init_script(script)
        page.set_default_timeout(30_000)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))
        self._pages.append(page)
        page.goto(url)
        return page

    def close(self) -> None:
        for page in self._pages:
            page.context.close()
