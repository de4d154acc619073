"""Plain HTTP on a port that speaks TLS: led to https, and nothing else."""

import pytest
from armspan.server.tls.redirect import answer, is_whole, looks_like_http


def head(request: str = "GET / HTTP/1.1", host: str = "Host: 192.168.1.5:8080") -> bytes:
    return f"{request}\r\n{host}\r\nAccept: */*\r\n\r\n".encode("latin-1")


def everyone(_host: str) -> bool:
    return True


def status_of(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("request_line", "host", "location"),
    [
        ("GET / HTTP/1.1", "Host: 192.168.1.5:8080", "https://192.168.1.5:8080/"),
        ("GET /s/review?x=1 HTTP/1.1", "HOST:studio.local", "https://studio.local/s/review?x=1"),
        ("HEAD /trust HTTP/1.0", "host:\t[fd00::5]:81 ", "https://[fd00::5]:81/trust"),
        ("GET //evil.example HTTP/1.1", "Host: a", "https://a//evil.example"),
    ],
)
def test_a_page_is_led_to_the_same_place(request_line: str, host: str, location: str):
    response = answer(head(request_line, host), everyone)
    assert status_of(response) == 307
    assert f"\r\nlocation: {location}\r\n".encode() in response
    assert b"no-store" in response


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_what_would_send_something_is_told_only(method: str):
    response = answer(head(f"{method} /api HTTP/1.1"), everyone)
    assert status_of(response) == 426
    assert b"location:" not in response


@pytest.mark.parametrize(
    "broken",
    [
        head(host="Accept: */*"),
        head(host="Host: a b"),
        head(host="Host: a/b"),
        head(host="Host: a@b"),
        head(host="Host: a\r\r\nX: b"),
        head("GET http://evil.example/ HTTP/1.1"),
        head("GET / HTTP/2.0"),
        head("get / HTTP/1.1"),
        head("GET /ä HTTP/1.1"),
        b"GET / HTTP/1.1\nHost: a\x00b\n\n",
    ],
)
def test_a_request_that_is_none_is_led_nowhere(broken: bytes):
    response = answer(broken, everyone)
    assert status_of(response) == 400
    assert b"location:" not in response


def test_a_foreign_name_is_led_nowhere():
    response = answer(head(host="Host: evil.example"), lambda host: host == "localhost")
    assert status_of(response) == 421
    assert b"location:" not in response


@pytest.mark.parametrize("begun", [b"GET / HTTP/1.1", b"OPTIONS *", b"G", b"POST /x", b"CONNECT"])
def test_a_beginning_of_http_may_go_on(begun: bytes):
    assert looks_like_http(begun)
    assert not is_whole(begun)


@pytest.mark.parametrize("begun", [b"\x00", b"SSH-2.0-x", b"get /", b"\x16\x03\x01", b"GET/ HTTP"])
def test_what_is_no_http_is_known_from_its_first_bytes(begun: bytes):
    assert not looks_like_http(begun)
