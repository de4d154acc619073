"""Owns the pages: the built web client, or word that it has not been built."""

import re
from pathlib import Path

from armspan.protocol import caps
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

STATIC_FOLDER = Path(__file__).parent / "static"
_HASHED = "assets"
_FOREVER = "public, max-age=31536000, immutable"
_NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Armspan: the web client is not built</title>
<h1>The web client is not built</h1>
<p>This server runs, and programs can join its sessions. It has no pages to show: build them with
<code>make client</code> in the checkout, then reload this page.</p>
</html>
"""


def add_pages(app: FastAPI, folder: Path = STATIC_FOLDER) -> None:
    """Serve the client from this folder: the start page, the page of a session, and its files.

    The folder is looked at with every request, so a client that is built later is served.
    """
    session_name = re.compile(caps.SESSION_NAME_PATTERN)

    def index(status: int = 200) -> Response:
        page = folder / "index.html"
        if not page.is_file():
            return HTMLResponse(_NOT_BUILT, status_code=503)
        return FileResponse(page, status)

    @app.api_route("/", methods=["GET", "HEAD"])
    async def start() -> Response:  # pyright: ignore[reportUnusedFunction]
        return index()

    @app.api_route("/s/{name}", methods=["GET", "HEAD"])
    async def session(request: Request, name: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        if session_name.fullmatch(name):
            return index()
        if "text/html" not in request.headers.get("accept", ""):
            raise HTTPException(404, "There can be no session of that name.")
        return index(404)  # the client says what is wrong, and where to go from there

    @app.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def file(path: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        found = find_file(folder, path)
        if found is None:
            raise HTTPException(404, "There is no such page.")
        hashed = Path(path).parts[0] == _HASHED
        return FileResponse(found, headers={"cache-control": _FOREVER} if hashed else None)


def find_file(folder: Path, path: str) -> Path | None:
    """The file of this path inside the folder, or None; nothing outside is ever named."""
    root = folder.resolve()
    if path.startswith("/"):  # joined, it would stand for itself and tell where the folder is
        return None
    try:
        file = (root / path).resolve()
        return file if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):  # a name too long, or with a zero byte: no file's
        return None
