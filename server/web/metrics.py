"""Owns what Prometheus is told. Numbers only: no name of a session or a person."""

from collections.abc import Iterator

from armspan.server.avatars.store import Store
from armspan.server.gateway import Gateway
from armspan.server.sessions import Registry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector


class ServerMetrics(Collector):
    """Reads the server's counters whenever it is scraped; nothing is kept twice."""

    def __init__(self, registry: Registry, gateway: Gateway, avatars: Store | None = None) -> None:
        self._avatars = avatars
        self._registry = registry
        self._gateway = gateway

    def collect(self) -> Iterator[Metric]:
        """Everything at this moment."""
        yield from self._people()
        yield from self._traffic()
        yield from self._ticks()
        yield from self._brought()

    def _people(self) -> Iterator[Metric]:
        sessions = self._registry.sessions()
        yield _gauge("sessions", "Sessions with anyone in them.", len(sessions))
        yield _gauge("people", "Participants, connected or away.", sum(s.people for s in sessions))
        yield _gauge(
            "people_connected",
            "Participants with a connection.",
            sum(s.connected for s in sessions),
        )
        yield _gauge(
            "spectators", "Connections that only watch.", sum(s.spectators for s in sessions)
        )
        yield _gauge("sockets", "Open WebSockets.", self._gateway.sockets)

    def _traffic(self) -> Iterator[Metric]:
        counters = self._gateway.counters
        yield _counter("sockets_opened", "WebSockets opened.", counters.sockets_opened)
        yield _counter(
            "upgrades_refused", "Upgrade requests refused over HTTP.", counters.upgrades_refused
        )
        yield _counter("messages_received", "WebSocket frames.", counters.messages_received)
        yield _counter("received_bytes", "Payload of these frames.", counters.bytes_received)
        yield _counter("snapshots_sent", "Snapshots sent to peers.", counters.snapshots_sent)
        yield _counter(
            "snapshots_skipped", "Snapshots that peers were behind for.", counters.snapshots_skipped
        )
        yield _counter(
            "control_messages_sent", "Control messages and events.", counters.control_messages_sent
        )
        yield _counter(
            "signals_passed", "Voice signals passed between people.", counters.signals_passed
        )
        yield _counter(
            "signals_dropped",
            "Voice signals that came too fast, or that nobody could take.",
            counters.signals_dropped,
        )
        closes = CounterMetricFamily(
            "armspan_closes", "Connections by the close code that ended them.", labels=["code"]
        )
        for code, count in sorted(counters.closes.items()):
            closes.add_metric([str(code) if code else "other"], count)
        yield closes

    def _brought(self) -> Iterator[Metric]:
        avatars = self._avatars
        if avatars is None:
            return
        yield _gauge("avatars", "Avatars that people brought to sessions.", avatars.count)
        yield _gauge("avatars_bytes", "Size of all stored avatars.", avatars.size_bytes)
        yield _counter("avatars_taken", "Avatars that were taken.", avatars.taken)
        yield _counter("avatars_refused", "Avatars that failed the check.", avatars.refused)

    def _ticks(self) -> Iterator[Metric]:
        lateness = self._registry.lateness
        yield _counter("ticks", "Ticks that ran.", lateness.ticks)
        yield _counter("ticks_missed", "Ticks that were skipped.", lateness.missed)
        late = GaugeMetricFamily(
            "armspan_tick_lateness_seconds",
            "How late recent ticks were, by quantile.",
            labels=["quantile"],
        )
        late.add_metric(["0.5"], lateness.p50_ms / 1e3)
        late.add_metric(["0.99"], lateness.p99_ms / 1e3)
        yield late


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"armspan_{name}", text, value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"armspan_{name}", text, value)
