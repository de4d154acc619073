"""Takes the picture of a running session for the README.

`python -m tests.browser.picture docs/images/session.webp`: a real server with recorded people, a
real browser, drawn at one and a quarter times its size, saved once it has settled.
"""

import argparse
import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, find_browser, until
from tests.browser.processes import server

PEOPLE = 8
QUALITY = 92  # where the format knows less than all of it
SETTLED_MS = 6_000  # the view glides, figures fade in, readings fill


def main() -> int:
    """0: the picture is written; 1: there is no browser."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the picture; its ending says the format")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--card", action="store_true", help="with the card that asks one in")
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 800), metavar=("W", "H"))
    parser.add_argument("--scale", type=float, default=1.25)
    given = parser.parse_args()
    executable = find_browser()
    if executable is None:
        sys.stderr.write("No browser was found; name one in ARMSPAN_CHROMIUM.\n")
        return 1
    with server("--demo", str(given.people)) as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*ARGUMENTS])
        page = browser.new_page(
            viewport={"width": given.size[0], "height": given.size[1]},
            color_scheme="dark" if given.dark else "light",
            device_scale_factor=given.scale,
        )
        page.goto(running.page("demo") + "?quality=finest")
        until(page, f"window.armspan?.bodies().bodies.length === {given.people}", 60)
        if not given.card:
            page.get_by_role("button", name="Only watch").click()
        page.wait_for_timeout(SETTLED_MS)
        given.file.parent.mkdir(parents=True, exist_ok=True)
        Image.open(io.BytesIO(page.screenshot())).save(given.file, quality=QUALITY)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
