"""Measures what many people cost the page: `python -m tests.browser.frames`.

Draws sessions of one and of fifty recorded people in turns, in a real browser, and prints how long
a frame takes, and how many times longer with the many. Where the machine draws in software that
ratio is what tells anything.
"""

import argparse
import statistics
import sys

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import ARGUMENTS, find_browser, until
from tests.browser.processes import server

FRAMES = 120
# Gaps between frames, once the picture has settled on how finely it is drawn here.
GAPS = """count => new Promise(done => {
  const times = [];
  const frame = now => {
    times.push(now);
    if (times.length <= count) requestAnimationFrame(frame);
    else done(times.slice(1).map((time, at) => time - times[at]));
  };
  requestAnimationFrame(frame);
})"""
SETTLED_MS = 8_000


def main() -> int:
    """0: the figures are printed; 1: there is no browser."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, nargs=2, default=(800, 450), metavar=("W", "H"))
    given = parser.parse_args()
    executable = find_browser()
    if executable is None:
        sys.stderr.write("No browser was found; name one in ARMSPAN_CHROMIUM.\n")
        return 1
    counts = (1, given.people)
    medians: dict[int, list[float]] = {count: [] for count in counts}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*ARGUMENTS])
        for _ in range(given.rounds):
            for count in counts:
                medians[count].append(_frame_ms(browser, count, given.size))
        browser.close()
    one, many = (statistics.median(medians[count]) for count in counts)
    sys.stdout.write(
        f"one person {one:.1f} ms a frame, {given.people} people {many:.1f} ms: "
        f"{many / one:.2f} times (median of {given.rounds} rounds)\n"
    )
    return 0


def _frame_ms(browser: Browser, people: int, size: tuple[int, int]) -> float:
    with server("--demo", str(people)) as running:
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(running.page("demo"))
        page.get_by_role("button", name="Only watch").click()
        until(page, f"window.armspan?.bodies().bodies.length === {people}", 60)
        page.wait_for_timeout(SETTLED_MS)
        gaps: list[float] = page.evaluate(GAPS, FRAMES)
        page.close()
        return statistics.median(gaps)


if __name__ == "__main__":
    sys.exit(main())
