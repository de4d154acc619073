"""Settings: which source wins, what is refused, and in what words."""

import re
from pathlib import Path

import pytest
from armspan.server.settings import Settings, SettingsError, is_loopback, load_settings
from armspan.solvers import Method
from pydantic import SecretStr

LONG = "a secret that is long enough"


@pytest.fixture(autouse=True)
def _no_settings_around(monkeypatch: pytest.MonkeyPatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ARMSPAN_{name.upper()}", raising=False)


def test_flags_win_over_environment_over_file_over_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "armspan.toml"
    file.write_text("port = 1001\nrate_hz = 30\ngrace_s = 5\n")
    monkeypatch.setenv("ARMSPAN_PORT", "1002")
    monkeypatch.setenv("ARMSPAN_RATE_HZ", "40")
    settings = load_settings({"port": 1003, "host": None}, file)
    assert (settings.port, settings.rate_hz, settings.grace_s) == (1003, 40, 5)
    assert (settings.host, settings.people_per_session) == ("127.0.0.1", 64)


def test_lists_and_methods_are_read_from_every_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "armspan.toml"
    file.write_text('method = "luciano"\nallowed_origins = ["https://a.example"]\n')
    assert load_settings({}, file).method is Method.LUCIANO
    assert load_settings({"method": "robust"}, file).method is Method.ROBUST
    monkeypatch.setenv("ARMSPAN_ALLOWED_ORIGINS", '["https://b.example:8443"]')
    assert load_settings({}, file).allowed_origins == ("https://b.example:8443",)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"port": 70_000}, ("port", "70000", "65535")),
        ({"rate_hz": 0}, ("rate_hz", "0", "1")),
        ({"rate_hz": float("nan")}, ("rate_hz", "nan", "finite number", "the flag")),
        ({"rate_hz": float("inf")}, ("rate_hz", "inf", "finite number")),
        ({"grace_s": float("nan")}, ("grace_s", "nan", "finite number")),
        ({"method": "magic"}, ("method", "magic", "luciano", "robust")),
        ({"host": ""}, ("host", "''", "character")),
        ({"people_per_session": 5000}, ("people_per_session", "5000", "1024")),
        ({"allowed_origins": ["intranet"]}, ("allowed_origins", "intranet", "https://host")),
        ({"allowed_origins": ["https://a?b"]}, ("allowed_origins", "https://a?b", "https://host")),
        ({"public_url": "ftp://x"}, ("public_url", "ftp://x", "https://host")),
        ({"public_url": "https://a b"}, ("public_url", "https://host")),
        ({"public_url": "https://me:pass@a"}, ("public_url", "https://host")),
        ({"public_url": "https://a#key=x"}, ("public_url", "https://host")),
        ({"public_url": "https://a:99999"}, ("public_url", "99999", "range")),
        ({"tls_folder": ""}, ("tls_folder", "''", "file or folder")),
        ({"avatar_folder": ""}, ("avatar_folder", "file or folder")),
        ({"send_buffer_bytes": 1 << 31}, ("send_buffer_bytes", "2147483648")),
        ({"changes_per_s": 1e-310}, ("changes_per_s", "0.001")),
        ({"colour": "red"}, ("colour", "rate_hz")),
    ],
)
def test_a_bad_setting_is_told_in_one_line(flags: dict[str, object], words: tuple[str, ...]):
    with pytest.raises(SettingsError) as refused:
        load_settings(flags)
    text = str(refused.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def test_an_origin_is_known_without_its_usual_port():
    given = {
        "public_url": "https://a.example:443",
        "allowed_origins": ["http://b:80/", "http://c:443"],
    }
    settings = load_settings(given)
    assert settings.public_url == "https://a.example"
    assert settings.allowed_origins == ("http://b", "http://c:443")


def test_a_bad_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ARMSPAN_SECRET", "hunter2")
    with pytest.raises(SettingsError) as refused:
        load_settings({})
    assert "hunter2" not in str(refused.value)
    assert "16 characters" in str(refused.value)
    assert LONG not in repr(Settings(secret=SecretStr(LONG)))


@pytest.mark.parametrize(
    ("text", "word"), [("port = ", "TOML"), ("prot = 80", "prot"), ("port = 'x'", "port")]
)
def test_a_bad_file_is_told_in_one_line(tmp_path: Path, text: str, word: str):
    file = tmp_path / "armspan.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as refused:
        load_settings({}, file)
    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path):
    file = tmp_path / "armspan.toml"
    file.write_bytes(b"host = '\xff'")
    with pytest.raises(SettingsError, match=r"armspan\.toml .*UTF-8"):
        load_settings({}, file)


