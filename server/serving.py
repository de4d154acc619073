"""Owns the object graph of a running server, and its life from the first socket to the last.

``serving`` is what the command, the tests and the benchmarks all run.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit

import uvicorn
from armspan.server.avatars.folder import open_folder
from armspan.server.avatars.judging import Judge
from armspan.server.avatars.limits import AvatarLimits
from armspan.server.avatars.store import Store
from armspan.server.clock import make_alarm, monotonic_us
from armspan.server.counters import Counters
from armspan.server.gateway import Gateway, OriginPolicy, Patience
from armspan.server.gateway.patient_http import PatientHttp
from armspan.server.gateway.upgraded_socket import UpgradedSocket
from armspan.server.secret import find_turn_secret
from armspan.server.sessions import Due, Limits, Registry, VoiceHelp
from armspan.server.sessions.beat import Beat
from armspan.server.settings import Settings, SettingsError
from armspan.server.tls import Door, Identity
from armspan.server.web import create_app

_SWEEPS_PER_S = 4
_GOODBYE_S = 0.5
_LISTEN_BACKLOG = 1024


@dataclass(frozen=True, slots=True)
class Running:
    """A server that takes people."""

    host: str
    port: int
    registry: Registry
    gateway: Gateway
    counters: Counters
    identity: Identity | None = None
    """What it shows over TLS; None where it speaks plain HTTP."""
    avatars: Store | None = None
    """What people brought."""


@contextlib.asynccontextmanager
async def serving(settings: Settings, secret: str | None) -> AsyncGenerator[Running]:
    """Run a server inside the block; leaving it tells the peers and closes everything.

    Raises:
        SettingsError: the address cannot be listened on, or a secret cannot be read; one line.
    """
    with contextlib.ExitStack() as owned:
        listener = owned.enter_context(_listen(settings.host, settings.port))
        registry = Registry(_limits(settings), monotonic_us, voice_help=_voice_help(settings))
        counters = Counters()
        gateway = _gateway(settings, secret, registry, counters)
        identity = Identity(settings) if settings.encrypted else None
        avatars = owned.enter_context(_avatars(settings, registry))
        app = create_app(settings, secret, registry, gateway, identity, avatars)
        async with asyncio.TaskGroup() as tasks:
            door = _door(settings, identity, gateway, tasks)
            server = _Server(_uvicorn_config(settings, app, gateway, door))
            tasks.create_task(server.serve(sockets=[listener]), name="http")
            await server.listening.wait()
            looking = _look_after(identity, tasks)
            clearing = tasks.create_task(avatars.clear_up(), name="avatars")
            beat = _start_beat(settings, registry, gateway)
            try:
                port = cast(int, listener.getsockname()[1])
                yield Running(settings.host, port, registry, gateway, counters, identity, avatars)
            finally:
                looking.cancel()
                clearing.cancel()
                gateway.close()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(gateway.emptied(), _GOODBYE_S)
                gateway.abort()
                beat.close()
                if door is not None:
                    door.close()
                server.end()


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket, or a SettingsError that says why there is none."""
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(address[0], socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address[4])
            listener.listen(_LISTEN_BACKLOG)
        except OSError:
            listener.close()
            raise
    except (socket.gaierror, UnicodeError):  # the latter: no name could be spelt like that
        raise SettingsError(f"There is no host {host}; name an address of this machine.") from None
    except OSError as broken:
        raise SettingsError(
            f"Cannot listen on {host} port {port} ({broken.strerror}); "
            "stop what uses it, or choose another with --port (0 picks a free one)."
        ) from None
    listener.setblocking(False)
    return listener


def _limits(settings: Settings) -> Limits:
    return Limits(
        rate_hz=settings.rate_hz,
        method=settings.method,
        sessions=settings.sessions,
        people=settings.people_per_session,
        spectators=settings.spectators_per_session,
        grace_us=round(settings.grace_s * 1e6),
        voice_people=settings.voice_people,
    )


