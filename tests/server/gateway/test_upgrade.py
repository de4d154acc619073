"""Which upgrades are granted: paths, origins, hosts, and the WebSocket's own headers."""

from http import HTTPStatus

import pytest
from armspan.server.gateway.upgrade import (
    OriginPolicy,
    Refusal,
    Upgrade,
    judge_upgrade,
    parse_head,
)

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
LOOPBACK = OriginPolicy()
PUBLIC = OriginPolicy(frozenset({"https://intranet.example"}), loopback_hosts_only=False)


def judge(
    target: str = "/ws/review", policy: OriginPolicy = LOOPBACK, **headers: str | None
) -> Upgrade | Refusal:
    sent = {
        "host": "localhost:8080",
        "sec-websocket-version": "13",
        "sec-websocket-key": KEY,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return judge_upgrade("GET", target, {n: v for n, v in sent.items() if v is not None}, policy)


def status(judged: Upgrade | Refusal) -> HTTPStatus | None:
    return judged.status if isinstance(judged, Refusal) else None


@pytest.mark.parametrize(
    ("target", "session"),
    [("/ws/review", "review"), ("/ws/review?x=1", "review"), ("/ws/", ""), ("/ws/a/b", "a/b")],
)
def test_the_session_is_what_follows_the_path(target: str, session: str):
    granted = judge(target)
    assert isinstance(granted, Upgrade)
    assert granted.session == session


def test_other_paths_are_not_found():
    assert status(judge("/")) == 404
    assert status(judge("/wsx")) == 404


@pytest.mark.parametrize(
    ("host", "origin", "granted"),
    [
        ("localhost:8080", None, True),
        ("127.0.0.1:8080", None, True),
        ("[::1]:8080", None, True),
        ("localhost:8080", "http://localhost:8080", True),
        ("localhost:8080", "http://LOCALHOST:8080", True),
        ("localhost:8080", "http://localhost:9999", False),
        ("localhost:8080", "http://evil.example", False),
        ("localhost:8080", "null", False),
        ("localhost:8080", "http://[:::::]", False),
        ("[:::::]:8080", None, False),
        ("evil.example:8080", "http://evil.example:8080", False),
        ("evil.example", None, False),
        ("localhost.evil.example", None, False),
        ("127.0.0.1.evil.example", None, False),
    ],
)
def test_on_loopback_only_pages_of_this_machine_get_in(
    host: str, origin: str | None, granted: bool
):
    assert isinstance(judge(host=host, origin=origin), Upgrade) is granted


@pytest.mark.parametrize(
    ("origin", "granted"),
    [
        (None, True),
        ("https://avatars.example", True),
        ("https://intranet.example", True),
        ("https://intranet.example:444", False),
        ("https://avatars.example.evil.example", False),
        ("file://avatars.example", False),
    ],
)
def test_elsewhere_the_same_origin_and_named_ones_get_in(origin: str | None, granted: bool):
    judged = judge(policy=PUBLIC, host="avatars.example", origin=origin)
    assert isinstance(judged, Upgrade) is granted


def test_only_get_opens_a_socket():
    assert status(judge_upgrade("POST", "/ws/a", {"host": "localhost"}, LOOPBACK)) == 405


def test_the_websockets_own_headers_are_checked():
    assert status(judge(sec_websocket_version="8")) == 426
    for key in (None, "", "short", "a" * 24, "=" * 24, "é" * 24):
        assert status(judge(sec_websocket_key=key)) == 400
    assert status(judge(host=None)) == 421


def test_what_is_passed_on_holds_nothing_of_the_client_but_its_key():
    granted = judge(cookie="a=b", sec_websocket_extensions="permessage-deflate")
    assert isinstance(granted, Upgrade)
    method, target, headers = parse_head(granted.head)
    assert (method, target) == ("GET", "/ws")
    assert headers == {
        "upgrade": "websocket",
        "connection": "upgrade",
        "sec-websocket-version": "13",
        "sec-websocket-key": KEY,
    }


def test_a_refusal_is_a_whole_http_response():
    head, _, body = Refusal(HTTPStatus.FORBIDDEN, "No.").response().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert b"content-length: 3" in head
    assert body == b"No."


def test_an_upgrade_has_no_body():
    assert status(judge(content_length="5")) is HTTPStatus.BAD_REQUEST
    assert status(judge(transfer_encoding="chunked")) is HTTPStatus.BAD_REQUEST
    assert status(judge(content_length="0")) is None


PROXIED = OriginPolicy(proxy_host="avatars.example")


@pytest.mark.parametrize(
    ("policy", "headers", "host", "encrypted"),
    [
        (OriginPolicy(), {"host": "a"}, "a", False),
        (OriginPolicy(encrypted=True), {"host": "a"}, "a", True),
        (OriginPolicy(), {}, "", False),
        (OriginPolicy(), {"host": "a", "x-forwarded-host": "b"}, "a", False),
        (OriginPolicy(), {"host": "a", "x-forwarded-proto": "https"}, "a", False),
        (PROXIED, {"host": "a", "x-forwarded-host": "b"}, "b", False),
        (PROXIED, {"host": "a", "x-forwarded-host": "evil, b"}, "b", False),
        (PROXIED, {"host": "a", "x-forwarded-proto": "http, https"}, "a", True),
        (PROXIED, {"host": "a", "x-forwarded-proto": "https, http"}, "a", False),
    ],
)
def test_a_proxy_tells_how_a_request_came_where_one_is_believed(
    policy: OriginPolicy, headers: dict[str, str], host: str, encrypted: bool
):
    asked = policy.asked(headers)
    assert (asked.host, asked.encrypted) == (host, encrypted)


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("avatars.example", True),
        ("AVATARS.example", True),
        ("127.0.0.1:8080", True),
        ("evil.example", False),
        ("avatars.example.evil.example", False),
        ("", False),
    ],
)
def test_behind_a_proxy_a_server_has_one_name(host: str, allowed: bool):
    assert PROXIED.host_allowed(host) is allowed


def test_under_encryption_a_page_that_came_without_opens_nothing():
    policy = OriginPolicy(loopback_hosts_only=False)
    assert policy.origin_allowed("http://a:81", "a:81")
    assert policy.origin_allowed("https://a:81", "a:81", encrypted=True)
    assert not policy.origin_allowed("http://a:81", "a:81", encrypted=True)
    assert policy.origin_allowed(None, "a:81", encrypted=True)
