"""Owns the routes by which avatars come and go: bytes in, sentences or a name out."""

import asyncio
from typing import Any

from armspan.server.avatars.check import too_large
from armspan.server.avatars.limits import NotTaken
from armspan.server.avatars.verdict import AvatarFault, Fault
from armspan.server.web.avatar_desk import AvatarDesk
from armspan.server.web.guard import last_of_each
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.requests import ClientDisconnect

MEDIA_TYPE = "model/gltf-binary"
_FOREVER = "private, max-age=31536000, immutable"
_TOO_LARGE, _LATE, _UNFIT = 413, 408, 422


def add_avatars(app: FastAPI, desk: AvatarDesk) -> None:
    """Serve avatars of sessions, and take them from their participants."""

    @app.post("/api/sessions/{session}/avatars")
    async def bring(request: Request, session: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        try:
            return JSONResponse(await _bring(desk, request, session))
        except NotTaken as refused:
            after_s = refused.retry_after_s
            headers = None if after_s is None else {"retry-after": f"{after_s:.0f}"}
            raise HTTPException(refused.status, refused.words, headers) from None
        except AvatarFault as fault:
            status = _TOO_LARGE if fault.fault is Fault.TOO_LARGE else _UNFIT
            raise HTTPException(status, fault.words) from None

    @app.api_route("/api/sessions/{session}/avatars/{name}.vrm", methods=["GET", "HEAD"])
    async def fetch(session: str, name: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        file = await desk.store.find(session, name)
        if file is None:
            raise HTTPException(
                404,
                "The session has no such avatar, or has it no more; whoever wears it can bring it "
                "again.",
                {"cache-control": "no-store"},
            )
        return FileResponse(file, media_type=MEDIA_TYPE, headers={"cache-control": _FOREVER})


async def _bring(desk: AvatarDesk, request: Request, session: str) -> dict[str, Any]:
    bringing = desk.admit(session, last_of_each(request.headers))
    with desk.turn(bringing):
        limits = desk.store.limits
        try:
            async with asyncio.timeout(limits.upload_s):
                data = await _read(request, limits.file_bytes)
        except TimeoutError:
            raise HTTPException(
                _LATE,
                f"The avatar did not come within {limits.upload_s:g} s; try again on a faster "
                "network, or make its pictures smaller.",
            ) from None
        except ClientDisconnect:
            raise HTTPException(400, "The connection closed before all of it came.") from None
        name = await desk.store.add(bringing, bringing.person, data)
    return {"avatar": f"vrm:{name}"}


async def _read(request: Request, most_bytes: int) -> bytearray:
    """The body, as it comes. Raises AvatarFault as soon as it is too large."""
    data = bytearray()
    async for some in request.stream():
        data += some
        if len(data) > most_bytes:
            raise too_large(len(data), most_bytes)
    return data
