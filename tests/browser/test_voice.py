"""People talk: each hears the others from where they are, and whoever is muted or gone no more."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from armspan.protocol import (
    PROTOCOL_REVISION,
    PROTOCOL_VERSION,
    ChangeVoice,
    Hello,
    Role,
    Voice,
    caps,
    encode,
)
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect
from scipy.spatial.transform import Rotation
from websockets.sync.client import connect

from tests.browser.conftest import PageOpener, until
from tests.browser.processes import Server, server

pytestmark = pytest.mark.browser

# A microphone that beeps. Whether a page may have it is up to each page's permissions.
BROWSER_ARGUMENTS = ("--use-fake-device-for-media-stream",)
SESSION = "talk"
SMALL = (420, 300)
BEEPS_S = 1.6  # long enough for some of them
HEARD_DB = -45.0
SILENT_DB = -90.0
BESIDE = 0.8  # the sine of how far to the side a voice comes from
# Lets a test break the connection to the server, as a network does.
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); sockets.push(this); }
};
"""
SAMPLE_SOUND = """
async (ms) => {
  const sounds = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const { heard, ears } = armspan.sound();
    sounds.push([Math.max(-100, ...heard.map(({ levelDb }) => levelDb)), ...ears]);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  return sounds;
}
"""
TALKING = "armspan.sound().heard.some(({line, levelDb}) => line === 'connected' && levelDb > -60)"
Floats = NDArray[np.float64]


@dataclass
class Talker:
    """A page whose person is in the session."""

    name: str
    page: Page

    def talk(self) -> None:
        """Turn voice on, as one does."""
        self.page.get_by_role("button", name="Voice", exact=True).click()

    def press(self, name: str) -> None:
        """Press a button of the toolbar."""
        self.page.get_by_role("toolbar").get_by_role("button", name=name, exact=True).click()

    def hear(self) -> None:
        """Wait until one of the others is heard."""
        until(self.page, f"armspan.sound().heard.some(({{levelDb}}) => levelDb > {HEARD_DB})")

    def hears_nothing(self) -> bool:
        """Whether all the others are silent for longer than between two beeps."""
        return bool(self._sounds()[:, 0].max() < SILENT_DB)

    def louder_on_the_right_db(self) -> float:
        """How much louder it is at the right ear than at the left one."""
        self.hear()
        power = np.sum(10 ** (self._sounds()[:, 1:] / 10), axis=0)
        return float(10 * np.log10(power[1] / power[0]))

    def eyes(self) -> tuple[Floats, Rotation]:
        """Where one's own eyes are, and how they are turned."""
        poses = np.array(self.page.evaluate("armspan.own().poses"))
        return poses[:3], Rotation.from_quat(poses[3:7])

    def _sounds(self) -> Floats:
        """Level of the loudest person, and of either ear, again and again (N, 3)."""
        return np.array(self.page.evaluate(SAMPLE_SOUND, 1000 * BEEPS_S))


@dataclass
class Table:
    """Two people who talk, and a way for more to come."""

    running: Server
    opener: PageOpener
    ada: Talker
    bo: Talker


def come(opener: PageOpener, running: Server, name: str, *, microphone: bool = True) -> Talker:
    """Someone opens the session's page and joins."""
    page = opener(running.page(SESSION), *SMALL, script=KEEP_SOCKETS)
    if microphone:
        page.context.grant_permissions(["microphone"], origin=running.url)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    until(page, "window.armspan?.own().id > 0 && armspan.bodies().bodies.length > 0")
    return Talker(name, page)


@pytest.fixture(scope="module")
def table(browser: Browser) -> Iterator[Table]:
    opener = PageOpener(browser)
    with server() as running:
        ada, bo = (come(opener, running, name) for name in ("Ada", "Bo"))
        for each in (ada, bo):
            each.talk()
        for each in (ada, bo):
            until(each.page, TALKING)
        yield Table(running, opener, ada, bo)
        opener.close()
    assert not [text for text in opener.complaints if "candidate was passed over" not in text]


def to_the_side(listener: Talker) -> float:
    """How far to the right a voice comes from: -1 left, 0 ahead or behind, 1 right."""
    position, rotation = listener.eyes()
    voice = np.array(listener.page.evaluate("armspan.sound().heard[0].position"))
    ahead = rotation.inv().apply(voice - position)
    return float(ahead[0] / np.linalg.norm(ahead))


def turn_until(listener: Talker, side: float) -> None:
    """Turn the body, step by step, until the voice comes from there."""
    listener.page.locator("canvas").focus()
    deadline = time.monotonic() + 20
    while to_the_side(listener) * side < BESIDE:
        assert time.monotonic() < deadline, "turned in vain"
        listener.page.keyboard.press("q", delay=90)
        listener.page.wait_for_timeout(200)  # until it has come to a stop


