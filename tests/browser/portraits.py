"""Draws the avatars' portraits for the join card.

`python -m tests.browser.portraits`, after the avatars were baked: every avatar of
`client_web/public/avatars/avatars.json`, and the figure that needs no file, as WebP with a mask of
what the person's colour dyes, in `client_web/public/portraits`.
"""

import base64
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, find_browser, until

CLIENT = Path(__file__).parents[2] / "client_web"
PORTRAITS = CLIENT / "public" / "portraits"
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def main() -> int:
    """0: the portraits are written; 1: there is no browser."""
    executable = find_browser()
    if executable is None:
        sys.stderr.write("No browser was found; name one in ARMSPAN_CHROMIUM.\n")
        return 1
    PORTRAITS.mkdir(exist_ok=True)
    with _client() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*ARGUMENTS])
        page = browser.new_page()
        page.goto(f"{address}tests/portraits/index.html")
        until(page, "window.portrait !== undefined")
        for name in _avatars():
            _write(page, name)
        browser.close()
    return 0


def _avatars() -> list[str]:
    listed = json.loads((CLIENT / "public" / "avatars" / "avatars.json").read_text())
    return [*(avatar["name"] for avatar in listed["avatars"]), "figure"]


def _write(page: Page, name: str) -> None:
    drawn = page.evaluate("name => window.portrait(name)", name)
    for kind, ending in (("picture", "webp"), ("mask", "mask.webp")):
        content = base64.b64decode(drawn[kind].partition(",")[2])
        (PORTRAITS / f"{name}.{ending}").write_bytes(content)


@contextlib.contextmanager
def _client() -> Iterator[str]:
    """The client's own files, served by Vite."""
    process = subprocess.Popen(
        ["node", "node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--port", "0"],
        cwd=CLIENT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        lines = (_COLOURS.sub("", line) for line in process.stdout or ())
        yield next(found.group() for line in lines if (found := _ADDRESS.search(line)))
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    sys.exit(main())
