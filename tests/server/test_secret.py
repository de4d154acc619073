"""Where the secret comes from, and who can read the one that is made."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from armspan.server.secret import default_state_folder, find_secret, find_turn_secret
from armspan.server.settings import Settings, SettingsError
from pydantic import SecretStr

LONG = "a secret that is long enough"


def test_what_is_set_is_used(tmp_path: Path):
    file = tmp_path / "secret"
    file.write_text(LONG + " in a file\n")
    assert find_secret(Settings(secret=SecretStr(LONG), secret_file=file)) == LONG
    assert find_secret(Settings(secret_file=file)) == LONG + " in a file"


def test_one_is_made_once_and_only_its_owner_reads_it(tmp_path: Path):
    folder = tmp_path / "state"
    made = find_secret(Settings(), folder)
    assert len(made) >= 32
    assert find_secret(Settings(), folder) == made
    assert find_secret(Settings(), tmp_path / "other") != made
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_servers_that_start_at_once_agree(tmp_path: Path):
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda _: find_secret(Settings(), tmp_path / "state"), range(64)))
    assert len(set(made)) == 1
    assert [file.name for file in (tmp_path / "state").iterdir()] == ["secret"]


def test_unusable_files_are_told_in_one_line(tmp_path: Path):
    short, binary = tmp_path / "short", tmp_path / "binary"
    short.write_text("short\n")
    binary.write_bytes(b"\xff" * 40)
    for file in (short, binary, tmp_path / "missing", tmp_path):
        with pytest.raises(SettingsError) as refused:
            find_secret(Settings(secret_file=file))
        assert str(file) in str(refused.value)
        assert "\n" not in str(refused.value)
    with pytest.raises(SettingsError, match="cannot be read"):  # it cannot even be looked for
        find_secret(Settings(), tmp_path / ("x" * 300))
    with pytest.raises(SettingsError, match="--secret-file"):
        find_secret(Settings(), short / "below a file")


def test_the_state_folder_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_state_folder() == tmp_path / "armspan"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_state_folder() == tmp_path / ".local/state/armspan"


def test_a_secret_that_everyone_can_read_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    file = tmp_path / "secret"
    file.write_text(LONG)
    file.chmod(0o640)
    find_secret(Settings(secret_file=file))
    assert caplog.messages == []
    file.chmod(0o644)
    find_secret(Settings(secret_file=file))
    (warning,) = caplog.messages
    assert str(file) in warning
    assert LONG not in warning


def test_the_turn_servers_secret_is_set_or_read_from_its_file(tmp_path: Path):
    file = tmp_path / "turn"
    file.write_text(LONG + " in a file\n")
    file.chmod(0o600)
    urls = ("turn:voice.example",)
    assert find_turn_secret(Settings()) == ""
    assert find_turn_secret(Settings(turn_urls=urls, turn_secret=SecretStr(LONG))) == LONG
    kept = Settings(turn_urls=urls, turn_secret_file=file)
    assert find_turn_secret(kept) == LONG + " in a file"
    with pytest.raises(SettingsError, match="cannot be read"):
        find_turn_secret(Settings(turn_urls=urls, turn_secret_file=tmp_path / "none"))