def _voice_help(settings: Settings) -> VoiceHelp:
    return VoiceHelp(
        stun_urls=settings.stun_urls,
        turn_urls=settings.turn_urls,
        turn_secret=find_turn_secret(settings),
        turn_ttl_s=settings.turn_ttl_s,
    )


def _gateway(
    settings: Settings, secret: str | None, registry: Registry, counters: Counters
) -> Gateway:
    return Gateway(
        registry,
        monotonic_us,
        secret=secret if settings.keys_required else None,
        origins=OriginPolicy(
            frozenset(origin.rstrip("/").lower() for origin in settings.allowed_origins),
            loopback_hosts_only=settings.on_loopback,
            encrypted=settings.encrypted,
            proxy_host=_proxy_host(settings),
        ),
        patience=Patience(
            handshake_us=round(settings.handshake_s * 1e6),
            silence_us=round(settings.silence_s * 1e6),
            messages_per_s=settings.messages_per_s,
            messages_burst=settings.messages_burst,
            changes_per_s=settings.changes_per_s,
            changes_burst=settings.changes_burst,
            signals_per_s=settings.signals_per_s,
            signals_burst=settings.signals_burst,
            backlog_bytes=settings.backlog_bytes,
        ),
        counters=counters,
        pending_most=settings.pending_sockets,
    )


def _proxy_host(settings: Settings) -> str | None:
    return urlsplit(settings.public_url or "").netloc.lower() if settings.behind_proxy else None


@contextlib.contextmanager
def _avatars(settings: Settings, registry: Registry) -> Generator[Store]:
    """Where people's avatars are while the server runs."""
    store = Store(open_folder(settings), AvatarLimits.of(settings), Judge())
    registry.on_end = store.end
    try:
        yield store
    finally:
        store.close()


def _start_beat(settings: Settings, registry: Registry, gateway: Gateway) -> Beat:
    ticks_between_sweeps = max(1, round(settings.rate_hz / _SWEEPS_PER_S))
    ticks_between_figures = max(1, round(settings.rate_hz))

    def on_tick(due: Due, now_us: int) -> None:
        registry.tick(due, now_us)
        if due.tick % ticks_between_sweeps == 0:
            gateway.sweep(now_us)
            registry.sweep(now_us)
        if due.tick % ticks_between_figures == 0:
            registry.refresh_statistics()

    loop = asyncio.get_running_loop()
    return Beat(settings.rate_hz, monotonic_us, on_tick, partial(make_alarm, loop))


def _door(
    settings: Settings, identity: Identity | None, gateway: Gateway, tasks: asyncio.TaskGroup
) -> Door | None:
    if identity is None:
        return None
    return Door(
        identity.context,
        tasks,
        patience_s=settings.handshake_s,
        host_allowed=gateway.origins.host_allowed,
    )


def _look_after(identity: Identity | None, tasks: asyncio.TaskGroup) -> asyncio.Task[None]:
    """Renew certificates meanwhile, where there are any."""
    looking = asyncio.sleep(0) if identity is None else identity.look_after()
    return tasks.create_task(looking, name="certificates")


def _uvicorn_config(
    settings: Settings, app: Any, gateway: Gateway, door: Door | None
) -> uvicorn.Config:
    def accept(**uvicorns: Any) -> asyncio.Protocol:
        behind = partial(PatientHttp, settings.handshake_s, **uvicorns)
        return behind() if door is None else door.receive(behind)

    return uvicorn.Config(
        app,
        http=cast(Any, accept),
        ws=cast(
            Any,
            partial(
                UpgradedSocket,
                gateway,
                unsent_bytes=settings.unsent_bytes,
                send_buffer_bytes=settings.send_buffer_bytes,
            ),
        ),
        lifespan="off",
        log_config=None,
        access_log=False,  # a log of paths and queries serves nobody here
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers, and with word of when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever owns the process."""
        yield

    def end(self) -> None:
        """Stop listening; whoever is still being sent a page has had the time for it."""
        self.should_exit = True
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and tell."""
        await super().startup(sockets)
        self.listening.set()
