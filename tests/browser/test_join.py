"""The way into a session and out of it: by keys alone, for every eye, by thumb, whatever comes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from armspan.protocol import CloseCode, Look, decode_from_server, encode
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.conftest import PageOpener, until
from tests.browser.guest import guest
from tests.browser.processes import Server, server

pytestmark = pytest.mark.browser

ACCESSIBILITY = (Path(__file__).parent / "accessibility.js").read_text()
OWN_AVATAR = Path(__file__).parents[2] / "client_web/public/avatars/woman.2.vrm"
WIDE = (1000, 640)
PHONE = {"width": 360, "height": 640}
SMALLEST_TARGET_PX = 44
LEAST_CONTRAST = 4.5
# What of the picture may lie behind something translucent: sky, floor, and people in any colour.
PICTURES = {
    "light": [[243, 241, 237], [201, 214, 228], [176, 176, 175]],
    "dark": [[35, 42, 53], [10, 13, 18], [60, 66, 76]],
}
LIVE = "window.armspan?.status().phase === 'live'"
PEOPLE = "armspan.status().people"
WELCOME_ID = 0x20
# What somebody who watches may send: hello, and pings that keep the connection and the clock.
WATCHING_IDS = {0x10, 0x13}


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as started:
        yield started


def at_the_card(page: Page) -> None:
    until(page, LIVE)
    expect(page.get_by_role("button", name="Join", exact=True)).to_be_visible()


def join(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    until(page, f"{PEOPLE} > 0")


def tab_to(page: Page, name: str, most: int = 60) -> None:
    """Press Tab until this has the focus."""
    focused = "document.activeElement?.ariaLabel || document.activeElement?.textContent || ''"
    for _ in range(most):
        if page.evaluate(focused).strip() == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} is not reached by {most} presses of Tab")


def looked_at(page: Page, what: str, *given: Any) -> Any:
    arguments = ", ".join(str(each) for each in given)
    return page.evaluate(f"({ACCESSIBILITY})().{what}({arguments})")


def assert_seen_and_named(page: Page) -> None:
    assert looked_at(page, "nameless") == []
    assert looked_at(page, "twice") == []
    for scheme, pictures in PICTURES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = looked_at(page, "contrasts", pictures)
        assert found
        assert [each for each in found if each["ratio"] < LEAST_CONTRAST] == []


def test_the_keyboard_alone_joins_and_leaves(running: Server, open_page: PageOpener):
    page = open_page(running.page("keys"), *WIDE)
    at_the_card(page)
    expect(page.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("Ada")
    tab_to(page, "Woman")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Man", exact=True)).to_be_checked()
    tab_to(page, "Join")
    assert page.evaluate("document.activeElement.matches(':focus-visible')")
    page.keyboard.press("Enter")
    expect(page.locator(".person-name")).to_have_text("Ada")
    expect(page.locator("canvas")).to_be_focused()
    tab_to(page, "Settings")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Leave")).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    expect(page.get_by_text("You left the session")).to_be_visible()
    expect(page.get_by_role("button", name="Join", exact=True)).to_be_focused()
    until(page, f"{PEOPLE} === 0")
    assert page.evaluate("localStorage.getItem('armspan.name')") == "Ada"
    assert not open_page.complaints


def test_a_dialog_keeps_the_focus_and_gives_it_back(running: Server, open_page: PageOpener):
    page = open_page(running.page("dialogs") + "?quality=finest#key=of-no-use", *WIDE)
    at_the_card(page)
    join(page, "Ada")
    page.locator(".toolbar").get_by_role("button", name="Share").click()
    link = page.get_by_label("Link to this session")
    expect(link).to_have_value(running.page("dialogs") + "#key=of-no-use")
    page.keyboard.press("Escape")
    for opener, title in (
        ("Share", "Share this session"),
        ("Help", "How to move"),
        ("Settings", "Settings"),
    ):
        button = page.locator(".toolbar").get_by_role("button", name=opener)
        button.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name=title)
        expect(dialog).to_be_visible()
        for _ in range(12):
            page.keyboard.press("Tab")
            outside = "[document.body, document.documentElement].includes(document.activeElement)"
            inside = "document.activeElement.closest('dialog[open]') !== null"
            assert page.evaluate(f"{outside} || {inside}"), f"the focus left {title}"
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(button).to_be_focused()
    assert page.evaluate(f"{PEOPLE}") == 1, "a key in a dialog reached the session"


def test_everything_has_a_name_and_can_be_read(running: Server, open_page: PageOpener):
    page = open_page(running.url, *WIDE)
    assert_seen_and_named(page)
    page.goto(running.page("seen"))
    at_the_card(page)
    page.get_by_label("Your own VRM file").first.check()
    page.locator("summary").click()
    assert_seen_and_named(page)
    assert page.locator("h1:visible").count() == 1
    page.get_by_label("Figure").check()
    join(page, "Ada")
    assert_seen_and_named(page)
    for opener in ("Share", "Help", "Settings"):
        page.locator(".toolbar").get_by_role("button", name=opener).click()
        expect(page.locator("dialog[open]")).to_be_visible()
        assert_seen_and_named(page)
        page.keyboard.press("Escape")


def test_less_motion_is_respected_and_can_be_overridden(running: Server, open_page: PageOpener):
    page = open_page(running.page("still"), *WIDE)
    page.emulate_media(reduced_motion="reduce")
    at_the_card(page)
    join(page, "Ada")
    settings = page.locator(".toolbar").get_by_role("button", name="Settings")
    moves = "getComputedStyle(document.querySelector('dialog[open]')).animationName"
    settings.click()
    assert page.evaluate(moves) == "none"
    page.get_by_label("Full").check()
    page.get_by_role("button", name="Save").click()
    settings.click()
    assert page.evaluate(moves) != "none"
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_label("Less").check()
    page.get_by_role("button", name="Save").click()
    settings.click()
    assert page.evaluate(moves) == "none"


def test_a_name_that_the_protocol_refuses_is_said_so(running: Server, open_page: PageOpener):
    page = open_page(running.page("names"), *WIDE)
    at_the_card(page)
    name = page.get_by_label("Your name")
    name.fill("é" * 33)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="too long")).to_be_visible()
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-invalid", "true")
    name.fill("")
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.locator(".person-name")).to_have_text("Guest")


def test_a_phone_has_large_targets_and_nothing_is_covered(running: Server, browser: Browser):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(running.page("phone"))
    at_the_card(page)
    _assert_touchable(page)
    page.get_by_role("button", name="Join", exact=True).tap()
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    _assert_touchable(page)
    page.get_by_role("button", name="People and readings").tap()
    _assert_touchable(page)
    page.get_by_role("button", name="People and readings").tap()
    page.get_by_role("button", name="More").tap()
    _assert_touchable(page)
    page.get_by_role("button", name="Share this session").tap()
    expect(page.get_by_role("dialog", name="Share this session")).to_be_visible()
    _assert_touchable(page)
    context.close()


def _assert_touchable(page: Page) -> None:
    small = [
        each
        for each in looked_at(page, "targets")
        if min(each["width"], each["height"]) < SMALLEST_TARGET_PX - 0.5
    ]
    assert small == []
    assert looked_at(page, "covered") == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_who_only_watches_sends_nothing_but_pings(running: Server, open_page: PageOpener):
    sent: list[bytes | str] = []
    page = open_page("about:blank", *WIDE)
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(data)))
    with guest(running.url, "theatre", "Somebody"):
        page.goto(running.page("theatre"))
        at_the_card(page)
        expect(page.get_by_text("Somebody is here")).to_be_visible()
        page.get_by_role("button", name="Only watch").click()
        until(page, "armspan.bodies().bodies.length === 1")
        start = page.evaluate("armspan.bodies().timeUs")
        for key in ("w", "r", "p", " "):
            page.keyboard.press(key)
        page.mouse.move(300, 300)
        page.mouse.down(button="right")
        page.mouse.move(360, 260)
        page.mouse.up(button="right")
        until(page, f"armspan.bodies().timeUs > {start + 1_500_000}")
        assert page.evaluate(PEOPLE) == 1
    assert {frame[0] for frame in sent} == WATCHING_IDS
    assert len([frame for frame in sent if frame[0] == 0x10]) == 1
    assert len(sent) < 12
    assert max(len(frame) for frame in sent if frame[0] != 0x10) < 16


def test_avatars_that_nobody_has_are_drawn_all_the_same(running: Server, open_page: PageOpener):
    strange = Look(avatar="nobody-has-this", colour=0x123456)
    missing = Look(avatar="vrm:" + 64 * "f")
    with (
        guest(running.url, "strange", "Strange", strange),
        guest(running.url, "strange", "Missing", missing),
    ):
        page = open_page(running.page("strange"), *WIDE)
        at_the_card(page)
        until(page, "armspan.bodies().bodies.filter(({opacity}) => opacity > 0.9).length === 2")
        join(page, "Ada")
        until(page, f"{PEOPLE} === 3")
        assert page.evaluate(LIVE)


def test_an_avatar_of_ones_own_is_sent_and_worn(running: Server, open_page: PageOpener):
    page = open_page(running.page("own"), *WIDE)
    at_the_card(page)
    page.get_by_label("Your own VRM file").first.check()
    page.get_by_role("button", name="Join", exact=True).click()
    missing = page.get_by_role("alert").filter(has_text="Choose a .vrm file")
    expect(missing).to_be_visible()
    chooser = page.locator("input[type=file]").first
    chooser.set_input_files({"name": "me.glb", "mimeType": "", "buffer": b"glTF"})
    expect(page.get_by_role("alert").filter(has_text="is not a .vrm file")).to_be_visible()
    chooser.set_input_files(OWN_AVATAR)
    expect(page.get_by_role("alert")).to_have_count(0)
    with page.expect_response(lambda response: response.url.endswith(".vrm")) as fetched:
        join(page, "Ada")
    assert fetched.value.ok
    assert "/own/avatars/" in fetched.value.url


def test_a_server_of_another_version_ends_in_plain_words(running: Server, open_page: PageOpener):
    page = open_page("about:blank", *WIDE)
    page.route_web_socket(
        "**/ws/**",
        lambda socket: socket.on_message(
            lambda _: socket.close(code=CloseCode.WRONG_VERSION, reason="version 2 only")
        ),
    )
    page.goto(running.page("future"))
    notice = page.locator(".notice")
    expect(notice).to_contain_text("speak different versions")
    expect(notice.get_by_role("button", name="Reload")).to_be_visible()
    expect(page.get_by_role("button", name="Join", exact=True)).to_be_hidden()


def test_a_full_session_says_so_and_lets_one_watch(running: Server, open_page: PageOpener):
    with guest(running.url, "small", "First"):
        page = open_page("about:blank", *WIDE)
        page.route_web_socket("**/ws/**", _with_room_for_one)
        page.goto(running.page("small"))
        until(page, LIVE)
        expect(page.get_by_text("the session is full")).to_be_visible()
        expect(page.get_by_role("button", name="Full")).to_have_attribute("aria-disabled", "true")
        page.get_by_role("button", name="Only watch").click()
        until(page, "armspan.bodies().bodies.length === 1")


def _with_room_for_one(socket: WebSocketRoute) -> None:
    """Everything as the real server says it, but for how many people a session takes."""
    real = socket.connect_to_server()

    def pass_on(payload: str | bytes) -> None:
        assert isinstance(payload, bytes)
        if payload[0] == WELCOME_ID:
            welcome = decode_from_server(payload)
            payload = encode(welcome.model_copy(update={"max_people": 1}))
        socket.send(payload)

    real.on_message(pass_on)
