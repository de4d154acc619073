"""A gateway without sockets, for the tests of its peers."""

from armspan.protocol import (
    CloseCode,
    Error,
    caps,
    encode,
)
from armspan.server.counters import Counters
from armspan.server.gateway import Gateway, OriginPolicy, Patience
from armspan.server.gateway.assembly import Opcode
from armspan.server.gateway.peer import Peer
from armspan.server.sessions import Due, Limits, Registry

from tests.fakes import FakeClock, FakeOutlet, hello

SECRET = "a secret of the server"


class House:
    """A gateway with everything but sockets."""

    def __init__(self, *, secret: str | None = None, patience: Patience | None = None, **limits):
        self.clock = FakeClock()
        self.registry = Registry(Limits(**limits), self.clock)
        self.gateway = Gateway(
            self.registry,
            self.clock,
            secret=secret,
            origins=OriginPolicy(),
            patience=patience or Patience(),
            counters=Counters(),
            pending_most=3,
        )

    def open(self, session: str = "review") -> tuple[Peer, FakeOutlet]:
        outlet = FakeOutlet()
        return self.gateway.open(session, outlet), outlet

    def join(self, name: str = "Ada", **more: object) -> tuple[Peer, FakeOutlet]:
        peer, outlet = self.open()
        self.send(peer, encode(hello(name, **more)))
        return peer, outlet

    def send(
        self, peer: Peer, payload: bytes, opcode: int = Opcode.BINARY, last: bool = True
    ) -> None:
        peer.on_frame(opcode, last, memoryview(payload), self.clock())

    def tick(self) -> None:
        self.registry.tick(Due(1, 0, 0), self.clock.pass_s(1 / 60))

    def sweep(self) -> None:
        self.gateway.sweep(self.clock())


def check_closed(house: House, outlet: FakeOutlet, code: CloseCode) -> None:
    """An error with code and sentence, then the close frame with the same; counted once."""
    error = outlet.messages()[-1]
    assert isinstance(error, Error)
    assert error.code == code
    assert error.text.endswith((".", ")"))
    assert outlet.closed is not None
    assert outlet.closed[0] == code
    assert error.text.startswith(outlet.closed[1])
    assert len(outlet.closed[1].encode()) <= caps.CLOSE_REASON_BYTES
    assert house.gateway.counters.closes == {code: 1}
