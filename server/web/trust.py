"""Owns how devices come to trust this server: the authority's certificate, and a page about it."""

from html import escape

from armspan.server.tls import Identity
from armspan.server.web.trust_page import PAGE, STYLE
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

_READING = ["GET", "HEAD"]
_NO_AUTHORITY = (
    "This server has no authority of its own: {why}. There is nothing to install; "
    "armspan serve --https makes one."
)


def add_trust(app: FastAPI, identity: Identity | None) -> None:
    """Serve /ca.crt and /trust, whatever the server shows of itself; no key is ever read here."""

    @app.api_route("/ca.crt", methods=_READING)
    async def certificate() -> Response:  # pyright: ignore[reportUnusedFunction]
        pem = None if identity is None else identity.authority_pem
        if pem is None:
            raise HTTPException(404, _NO_AUTHORITY.format(why=_why_none(identity)))
        return Response(
            pem,
            media_type="application/x-x509-ca-cert",
            headers={
                "content-disposition": 'attachment; filename="armspan-ca.crt"',
                "cache-control": "no-store",
            },
        )

    @app.api_route("/trust", methods=_READING)
    async def trust(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        if identity is None or identity.authority is None:
            said = escape(_NO_AUTHORITY.format(why=_why_none(identity)))
            return HTMLResponse(_plain_page(said), status_code=404)
        told = {
            "NAME": identity.authority_name,
            "FINGERPRINT": identity.fingerprint,
            "UNTIL": f"{identity.authority.not_valid_after_utc:%d %B %Y}",
            "HOST": request.headers.get("host", ""),
        }
        # A fingerprint may be broken behind its colons, and nowhere else.
        shown = PAGE.replace("%PRINT%", identity.fingerprint.replace(":", ":<wbr>"))
        for word, value in told.items():
            shown = shown.replace(f"%{word}%", escape(value))
        return HTMLResponse(shown)

    @app.api_route("/trust.css", methods=_READING)
    async def sheet() -> Response:  # pyright: ignore[reportUnusedFunction]
        return Response(STYLE, media_type="text/css")


def _why_none(identity: Identity | None) -> str:
    return "it speaks plain HTTP" if identity is None else "it was given a certificate"


def _plain_page(said: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<title>Armspan: trust</title>\n'
        '<link rel="icon" href="/favicon.svg">\n'
        f'<link rel="stylesheet" href="/trust.css">\n<main><h1>Nothing to install</h1>\n<p>{said}'
        "</p></main>\n</html>\n"
    )
