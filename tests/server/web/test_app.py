"""The API, the metrics and the headers of every answer."""

import httpx
import pytest
from armspan.server.counters import Counters
from armspan.server.gateway import Gateway, OriginPolicy, Patience
from armspan.server.sessions import Limits, Registry
from armspan.server.settings import Settings
from armspan.server.web import create_app
from prometheus_client.parser import text_string_to_metric_families

from tests.fakes import FakeClock, FakeReceiver, hello

SECRET = "a secret of the server"


class House:
    def __init__(self, **settings: object) -> None:
        self.settings = Settings.model_validate(settings)
        clock = FakeClock()
        self.registry = Registry(Limits(), clock)
        self.counters = Counters()
        self.gateway = Gateway(
            self.registry,
            clock,
            secret=None,
            origins=OriginPolicy(loopback_hosts_only=self.settings.on_loopback),
            patience=Patience(),
            counters=self.counters,
        )
        for session, name in (("review", "Ada"), ("review", "Bob"), ("other", "Carl")):
            self.registry.join(session, hello(name), FakeReceiver(), clock())

    def http(self, host: str = "localhost") -> httpx.AsyncClient:
        app = create_app(self.settings, SECRET, self.registry, self.gateway)
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{host}")


async def test_health_is_told_to_everyone():
    async with House(require_key=True).http() as http:
        answer = await http.get("/healthz")
        assert answer.status_code == 200
        assert answer.json()["status"] == "ok"


async def test_head_answers_as_get_does():
    async with House().http() as http:
        for path in ("/healthz", "/metrics", "/api/sessions"):
            assert (await http.head(path)).status_code == 200


async def test_sessions_are_listed_on_loopback():
    async with House().http() as http:
        listed = (await http.get("/api/sessions")).json()["sessions"]
    assert [(session["name"], session["people"]) for session in listed] == [
        ("review", 2),
        ("other", 1),
    ]
    assert listed[0]["rate_hz"] == 60


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer wrong", 401),
        (SECRET, 401),
        (f"Bearer {SECRET}", 200),
    ],
)
async def test_where_keys_are_needed_only_the_secret_lists_sessions(
    authorization: str | None, status: int
):
    async with House(require_key=True).http() as http:
        headers = {} if authorization is None else {"Authorization": authorization}
        answer = await http.get("/api/sessions", headers=headers)
    assert answer.status_code == status
    assert ("review" in answer.text) is (status == 200)


async def test_metrics_are_numbers_that_prometheus_reads_and_name_nobody():
    house = House()
    house.counters.closes.update({4400: 2, 1006: 1, 0: 3})
    house.registry.lateness.add(2_000, 1)
    house.registry.refresh_statistics()
    async with house.http() as http:
        text = (await http.get("/metrics")).text
    read = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert read["armspan_sessions",] == 2
    assert read["armspan_people",] == 3
    assert read["armspan_closes_total", "4400"] == 2
    assert read["armspan_closes_total", "other"] == 3
    assert read["armspan_ticks_missed_total",] == 1
    assert read["armspan_tick_lateness_seconds", "0.99"] == 0.002
    assert read["process_resident_memory_bytes",] > 1e6
    assert "review" not in text
    assert "Ada" not in text


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics", "/nothing", "/s/x"])
async def test_every_answer_keeps_the_page_to_its_own_origin(path: str):
    async with House().http("localhost:8080") as http:
        headers = (await http.get(path)).headers
    policy = headers["content-security-policy"]
    assert "default-src 'self';" in policy
    assert "connect-src 'self' ws://localhost:8080 wss://localhost:8080 blob:;" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "microphone=(self)" in headers["permissions-policy"]
    assert "xr-spatial-tracking=(self)" in headers["permissions-policy"]
    assert "camera=()" in headers["permissions-policy"]


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost;script-src *", "a b", "[::1", "[:::::]"]
)
async def test_a_foreign_name_is_refused_on_loopback(host: str):
    async with House().http() as http:
        answer = await http.get("/api/sessions", headers={"Host": host})
    assert answer.status_code == 421
    assert "review" not in answer.text


async def test_elsewhere_any_name_of_a_host_will_do():
    async with House(host="10.0.0.1").http("avatars.example") as http:
        assert (await http.get("/healthz")).status_code == 200
        odd = await http.get("/healthz", headers={"Host": "a;b"})
        assert odd.status_code == 421


@pytest.mark.parametrize(
    ("public_url", "host", "isolated"),
    [
        (None, "localhost:8080", True),
        (None, "[::1]:8080", True),
        (None, "10.0.0.1:8080", False),
        ("https://avatars.example", "avatars.example", True),
        ("https://avatars.example", "10.0.0.1:8080", False),
        ("http://avatars.example", "avatars.example", False),
    ],
)
async def test_pages_are_isolated_where_browsers_do_it(
    public_url: str | None, host: str, isolated: bool
):
    async with House(host="10.0.0.1", public_url=public_url).http(host) as http:
        headers = (await http.get("/healthz")).headers
    assert headers.get("cross-origin-opener-policy") == ("same-origin" if isolated else None)


async def test_there_is_no_documentation_that_loads_foreign_scripts():
    async with House().http() as http:
        for path in ("/docs", "/redoc", "/openapi.json"):
            assert (await http.get(path)).status_code == 404
