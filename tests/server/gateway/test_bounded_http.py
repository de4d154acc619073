"""Requests that would keep the parser busy are refused; all others pass, however they are cut."""

import h11
import pytest
from armspan.server.gateway.bounded_http import (
    CHUNK_BYTES,
    CHUNKS_FREE,
    HEAD_BYTES,
    BoundedConnection,
)

POST = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunks(size_bytes: int, count: int) -> bytes:
    return (b"%x\r\n" % size_bytes + bytes(size_bytes) + b"\r\n") * count


def read(*pieces: bytes) -> tuple[list[h11.Event], BoundedConnection]:
    """The events of these bytes, read one piece after the other."""
    connection = BoundedConnection()
    events: list[h11.Event] = []
    for piece in pieces:
        connection.receive_data(piece)
        while isinstance(event := connection.next_event(), h11.Event):
            events.append(event)
    return events, connection


def body_of(events: list[h11.Event]) -> int:
    return sum(len(event.data) for event in events if isinstance(event, h11.Data))


def test_chunks_of_a_good_size_pass_without_end():
    events, _ = read(POST, *[chunks(CHUNK_BYTES, 400)] * 10, b"0\r\n\r\n")
    assert body_of(events) == 4_000 * CHUNK_BYTES
    assert isinstance(events[-1], h11.EndOfMessage)


def test_a_few_small_chunks_pass():
    events, _ = read(POST + chunks(1, CHUNKS_FREE) + b"0\r\n\r\n")
    assert body_of(events) == CHUNKS_FREE


def test_many_small_chunks_are_refused():
    with pytest.raises(h11.RemoteProtocolError, match="chunks"):
        read(POST + chunks(1, 2 * CHUNKS_FREE))


def test_a_body_of_known_length_may_trickle():
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n"
    events, _ = read(head, *[b"x"] * 2_000)
    assert body_of(events) == 2_000


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
@pytest.mark.parametrize("end", [b"", b"\r\n"])
def test_a_long_head_is_refused_however_it_comes(before: bytes, end: bytes):
    line = b"X: y\r\n"
    long = b"GET / HTTP/1.1\r\nHost: a\r\n" + line * (HEAD_BYTES // len(line)) + end
    connection = BoundedConnection()
    connection.receive_data(before + long)
    if before:
        assert isinstance(connection.next_event(), h11.Request)
        assert isinstance(connection.next_event(), h11.EndOfMessage)
        connection.send(h11.Response(status_code=204, headers=[]))
        connection.send(h11.EndOfMessage())
        connection.start_next_cycle()
    with pytest.raises(h11.RemoteProtocolError, match=r"too long"):
        connection.next_event()


def test_each_request_has_its_own_count():
    connection = BoundedConnection()
    for _ in range(5):
        connection.receive_data(POST + chunks(1, CHUNKS_FREE) + b"0\r\n\r\n")
        while not isinstance(connection.next_event(), h11.EndOfMessage):
            pass
        connection.send(h11.Response(status_code=204, headers=[]))
        connection.send(h11.EndOfMessage())
        connection.start_next_cycle()