def test_a_file_that_cannot_be_looked_for_is_told(tmp_path: Path):
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings({}, tmp_path / ("x" * 300))


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"no settings file .*nowhere\.toml"):
        load_settings({}, tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("https://b.example", 'a list in JSON, like ["https://'),
        ('"https://b.example"', 'a list in JSON, like ["https://'),
        ('["b.example"]', "must look like https://host"),
        ("[1]", "string"),
    ],
)
def test_a_list_in_the_environment_that_is_none_is_told_with_an_example(
    given: str, rule: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ARMSPAN_ALLOWED_ORIGINS", given)
    with pytest.raises(SettingsError) as refused:
        load_settings({})
    text = str(refused.value)
    assert "Setting allowed_origins" in text
    assert rule in text
    assert "Change ARMSPAN_ALLOWED_ORIGINS or" in text
    assert "Source" not in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.com", False),
        ("localhost.example.com", False),
    ],
)
def test_every_address_but_loopback_needs_keys(host: str, loopback: bool):
    assert is_loopback(host) is loopback
    assert Settings(host=host).keys_required is not loopback
    assert Settings(host=host, require_key=True).keys_required


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cert_file": "a.pem"}, "key_file is not"),
        ({"key_file": "a.pem"}, "cert_file is not"),
        ({"behind_proxy": True}, "needs public_url"),
        (
            {"behind_proxy": True, "https": True, "public_url": "https://avatars.example"},
            "exclude each other",
        ),
        ({"keep_avatars": True}, "needs avatar_folder"),
        ({"https_names": ["http://a"]}, "without port or scheme"),
        ({"avatar_bytes": 20_000_001}, "20000000"),
    ],
)
def test_settings_that_do_not_fit_together_are_one_sentence(given: dict[str, object], words: str):
    with pytest.raises(SettingsError, match=words) as told:
        load_settings(given)
    assert "\n" not in str(told.value)
    assert "; " in str(told.value) or "Change" in str(told.value)


def test_behind_a_proxy_keys_are_asked_for_even_on_loopback():
    behind = Settings(behind_proxy=True, public_url="https://avatars.example")
    assert behind.on_loopback
    assert behind.keys_required


def test_every_setting_is_documented_with_its_default():
    page = (Path(__file__).parents[2] / "docs/server.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name, field in Settings.model_fields.items():
        (row,) = [row for row in rows if f"`{name}`" in row.split("|")[1]]
        assert row.split("|")[4].strip(), f"{name} is not described"
        default = field.default.name.lower() if name == "method" else field.default
        if isinstance(default, bool | str):
            assert f"| {str(default).lower()} |" in row
        elif isinstance(default, int | float):
            shown = str(default) if isinstance(default, int) else f"{default:g}"
            assert shown in row.replace(",", "")


def test_every_metric_is_documented():
    page = (Path(__file__).parents[2] / "docs/server.md").read_text()
    source = (Path(__file__).parents[2] / "server/web/metrics.py").read_text()
    named = re.findall(r'_(gauge|counter)\(\s*"(\w+)"', source)
    assert len(named) > 10
    for kind, name in named:
        assert f"`{name}{'_total' if kind == 'counter' else ''}`" in page


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"voice_people": 7}, ("voice_people", "7", "6")),
        ({"stun_urls": ["http://voice.example"]}, ("stun_urls", "stun:")),
        ({"turn_urls": ["turn:a b"]}, ("turn_urls", "turn:")),
        ({"stun_urls": [f"stun:{n}.example" for n in range(9)]}, ("stun_urls", "8")),
        ({"stun_urls": ["stun:" + "x" * 252]}, ("stun_urls", "stun:")),
        ({"turn_urls": ["turn:voice.example"]}, ("turn_urls", "turn_secret_file")),
        ({"turn_ttl_s": 5}, ("turn_ttl_s", "60")),
        ({"signals_per_s": 0}, ("signals_per_s", "0")),
    ],
)
def test_a_bad_setting_of_voice_is_told_in_one_line(
    flags: dict[str, object], words: tuple[str, ...]
):
    with pytest.raises(SettingsError) as refused:
        load_settings(flags)
    assert "\n" not in str(refused.value)
    for word in words:
        assert word in str(refused.value)


def test_settings_of_voice_come_from_environment_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "armspan.toml"
    file.write_text('turn_urls = ["turn:voice.example"]\nturn_secret_file = "/run/turn"\n')
    monkeypatch.setenv("ARMSPAN_STUN_URLS", '["stun:voice.example:3478"]')
    settings = load_settings({}, file)
    assert settings.stun_urls == ("stun:voice.example:3478",)
    assert settings.turn_urls == ("turn:voice.example",)
    assert settings.turn_secret_file == Path("/run/turn")
    assert settings.voice_people == 6


def test_the_turn_servers_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ARMSPAN_TURN_SECRET", "hunter2")
    with pytest.raises(SettingsError) as refused:
        load_settings({})
    assert "hunter2" not in str(refused.value)
    monkeypatch.setenv("ARMSPAN_TURN_SECRET", LONG)
    settings = load_settings({"turn_urls": ["turn:voice.example"]})
    assert LONG not in repr(settings)
    assert settings.turn_secret is not None
    with pytest.raises(SettingsError) as refused:
        load_settings({"turn_urls": ["http://x"]})
    assert LONG not in str(refused.value)
