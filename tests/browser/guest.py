"""Owns a person who takes part over a plain WebSocket, with whatever look a test gives them."""

import contextlib
import json
import threading
import urllib.request
from collections.abc import Iterator

import numpy as np
from armspan.protocol import (
    PROTOCOL_REVISION,
    PROTOCOL_VERSION,
    ChangeLook,
    Hello,
    Look,
    Role,
    Welcome,
    decode_from_server,
    encode,
)
from armspan.server.wire import write_tracker
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

_EVERY_S = 0.05
_TRACKED = 0b111
# Eyes, left and right palm: upright in front of the middle, hands before the chest.
_POSES = np.array(
    [
        *(0.0, 1.62, 0.0, 0.0, 0.0, 0.0, 1.0),
        *(-0.25, 1.2, -0.35, 0.0, 0.0, 0.0, 1.0),
        *(0.25, 1.2, -0.35, 0.0, 0.0, 0.0, 1.0),
    ]
)
_NOTHING_PRESSED = np.zeros(8, np.uint8)


@contextlib.contextmanager
def guest(
    url: str, session: str, name: str, look: Look | None = None, own: bytes | None = None
) -> Iterator[int]:
    """Someone who stands in a session, and their id; with `own` they bring that VRM and wear it."""
    address = f"{url.replace('http', 'ws', 1)}/ws/{session}"
    with connect(address, max_size=2**20) as socket:
        hello = Hello(
            protocol_version=PROTOCOL_VERSION,
            name=name,
            role=Role.PARTICIPANT,
            look=look,
            revision=PROTOCOL_REVISION,
        )
        socket.send(encode(hello))
        welcome = decode_from_server(socket.recv(timeout=5))
        assert isinstance(welcome, Welcome)
        if own is not None:
            avatar = _bring(url, session, welcome, own)
            socket.send(encode(ChangeLook(look=Look(avatar=avatar, colour=None))))
        left = threading.Event()
        threads = [
            threading.Thread(target=_stand, args=(socket, left), daemon=True),
            threading.Thread(target=_read, args=(socket,), daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            yield welcome.your_id
        finally:
            left.set()
            socket.close()
            for thread in threads:
                thread.join(5)


def _bring(url: str, session: str, welcome: Welcome, own: bytes) -> str:
    """Give the server an avatar; what it is called."""
    assert welcome.token is not None
    headers = {
        "authorization": f"Bearer {welcome.token.hex()}",
        "content-type": "model/gltf-binary",
    }
    address = f"{url}/api/sessions/{session}/avatars"
    request = urllib.request.Request(address, own, headers, method="POST")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)["avatar"]


def _stand(socket: ClientConnection, left: threading.Event) -> None:
    sample = 0
    with contextlib.suppress(ConnectionClosed):
        while not left.wait(_EVERY_S):
            sample += 1
            time_us = round(sample * _EVERY_S * 1e6)
            socket.send(write_tracker(_POSES, _NOTHING_PRESSED, _TRACKED, 0, time_us))


def _read(socket: ClientConnection) -> None:
    """Takes what the server sends, so that it is no slow reader."""
    with contextlib.suppress(ConnectionClosed):
        for _ in socket:
            pass
