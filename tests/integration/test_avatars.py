"""People bring avatars to a real server: what is taken, refused, kept, and gone again."""

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from armspan.protocol import ChangeLook, Leave, Look, encode
from armspan.protocol.frames import Snapshot
from armspan.server.serving import Running
from armspan.server.settings import SettingsError

from tests.golden.write_avatar_cases import glb, smallest
from tests.integration.harness import RawSocket, get, in_time, metric, server, tell, until


def avatar(number: int = 0) -> bytes:
    """A sound avatar, another one for each number."""
    document, binary = smallest()
    document["extras"] = {"number": number}
    return glb(document, binary)


def name_of(data: bytes) -> str:
    return f"vrm:{hashlib.sha256(data).hexdigest()}"


def bearer(person: RawSocket) -> str:
    assert person.welcome.token is not None
    return f"Bearer {person.welcome.token.hex()}"


async def post(
    port: int,
    data: bytes,
    authorization: str | None = None,
    session: str = "review",
    length: int | None = None,
    **headers: str,
) -> tuple[int, dict[str, Any]]:
    """An upload, by hand: status and answer."""
    raw = await RawSocket.connect(port)
    async with raw:
        sent = {
            "Host": f"127.0.0.1:{port}",
            "Content-Length": str(len(data) if length is None else length),
            **({} if authorization is None else {"Authorization": authorization}),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        path = f"/api/sessions/{session}/avatars"
        raw.writer.write(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + data)
        status, answered = await raw.response()
        body = await in_time(raw.reader.readexactly(int(answered["content-length"])))
        return status, json.loads(body)


@contextlib.asynccontextmanager
async def review(**settings: object) -> AsyncIterator[tuple[Running, RawSocket, Path]]:
    """A server, one person in its session, and the folder of its avatars."""
    async with server(**settings) as running:
        assert running.avatars is not None
        async with await RawSocket.join(running.port) as ada:
            yield running, ada, running.avatars.root


def files_in(root: Path) -> list[str]:
    return sorted(
        file.name for file in root.rglob("*.*") if file.is_file() and file.name != ".lock"
    )


async def test_an_avatar_is_taken_and_shown_to_everyone_until_the_session_ends():
    data = avatar()
    async with review() as (running, ada, root):
        status, answer = await post(running.port, data, bearer(ada))
        assert (status, answer) == (200, {"avatar": name_of(data)})
        path = f"/api/sessions/review/avatars/{name_of(data)[4:]}.vrm"
        status, headers, body = await get(running.port, path)
        assert (status, body) == (200, data)
        assert headers["content-type"] == "model/gltf-binary"
        assert headers["x-content-type-options"] == "nosniff"
        assert "immutable" in headers["cache-control"]
        assert await metric(running.port, "armspan_avatars") == 1
        again, answer = await post(running.port, data, bearer(ada))
        assert (again, answer) == (200, {"avatar": name_of(data)})
        assert len(files_in(root)) == 1
        ada.send(encode(Leave()))
        await until(lambda: not files_in(root), "the avatar went with its session")
        status, headers, body = await get(running.port, path)
        assert status == 404
        assert "bring it again" in body.decode()
        assert "immutable" not in headers["cache-control"]
    assert not root.exists()


async def test_only_connected_participants_bring_avatars_and_only_from_the_own_page():
    async with review() as (running, ada, root):
        port = running.port
        eve = await RawSocket.watch(port)
        other = await RawSocket.join(port, "Bob", "other")
        own = f"http://127.0.0.1:{port}"
        for given, more, expected in (
            (None, {}, 401),
            ("Bearer", {}, 401),
            ("Bearer " + "0" * 32, {}, 401),
            ("Bearer " + "x" * 32, {}, 401),
            ("Bearer " + "é" * 32, {}, 401),
            (bearer(other), {}, 401),
            (bearer(ada), {"Origin": "https://evil.example"}, 403),
            (bearer(ada), {"Origin": "null"}, 403),
            (bearer(ada), {"Sec-Fetch-Site": "cross-site"}, 403),
            (bearer(ada), {"Origin": own, "Sec-Fetch-Site": "same-origin"}, 200),
        ):
            status, answer = await post(port, avatar(), given, **more)
            assert status == expected, (given, more, answer)
        assert eve.welcome.token is None
        token = bearer(ada)
        ada.drop()
        await until(lambda: not running.registry.find("review").connected)  # type: ignore[union-attr]
        assert (await post(port, avatar(1), token))[0] == 401
        for session in ("nobody", "..", "%2e%2e", "a%2fb"):
            assert (await post(port, avatar(), token, session))[0] in (404, 405)
        assert len(files_in(root)) == 1
        other.drop()
        eve.drop()


@pytest.mark.parametrize(
    "name",
    [
        "0" * 64,
        "0" * 63,
        "..%2f..%2fsecret",
        "%2e%2e/%2e%2e/.lock",
        "A" * 64,
        "." * 64,
        "0" * 63 + "%00",
        "x" * 5000,
    ],
)
async def test_what_is_no_avatar_of_the_session_is_not_found(name: str):
    async with review() as (running, ada, _):
        assert (await post(running.port, avatar(), bearer(ada)))[0] == 200
        for session in ("review", "other", "..", "%2e"):
            status, _, _ = await get(running.port, f"/api/sessions/{session}/avatars/{name}.vrm")
            assert status == 404


async def test_an_avatar_that_cannot_be_shown_is_explained_and_leaves_nothing_behind():
    document, binary = smallest()
    document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"].pop("head")
    async with review() as (running, ada, root):
        status, answer = await post(running.port, glb(document, binary), bearer(ada))
        assert status == 422
        assert "no bone head" in answer["detail"]
        assert files_in(root) == []
        assert await metric(running.port, "armspan_avatars_refused_total") == 1


async def test_a_file_that_is_too_large_is_refused_before_it_has_come():
    async with review(avatar_bytes=10_000) as (running, ada, root):
        status, answer = await post(running.port, b"", bearer(ada), length=2_000_000_000)
        assert status == 413
        assert "2,000,000,000" in answer["detail"]
        raw = await RawSocket.connect(running.port)
        async with raw:
            head = f"Host: localhost\r\nAuthorization: {bearer(ada)}\r\nTransfer-Encoding: chunked"
            chunk = b"1000\r\n" + bytes(0x1000) + b"\r\n"
            path = "/api/sessions/review/avatars"
            raw.writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n\r\n".encode() + 3 * chunk)
            assert (await raw.response())[0] == 413
        assert files_in(root) == []


async def test_an_upload_that_trickles_is_ended_and_another_may_follow():
    async with review(avatar_upload_s=0.3, handshake_s=0.5) as (running, ada, root):
        began_s = time.monotonic()
        raw = await RawSocket.connect(running.port)
        async with raw:
            head = f"Host: localhost\r\nAuthorization: {bearer(ada)}\r\nContent-Length: 9000"
            path = "/api/sessions/review/avatars"
            raw.writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n\r\nglTF".encode())
            waiting = asyncio.ensure_future(raw.response())
            status, answer = await post(running.port, avatar(), bearer(ada))
            assert status == 429
            assert "already" in answer["detail"]
            assert (await waiting)[0] == 408
            assert time.monotonic() - began_s < 2
            await in_time(raw.reader.read())  # and then the connection is closed
        assert (await post(running.port, avatar(), bearer(ada)))[0] == 200
        assert len(files_in(root)) == 1


async def test_one_session_cannot_keep_all_others_from_bringing_avatars():
    async with (
        review(avatar_uploads_at_once=2, avatar_uploads_per_minute=1) as (running, ada, _),
        await RawSocket.join(running.port, "Bob") as bob,
        await RawSocket.join(running.port, "Carl", session="other") as carl,
        await RawSocket.connect(running.port) as slow,
    ):
        head = f"Host: localhost\r\nAuthorization: {bearer(ada)}\r\nContent-Length: 4"
        path = "/api/sessions/review/avatars"
        slow.writer.write(
            f"POST {path} HTTP/1.1\r\n{head}\r\nExpect: 100-continue\r\n\r\n".encode()
        )
        assert (await slow.response())[0] == 100  # so it is being read

        async def status_of(person: RawSocket, session: str) -> int:
            return (await post(running.port, avatar(), bearer(person), session))[0]

        assert [await status_of(bob, "review") for _ in range(3)] == [503] * 3
        assert await status_of(carl, "other") == 200
        slow.writer.write(b"glTF")
        assert (await slow.response())[0] == 422
        assert await status_of(bob, "review") == 200  # to have been asked to wait cost nothing


async def test_ten_thousand_avatars_are_not_taken():
    limits = {"avatars_per_person": 2, "avatar_uploads_per_minute": 60, "avatars_per_session": 3}
    async with review(**limits) as (running, ada, root):
        for number, expected in ((0, 200), (1, 200), (2, 409), (0, 200)):
            assert (await post(running.port, avatar(number), bearer(ada)))[0] == expected
        bob = await RawSocket.join(running.port, "Bob")
        carl = await RawSocket.join(running.port, "Carl")
        assert (await post(running.port, avatar(3), bearer(bob)))[0] == 200
        status, answer = await post(running.port, avatar(4), bearer(carl))
        assert status == 507
        assert "at most 3" in answer["detail"]
        # Whoever leaves gives up what nobody wears.
        carl.send(encode(ChangeLook(look=Look(avatar=name_of(avatar(0)), colour=None))))
        ada.send(encode(Leave()))
        await until(lambda: len(running.registry.find("review").participants) == 2)  # type: ignore[union-attr]
        await until(
            lambda: any(a.look.avatar for a in running.registry.find("review").participants)
        )  # type: ignore[union-attr]
        assert (await post(running.port, avatar(4), bearer(carl)))[0] == 200
        kept = {name_of(avatar(n))[4:] + ".vrm" for n in (0, 3, 4)}
        assert set(files_in(root)) == kept
        bob.drop()
        carl.drop()


async def test_a_person_who_brings_one_after_another_is_slowed_down():
    async with review(avatar_uploads_per_minute=3) as (running, ada, _):
        statuses = [(await post(running.port, avatar(), bearer(ada)))[0] for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]


async def test_whoever_leaves_while_it_is_checked_leaves_nothing_behind():
    async with review() as (running, ada, root):
        bringing = asyncio.ensure_future(post(running.port, avatar(), bearer(ada)))
        await until(lambda: bool(files_in(root)), "it was written")
        ada.send(encode(Leave()))
        status, answer = await bringing
        assert status == 410
        assert "left" in answer["detail"]
        assert files_in(root) == []


async def test_two_bring_the_same_at_the_same_time():
    async with review() as (running, ada, root):
        bob = await RawSocket.join(running.port, "Bob")
        data = avatar()
        answers = await asyncio.gather(
            *(post(running.port, data, bearer(person)) for person in (ada, bob))
        )
        assert answers == [(200, {"avatar": name_of(data)})] * 2
        assert len(files_in(root)) == 1
        bob.drop()


async def test_a_check_does_not_delay_the_tick():
    document, binary = smallest()
    document["extras"] = ["a value among many"] * 150_000  # 3 MB of JSON, near the cap
    heavy = glb(document, binary)
    async with review() as (running, ada, _):
        ada.counting = True
        await ada.snapshots(0.5)
        bringing = asyncio.ensure_future(post(running.port, heavy, bearer(ada)))
        arrivals: list[float] = []
        while not bringing.done():
            await in_time(ada.receive())
            arrivals.append(time.monotonic())
        gaps = sorted(b - a for a, b in pairwise(arrivals))
        tell(f"{len(heavy)} bytes: {len(gaps)} gaps, longest {gaps[-1] * 1e3:.1f} ms")
        assert (await bringing)[0] == 200
        assert gaps[len(gaps) * 9 // 10] < 0.030


async def test_kept_avatars_come_back_after_a_restart_and_are_looked_at_again(tmp_path: Path):
    kept = {"avatar_folder": tmp_path / "kept", "keep_avatars": True}
    first, second = avatar(1), avatar(2)
    async with review(**kept) as (running, ada, root):
        for data in (first, second):
            assert (await post(running.port, data, bearer(ada)))[0] == 200
        with pytest.raises(SettingsError, match="in use by another server"):
            async with server(**kept):
                pass
    folder = root / "review"
    spoilt = folder / f"{name_of(second)[4:]}.vrm"
    spoilt.write_bytes(avatar(3))
    (root / "0123456789abcdef.part").write_bytes(b"left by a crash")
    (folder / "notes.vrm").write_text("not ours")
    async with server(**kept) as running:
        assert not list(root.glob("*.part"))
        assert await metric(running.port, "armspan_avatars_bytes") > 2 * 2000
        base = "/api/sessions/review/avatars"
        assert (await get(running.port, f"{base}/{name_of(first)[4:]}.vrm"))[2] == first
        assert (await get(running.port, f"{base}/{name_of(second)[4:]}.vrm"))[0] == 404
        assert (await get(running.port, f"{base}/notes.vrm"))[0] == 404
        async with await RawSocket.join(running.port) as ada:
            assert (await post(running.port, first, bearer(ada)))[0] == 200
    assert (folder / f"{name_of(first)[4:]}.vrm").read_bytes() == first


async def test_what_a_killed_server_left_is_removed_and_what_a_living_one_has_is_not(
    tmp_path: Path,
):
    dead = tmp_path / "armspan-avatars-dead"
    (dead / "review.1").mkdir(parents=True)
    (dead / ".lock").touch()
    living = tmp_path / "armspan-avatars-living"
    living.mkdir()
    lock = os.open(living / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    elsewhere = tmp_path / "armspan-avatars-elsewhere"
    elsewhere.symlink_to(living)
    async with review(avatar_folder=tmp_path) as (running, ada, root):
        assert root.parent == tmp_path
        assert not dead.exists()
        assert living.is_dir()
        assert elsewhere.is_symlink()
        assert (await post(running.port, avatar(), bearer(ada)))[0] == 200
        await in_time(ada.next(Snapshot))
    os.close(lock)
    assert not root.exists()


async def test_a_server_may_take_no_avatars_at_all():
    async with review(avatars_per_person=0) as (running, ada, _):
        status, answer = await post(running.port, avatar(), bearer(ada))
        assert status == 403
        assert "takes no avatars" in answer["detail"]
