"""Owns the sockets of a server: who is admitted, who is closed, and the end of all of them."""

import asyncio
import re

from armspan.protocol import CloseCode, Hello, ProtocolError, caps, require_version
from armspan.server.clock import Clock
from armspan.server.counters import Counters
from armspan.server.gateway.outlet import Outlet
from armspan.server.gateway.patience import Patience
from armspan.server.gateway.peer import Peer
from armspan.server.gateway.upgrade import OriginPolicy
from armspan.server.sessions import Receiver, Registry, Seat, opens

_SESSION_NAME = re.compile(caps.SESSION_NAME_PATTERN)


class Gateway:
    """All peers of a server, and the door to its sessions."""

    def __init__(
        self,
        registry: Registry,
        clock: Clock,
        *,
        secret: str | None,
        origins: OriginPolicy,
        patience: Patience,
        counters: Counters,
        pending_most: int = 512,
    ) -> None:
        self.counters = counters
        self.patience = patience
        self.origins = origins
        self.clock = clock
        self._registry = registry
        self._secret = secret
        self._pending_most = pending_most
        self._peers: set[Peer] = set()
        self._closing = False
        self._empty = asyncio.Event()

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return len(self._peers)

    @property
    def accepting(self) -> bool:
        """Whether another socket may be opened."""
        return not self._closing and sum(p.pending for p in self._peers) < self._pending_most

    def open(self, session: str, outlet: Outlet) -> Peer:
        """A peer for a new socket; closed already if there can be no session of that name."""
        peer = Peer(self, session, outlet, self.clock())
        self._peers.add(peer)
        self._empty.clear()
        self.counters.sockets_opened += 1
        if not _SESSION_NAME.fullmatch(session):
            peer.close(
                CloseCode.BAD_SESSION,
                f"There can be no session {session[:64]!a}: "
                "a name has up to 64 letters, digits, _ and -, and begins with neither of those.",
            )
        return peer

    def lost(self, peer: Peer) -> None:
        """A socket is gone."""
        self._peers.discard(peer)
        peer.on_lost(self.clock())
        if not self._peers:
            self._empty.set()

    def admit(self, session: str, hello: Hello, receiver: Receiver, now_us: int) -> Seat:
        """A seat for a hello, or a ProtocolError that says why there is none."""
        require_version(hello.protocol_version)
        if self._secret is not None and not opens(self._secret, session, hello.key):
            raise ProtocolError(CloseCode.WRONG_KEY, CloseCode.WRONG_KEY.sentence)
        return self._registry.join(session, hello, receiver, now_us)

    def sweep(self, now_us: int) -> None:
        """See to peers that are too slow, silent or done; a few times a second."""
        for peer in list(self._peers):
            peer.sweep(now_us)

    def close(self) -> None:
        """Tell everyone that the server goes."""
        self._closing = True
        self._registry.close()
        for peer in list(self._peers):
            peer.close(CloseCode.RESTARTING, CloseCode.RESTARTING.sentence)

    async def emptied(self) -> None:
        """Wait until no socket is open."""
        if self._peers:
            await self._empty.wait()

    def abort(self) -> None:
        """Close every socket that is still open, whatever waits in it."""
        for peer in list(self._peers):
            peer.abort()
