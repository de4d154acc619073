"""Owns a stretch of network between a page and a server that tests can cut."""

import contextlib
import selectors
import socket
import threading
from types import TracebackType
from typing import Self

_CHUNK = 65_536
_LOOK_S = 0.05


class Network:
    """A TCP relay on loopback. While it is cut nothing gets through and nothing is refused."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._whole = threading.Event()
        self._whole.set()
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    @property
    def port(self) -> int:
        """Where the relay listens."""
        return int(self._listener.getsockname()[1])

    def cut(self) -> None:
        """From now on packets vanish."""
        self._whole.clear()

    def mend(self) -> None:
        """What was sent meanwhile arrives now, as TCP sends it again."""
        self._whole.set()

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._whole.set()
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._start(self._relay, near)

    def _relay(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError):
            self._whole.wait()
            with socket.create_connection(self._target) as far:
                near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._carry(near, far)

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(near, selectors.EVENT_READ, far)
            selector.register(far, selectors.EVENT_READ, near)
            while not self._over.is_set():
                ready = selector.select(_LOOK_S)
                self._whole.wait()
                for key, _ in ready:
                    chunk = key.fileobj.recv(_CHUNK)  # type: ignore[union-attr]
                    if not chunk:
                        return
                    key.data.sendall(chunk)
