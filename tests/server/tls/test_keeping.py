"""The folder of certificates: made once, renewed in place, never torn, and damage explained."""

import datetime
import logging
import multiprocessing
import ssl
import stat
from pathlib import Path

import pytest
from armspan.server.settings import SettingsError
from armspan.server.tls.authority import names_in
from armspan.server.tls.keeping import AUTHORITY_FILE, CERTIFICATE_FILE, SERVER_FILE, Kept, keep
from armspan.server.tls.names import Names

NOW = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
NOBODY = Names()
HOME = Names.of(["localhost", "studio.local", "127.0.0.1", "192.168.1.5"])


def days(count: float) -> datetime.datetime:
    return NOW + datetime.timedelta(days=count)


def kept(
    folder: Path,
    found: Names = HOME,
    asked_for: Names = NOBODY,
    now: datetime.datetime = NOW,
) -> Kept:
    return keep(folder / "tls", "studio", found, asked_for, now)


def test_nobody_else_may_read_what_is_kept(tmp_path: Path):
    kept(tmp_path)
    assert stat.S_IMODE((tmp_path / "tls").stat().st_mode) == 0o700
    for name in (AUTHORITY_FILE, SERVER_FILE):
        assert stat.S_IMODE((tmp_path / "tls" / name).stat().st_mode) == 0o600
    assert {f.name for f in (tmp_path / "tls").iterdir()} == {
        AUTHORITY_FILE,
        SERVER_FILE,
        CERTIFICATE_FILE,
    }


def test_the_public_file_holds_no_key(tmp_path: Path):
    kept(tmp_path)
    text = (tmp_path / "tls" / CERTIFICATE_FILE).read_text()
    assert text.count("BEGIN CERTIFICATE") == 1
    assert "PRIVATE" not in text


def test_a_second_start_uses_what_the_first_one_made(tmp_path: Path):
    assert kept(tmp_path) == kept(tmp_path, now=days(200))


def test_a_certificate_is_renewed_before_its_end_and_the_authority_stays(tmp_path: Path):
    first, later = kept(tmp_path), kept(tmp_path, now=days(380))
    assert later.authority == first.authority
    assert later.server != first.server
    assert later.server.not_valid_after_utc > days(700)


def test_what_was_made_while_the_clock_was_ahead_is_made_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    first = kept(tmp_path)
    ahead = kept(tmp_path, now=days(390))
    again = kept(tmp_path)
    assert ahead.server.not_valid_before_utc > NOW
    assert again.server.not_valid_before_utc < NOW
    assert again.authority == first.authority
    assert caplog.records == []
    kept(tmp_path, now=days(-20))  # an authority stays: devices trust it
    assert "clock" in caplog.text
    assert kept(tmp_path).authority == first.authority


def test_a_new_address_renews_the_certificate_and_one_that_is_gone_does_not(tmp_path: Path):
    first = kept(tmp_path)
    more = HOME + Names.of(["10.0.0.9"])
    moved = kept(tmp_path, found=more)
    assert moved.server != first.server
    assert names_in(moved.server) == more
    assert kept(tmp_path, found=HOME) == moved


def test_an_address_that_the_authority_may_not_sign_for_is_left_out(tmp_path: Path):
    first = kept(tmp_path)
    assert kept(tmp_path, found=HOME + Names.of(["203.0.113.7"])) == first


def test_a_name_that_was_asked_for_and_cannot_be_had_is_said(tmp_path: Path):
    kept(tmp_path)
    with pytest.raises(SettingsError, match=r"was made without avatars\.example") as told:
        kept(tmp_path, asked_for=Names.of(["avatars.example"]))
    assert f"delete {tmp_path / 'tls' / AUTHORITY_FILE}" in str(told.value)


def test_a_name_that_was_asked_for_at_the_first_start_is_in(tmp_path: Path):
    first = kept(tmp_path, asked_for=Names.of(["avatars.example"]))
    assert "avatars.example" in names_in(first.server).dns


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_a_damaged_authority_is_explained_and_not_replaced(content: bytes, tmp_path: Path):
    kept(tmp_path)
    file = tmp_path / "tls" / AUTHORITY_FILE
    file.write_bytes(content)
    with pytest.raises(SettingsError, match="is damaged") as told:
        kept(tmp_path)
    assert str(file) in str(told.value)
    assert "\n" not in str(told.value)
    assert file.read_bytes() == content


def test_an_authority_with_anothers_key_is_damaged(tmp_path: Path):
    kept(tmp_path)
    kept(tmp_path / "other")
    file, other = (tmp_path / part / "tls" / AUTHORITY_FILE for part in ("", "other"))
    key = other.read_text().partition("-----BEGIN CERTIFICATE")[0]
    certificate = "-----BEGIN CERTIFICATE" + file.read_text().partition("-----BEGIN CERTIFICATE")[2]
    file.write_text(key + certificate)
    with pytest.raises(SettingsError, match="is damaged"):
        kept(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no certificate at all"])
def test_a_damaged_certificate_of_the_servers_is_made_anew(content: bytes, tmp_path: Path):
    first = kept(tmp_path)
    (tmp_path / "tls" / SERVER_FILE).write_bytes(content)
    again = kept(tmp_path)
    assert again.authority == first.authority
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(again.server_file)


def test_an_authority_at_its_end_is_made_anew_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    first = kept(tmp_path)
    with caplog.at_level(logging.WARNING):
        later = kept(tmp_path, now=days(3640))
    assert later.authority != first.authority
    assert "have to trust the new one" in caplog.text
    later.server.verify_directly_issued_by(later.authority)


def test_an_authority_that_others_can_read_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    kept(tmp_path)
    (tmp_path / "tls" / AUTHORITY_FILE).chmod(0o644)
    with caplog.at_level(logging.WARNING):
        kept(tmp_path)
    assert "chmod 600" in caplog.text


def test_a_folder_that_is_none_is_said(tmp_path: Path):
    (tmp_path / "tls").write_text("a file")
    with pytest.raises(SettingsError, match="tls_folder"):
        kept(tmp_path)


def start(folder: Path, serials: "multiprocessing.Queue[tuple[int, int]]") -> None:
    made = kept(folder)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.server_file)
    made.server.verify_directly_issued_by(made.authority)
    serials.put((made.authority.serial_number, made.server.serial_number))


def test_servers_that_start_at_once_share_one_authority(tmp_path: Path):
    spawn = multiprocessing.get_context("fork")
    serials = spawn.Queue()
    starting = [spawn.Process(target=start, args=(tmp_path, serials)) for _ in range(6)]
    for process in starting:
        process.start()
    made = [serials.get(timeout=20) for _ in starting]
    for process in starting:
        process.join(10)
    assert len({authority for authority, _ in made}) == 1
    assert {f.name for f in (tmp_path / "tls").iterdir()} == {
        AUTHORITY_FILE,
        SERVER_FILE,
        CERTIFICATE_FILE,
    }
