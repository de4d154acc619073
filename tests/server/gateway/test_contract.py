"""What this server relies on in uvicorn and picows beyond their documented interfaces.

If one of these fails after an update, ``upgraded_socket.py`` and ``patient_http.py`` are to be
read again next to the library.
"""

import asyncio
import importlib.metadata

import pytest
from armspan.protocol import CloseCode, Welcome, caps, encode
from armspan.server.gateway.assembly import Opcode
from armspan.server.gateway.upgraded_socket import UpgradedSocket
from armspan.server.sessions import Seat

from tests.fakes import hello, tracker
from tests.integration.harness import RawSocket, frame, head, in_time, server, until


def test_the_version_that_was_looked_at_is_the_one_installed():
    assert importlib.metadata.version("picows") == "2.3.1"


async def test_uvicorn_hands_its_transport_to_our_protocol(monkeypatch: pytest.MonkeyPatch):
    made: list[UpgradedSocket] = []
    opened = UpgradedSocket.connection_made

    def note(self: UpgradedSocket, transport: asyncio.Transport) -> None:
        made.append(self)
        opened(self, transport)

    monkeypatch.setattr(UpgradedSocket, "connection_made", note)
    async with server() as running, await RawSocket.join(running.port):
        (protocol,) = made
        transport = protocol.transport.underlying_transport
        assert transport.get_protocol() is protocol
        assert isinstance(protocol, asyncio.BufferedProtocol)


@pytest.mark.parametrize("cut", [1, 20, 60, -1, -2, -3])
async def test_a_head_in_two_segments_is_one_request(cut: int):
    async with server() as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            whole = head(running.port)
            raw.writer.write(whole[:cut])
            await raw.writer.drain()
            await asyncio.sleep(0.02)  # so that the kernel sends two segments
            raw.writer.write(whole[cut:])
            assert (await raw.response())[0] == 101
            raw.send(encode(hello()))
            await raw.next(Welcome)


async def test_a_head_byte_by_byte_is_one_request():
    async with server() as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            for byte in head(running.port):
                raw.writer.write(bytes((byte,)))
                await asyncio.sleep(0)
            assert (await raw.response())[0] == 101


async def test_a_page_and_an_upgrade_in_one_segment_leave_an_open_socket():
    async with server(handshake_s=0.3) as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            page = f"GET /healthz HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n"
            hi = frame(encode(hello()))
            raw.writer.write(page.encode() + head(running.port) + hi)
            status, headers = await raw.response()
            assert status == 200
            await raw.reader.readexactly(int(headers["content-length"]))
            assert (await raw.response())[0] == 101
            await raw.next(Welcome)
            # Longer than a connection may linger over HTTP.
            assert len(await raw.snapshots(0.6)) > 20


@pytest.mark.parametrize("cut", [0, 1, 2, 5, 30])
async def test_frames_right_behind_the_head_are_not_lost(cut: int):
    async with server() as running:
        raw = await RawSocket.connect(running.port)
        async with raw:
            early = frame(encode(hello("Early"))) + frame(b"sign", Opcode.PING)
            raw.writer.write(head(running.port) + early[: len(early) - cut])
            await raw.writer.drain()
            assert (await raw.response())[0] == 101
            raw.writer.write(early[len(early) - cut :])
            await raw.next(Welcome)
            assert raw.welcome.people[0].name == "Early"
            answered = await in_time(raw.receive())
            while answered != (Opcode.PONG, b"sign"):
                answered = await in_time(raw.receive())


async def test_the_connection_header_may_list_more():
    async with server() as running:
        async with await RawSocket.open(running.port, Connection="keep-alive, Upgrade"):
            pass
        offered = "permessage-deflate; client_max_window_bits"
        raw = await RawSocket.connect(running.port)
        async with raw:
            raw.writer.write(head(running.port, Sec_WebSocket_Extensions=offered))
            status, headers = await raw.response()
            assert status == 101
            assert "sec-websocket-extensions" not in headers


VIOLATIONS = {
    "unmasked": (frame(b"\x7f", masked=False), CloseCode.MALFORMED),
    "reserved bit": (frame(b"\x7f", reserved=True), CloseCode.MALFORMED),
    "unknown opcode": (frame(b"", 0x3), CloseCode.MALFORMED),
    "fragmented ping": (frame(b"", Opcode.PING, last=False), CloseCode.MALFORMED),
    "long ping": (frame(bytes(126), Opcode.PING), CloseCode.MALFORMED),
    "length not shortest": (b"\x82\xfe\x00\x01" + bytes(4) + b"x", CloseCode.MALFORMED),
    "a frame of 2 GB": (b"\x82\xff" + (2**31).to_bytes(8, "big"), CloseCode.TOO_LARGE),
    "a frame beyond 2^63": (b"\x82\xff" + b"\xff" * 8, CloseCode.MALFORMED),
    "one byte too many": (frame(bytes(caps.CLIENT_MESSAGE_BYTES + 1)), CloseCode.TOO_LARGE),
}


@pytest.mark.parametrize("violation", VIOLATIONS)
async def test_what_picows_refuses_is_closed_with_our_codes(violation: str):
    payload, code = VIOLATIONS[violation]
    async with server() as running, await RawSocket.join(running.port) as raw:
        raw.writer.write(payload)
        error, closed = await raw.closing()
        assert error is not None
        assert (error.code, closed.code) == (code, code)
        assert error.text.startswith(closed.reason)
        assert running.counters.closes == {code: 1}


async def test_a_mistake_of_ours_is_logged_and_ends_that_peer_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async with (
        server() as running,
        await RawSocket.join(running.port, "Bob") as bob,
        await RawSocket.join(running.port, "Ada") as ada,
    ):

        def fail(*_: object) -> None:
            raise ZeroDivisionError("a mistake of ours")

        monkeypatch.setattr(Seat, "write_pose", fail)
        ada.send(tracker())
        _, closed = await ada.closing()
        assert closed.code == 1011
        assert "a mistake of ours" in caplog.text
        assert "Traceback" in caplog.text
        assert len(await bob.snapshots(0.3)) > 10


async def test_the_read_buffer_does_not_grow_with_a_flood(monkeypatch: pytest.MonkeyPatch):
    sizes: list[int] = []
    get_buffer = UpgradedSocket.get_buffer

    def note(self: UpgradedSocket, size_hint: int) -> memoryview:
        whole = super(UpgradedSocket, self).get_buffer(size_hint)
        sizes.append(len(whole))
        return get_buffer(self, size_hint)

    monkeypatch.setattr(UpgradedSocket, "get_buffer", note)
    async with (
        server(messages_per_s=10_000, messages_burst=100_000) as running,
        await RawSocket.join(running.port) as raw,
    ):
        flood = frame(b"", Opcode.PONG) * 50_000
        received = running.counters.messages_received
        raw.writer.write(flood)
        await raw.writer.drain()
        await until(lambda: running.counters.messages_received >= received + 50_000)
        assert max(sizes) <= sizes[0] <= 64 * 1024
