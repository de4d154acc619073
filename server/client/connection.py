"""Owns one connection to a session over the ``websockets`` library."""

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Self

import numpy as np
from armspan.protocol import (
    PROTOCOL_REVISION,
    PROTOCOL_VERSION,
    ChangeLook,
    ChangeVoice,
    ClientMessage,
    Hello,
    Leave,
    Lengths,
    Look,
    Role,
    ServerMessage,
    Signal,
    SignalKind,
    Voice,
    Welcome,
    caps,
    encode,
)
from armspan.server.client.addresses import socket_address
from armspan.server.client.conversation import Conversation, SnapshotFrame
from armspan.server.client.errors import BrokenServer, Disconnected
from armspan.server.client.opening import open_at
from armspan.server.version import VERSION
from armspan.server.wire import write_hands, write_tracker
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

TIMEOUT_S = 5.0
FIRST_PINGS = 8  # in quick succession, to begin with a good clock
FIRST_PING_EVERY_US = 100_000
PING_EVERY_US = 2_000_000
ALL_TRACKED = 0b111
NO_INPUTS: NDArray[np.uint8] = np.zeros(8, dtype=np.uint8)
NO_INPUTS.setflags(write=False)


def monotonic_us() -> int:
    """This machine's monotonic time in microseconds: what samples carry."""
    return time.monotonic_ns() // 1000


@dataclass(frozen=True)
class Invitation:
    """Where to connect, and as whom."""

    url: str
    session: str
    name: str
    key: str | None = None
    lengths: Lengths | None = None
    role: Role = Role.PARTICIPANT
    token: bytes | None = None  # from an earlier welcome: asks for its own avatar back
    client: str = f"python {VERSION}"
    look: Look | None = None  # None: whoever draws this person chooses
    tls: ssl.SSLContext | None = None  # for a server with its own certificate authority

    @property
    def hello(self) -> Hello:
        """The hello that this invitation becomes."""
        return Hello(
            protocol_version=PROTOCOL_VERSION,
            name=self.name,
            role=self.role,
            key=self.key,
            token=self.token,
            lengths=self.lengths,
            client=self.client,
            look=self.look,
            revision=PROTOCOL_REVISION,
        )


class Connection:
    """A session that said welcome. Iterate it: reading is also what answers the server's pings.

    Iteration yields snapshots as they come and control messages after they were taken into
    ``conversation``; it ends by raising Disconnected, Refused or BrokenServer. What the server is
    too old for raises OldServer and is not sent.
    """

    def __init__(self, socket: ClientConnection, conversation: Conversation) -> None:
        self.conversation = conversation
        self._socket = socket
        self._pings = 0
        self._next_ping_us = 0

    @property
    def welcome(self) -> Welcome:
        """What the server told at the beginning."""
        welcome = self.conversation.welcome
        if welcome is None:
            raise BrokenServer("The server has not said welcome yet.")
        return welcome

    async def send_sample(
        self,
        poses: NDArray[np.float64],
        *,
        sample_time_us: int | None = None,
        tracked: int = ALL_TRACKED,
        discontinuity: int = 0,
        inputs: NDArray[np.uint8] = NO_INPUTS,
    ) -> None:
        """Send one sample of the three sensors, taken now unless told otherwise.

        ``poses`` (21,): eyes, left palm, right palm, each position xyz (m) and rotation xyzw.
        ``inputs`` (8,): buttons, pinch, grip, trigger of the left hand, then of the right one.
        """
        if sample_time_us is None:
            sample_time_us = monotonic_us()
        await self.send_frame(write_tracker(poses, inputs, tracked, discontinuity, sample_time_us))

    async def send_hands(
        self, flags: int, fingers_rad: NDArray[np.floating], points: NDArray[np.floating]
    ) -> None:
        """Send fingers and what the hands point at; at most `caps.HANDS_PER_S` times a second.

        ``flags``: members of HandsFlag. ``fingers_rad`` (40,): 20 of the left hand in the order
        of `layout.FINGERS`, then of the right. ``points`` (6,): left, then right, world, metres.
        """
        self.conversation.require_revision(1, "hands")
        await self.send_frame(write_hands(flags, fingers_rad, points))

    async def change_look(self, look: Look) -> None:
        """Ask to be drawn otherwise; everyone is told by LookChanged."""
        await self.send(ChangeLook(look=look))

    async def change_voice(self, voice: Voice) -> None:
        """Join the talk, or leave it; VoiceServers and VoiceChanged answer, or Refused."""
        await self.send(ChangeVoice(voice=voice))

    async def signal(self, to: int, kind: SignalKind, text: str) -> None:
        """Send a signal to another person whose voice is on, as this one's is."""
        await self.send(Signal(to=to, kind=kind, text=text))

    async def send(self, message: ClientMessage) -> None:
        """Send one control message. Raises OldServer if the server does not know it."""
        self.conversation.require_revision(message.since_revision, type(message).__name__)
        await self.send_frame(encode(message))

    async def send_frame(self, payload: bytes) -> None:
        """Send one message that is already encoded."""
        try:
            await self._socket.send(payload)
        except ConnectionClosed as ended:
            raise self._ended(ended) from ended

    async def leave(self) -> None:
        """Say that this person leaves for good, and close."""
        with contextlib.suppress(Disconnected):
            await self.send(Leave())
        await self._socket.close()

    async def receive(self) -> ServerMessage | SnapshotFrame:
        """The next message. Keeps the clock too: reading is when its pings are sent."""
        if monotonic_us() >= self._next_ping_us and self.conversation.welcome is not None:
            await self._ping()
        try:
            payload = await self._socket.recv(decode=False)
        except ConnectionClosed as ended:
            raise self._ended(ended) from ended
        return self.conversation.receive(payload, monotonic_us())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ServerMessage | SnapshotFrame:
        return await self.receive()

    async def _ping(self) -> None:
        self._pings += 1
        now_us = monotonic_us()
        quick = self._pings < FIRST_PINGS
        self._next_ping_us = now_us + (FIRST_PING_EVERY_US if quick else PING_EVERY_US)
        with contextlib.suppress(ConnectionClosed):  # what was received before the end comes first
            await self._socket.send(self.conversation.ping(now_us))

    def _ended(self, ended: ConnectionClosed) -> Exception:
        if ended.sent is not None and ended.sent.code == CloseCode.MESSAGE_TOO_BIG:
            limit = caps.SERVER_MESSAGE_BYTES
            return BrokenServer(f"The server sent a message of more than {limit} bytes.")
        close = ended.rcvd
        return self.conversation.ended(close.code if close else None, close.reason if close else "")


@contextlib.asynccontextmanager
async def connect(
    invitation: Invitation, *, timeout_s: float = TIMEOUT_S
) -> AsyncGenerator[Connection]:
    """Join a session; leaving the block closes the connection, and says goodbye if it can.

    Raises BadAddress, Untrusted, Disconnected (nobody there, or too slow), Refused or
    BrokenServer.
    """
    conversation = Conversation(invitation.hello)
    address = socket_address(invitation.url, invitation.session)
    socket = await open_at(address, invitation.url, invitation.tls, timeout_s)
    connection = Connection(socket, conversation)
    try:
        await _shake_hands(connection, timeout_s)
        yield connection
    finally:
        await socket.close()


async def _shake_hands(connection: Connection, timeout_s: float) -> None:
    await connection.send_frame(connection.conversation.opening())
    try:
        async with asyncio.timeout(timeout_s):
            while connection.conversation.welcome is None:
                await connection.receive()
    except TimeoutError as late:
        raise Disconnected(f"The server did not say welcome within {timeout_s:g} s.") from late
