"""Links that people open or paste: other servers' sessions, and names that no session can have."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PageOpener, until
from tests.browser.processes import Server, server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as started:
        yield started


def test_a_link_to_another_server_opens_there(running: Server, open_page: PageOpener):
    with server() as other:
        page = open_page(running.url)
        page.get_by_label("Session").fill(f"{other.page('elsewhere')}#key=secret")
        page.get_by_role("button", name="Go to the session").click()
        page.wait_for_url(f"{other.page('elsewhere')}#key=secret")
        until(page, "window.armspan?.status().phase === 'live'")
        assert page.evaluate("localStorage.length") > 0
    assert not [url for url in open_page.requests if "secret" in url.partition("#")[0]]
    here = page.context.new_page()
    here.goto(running.url)
    expect(here.get_by_label("Session")).to_have_value("")


@pytest.mark.parametrize("name", ["a%20b", "a.b", "%E0", "a" * 65])
def test_a_name_that_no_session_can_have_is_said_so(
    running: Server, open_page: PageOpener, name: str
):
    page = open_page(running.page(name))
    notice = page.locator(".notice")
    expect(notice).to_contain_text("be a session of that name. Check the link.")
    page.wait_for_timeout(1_000)  # whoever tried again would have by now
    expect(notice).not_to_contain_text("Trying again")
    assert not [url for url in open_page.requests if url.startswith("ws")]
    notice.get_by_role("button", name="To the start page").click()
    expect(page.get_by_label("Session")).to_have_value("")