def test_a_voice_comes_from_where_its_head_is_drawn(table: Table):
    for listener, speaker in ((table.ada, table.bo), (table.bo, table.ada)):
        listener.hear()
        head = f"armspan.bodies().bodies.find(({{name}}) => name === '{speaker.name}')"
        position = np.array(listener.page.evaluate("armspan.sound().heard[0].position"))
        drawn = np.array(listener.page.evaluate(f"{head}.parts.head.position"))
        eyes, _ = speaker.eyes()
        assert np.linalg.norm(position - drawn) < 0.02
        assert np.linalg.norm(position - eyes) < 0.03
        until(listener.page, "document.querySelector('.person-voice.speaking') !== null")


def test_the_ear_on_the_speakers_side_hears_more(table: Table):
    for side in (-1.0, 1.0):
        turn_until(table.ada, side)
        assert table.ada.louder_on_the_right_db() * side > 2.0


def test_a_muted_microphone_is_silent_and_push_to_talk_opens_it(table: Table):
    bo = table.bo
    bo.press("Mute")
    until(table.ada.page, "document.querySelector('.person-voice.muted') !== null")
    table.ada.page.wait_for_timeout(300)  # what was under way
    assert table.ada.hears_nothing()
    bo.hear()  # who is muted still hears
    bo.press("Voice: who talks, and how loud")
    bo.page.get_by_label("Push to talk").check()
    bo.page.keyboard.down("t")
    until(table.ada.page, TALKING)
    bo.page.keyboard.up("t")
    until(table.ada.page, f"!({TALKING})")
    table.ada.page.wait_for_timeout(300)
    assert table.ada.hears_nothing()
    bo.page.get_by_label("Push to talk").uncheck()
    bo.page.get_by_role("button", name="Close").locator("visible=true").click()
    until(table.ada.page, TALKING)


def test_a_third_is_heard_and_disappears(table: Table):
    cy = come(table.opener, table.running, "Cy")
    cy.talk()
    until(table.ada.page, "armspan.sound().heard.length === 2")
    until(cy.page, "armspan.sound().heard.filter(({line}) => line === 'connected').length === 2")
    cy.press("Leave")
    for each in (table.ada, table.bo):
        until(each.page, "armspan.sound().heard.length === 1")
        until(each.page, TALKING)
    cy.page.context.close()


def test_the_talk_goes_on_after_the_connection_to_the_server_broke(table: Table):
    ada = table.ada
    ada.page.evaluate("sockets.at(-1).close(3000)")
    until(ada.page, "armspan.sound().heard.length === 0")
    for each in (ada, table.bo):
        until(each.page, TALKING)
    assert ada.page.evaluate("sockets.length") > 1


@contextlib.contextmanager
def listeners(running: Server, count: int) -> Iterator[None]:
    """Programs that are in the talk, and say nothing."""
    with contextlib.ExitStack() as owned:
        for number in range(count):
            address = f"{running.url.replace('http', 'ws', 1)}/ws/{SESSION}"
            # Nobody reads what arrives: without a bound it does not hold up the closing.
            socket = owned.enter_context(connect(address, max_size=2**20, max_queue=None))
            hello = Hello(
                protocol_version=PROTOCOL_VERSION,
                name=f"Listener {number}",
                role=Role.PARTICIPANT,
                revision=PROTOCOL_REVISION,
            )
            socket.send(encode(hello))
            socket.send(encode(ChangeVoice(voice=Voice.MUTED)))
        yield


def test_the_seventh_is_told_why_not(table: Table):
    ada, bo = table.ada, table.bo
    bo.press("Voice: who talks, and how loud")
    dialog = bo.page.get_by_role("dialog", name="Voice")
    dialog.get_by_role("button", name="Turn voice off").click()
    until(ada.page, "armspan.sound().heard.length === 0")
    with listeners(table.running, caps.VOICE_PEOPLE - 1):
        expect(dialog).to_contain_text("6 of 6 places")
        dialog.get_by_role("button", name="Turn voice on").click()
        expect(dialog.get_by_role("status")).to_contain_text("6 people have their voice on")
        assert bo.page.evaluate("armspan.sound().heard.length") == 0
    expect(bo.page.locator(".person-name", has_text="Listener")).to_have_count(0)
    dialog.get_by_role("button", name="Turn voice on").click()
    for each in (ada, bo):
        until(each.page, TALKING)
    dialog.get_by_role("button", name="Close").click()


def test_a_refused_microphone_is_said_and_one_may_still_listen(table: Table):
    dee = come(table.opener, table.running, "Dee", microphone=False)
    dee.talk()
    expect(dee.page.get_by_text("The browser refused the microphone")).to_be_visible()
    dee.press("Voice: who talks, and how loud")
    dialog = dee.page.get_by_role("dialog", name="Voice")
    expect(dialog).to_contain_text("Allow it for this page")
    dialog.get_by_role("button", name="Just listen").click()
    until(dee.page, "armspan.sound().heard.filter(({line}) => line === 'connected').length === 2")
    dee.hear()
    expect(dialog).to_contain_text("You only listen")
    dee.page.context.close()
    until(table.ada.page, "armspan.sound().heard.length === 1")
