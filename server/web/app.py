"""Owns the HTTP application: its routes, and who may ask for what."""

import hmac
from typing import Annotated, Any

from armspan.server.avatars.store import Store
from armspan.server.gateway import Gateway
from armspan.server.sessions import Registry
from armspan.server.settings import Settings
from armspan.server.tls import Identity
from armspan.server.version import VERSION
from armspan.server.web.avatar_desk import AvatarDesk
from armspan.server.web.avatar_routes import add_avatars
from armspan.server.web.guard import Guard
from armspan.server.web.metrics import ServerMetrics
from armspan.server.web.pages import add_pages
from armspan.server.web.trust import add_trust
from fastapi import Depends, FastAPI, Header, HTTPException, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    ProcessCollector,
    generate_latest,
)

_READING = ["GET", "HEAD"]


def create_app(
    settings: Settings,
    secret: str | None,
    registry: Registry,
    gateway: Gateway,
    identity: Identity | None = None,
    avatars: Store | None = None,
) -> FastAPI:
    """The pages and the API of a server; the session sockets never come here."""
    # The interactive documentation loads its scripts from other hosts, so there is none.
    app = FastAPI(title="Armspan", version=VERSION, openapi_url=None)
    app.add_middleware(Guard, origins=gateway.origins, public_url=settings.public_url)
    _add_api(app, settings, secret if settings.keys_required else None, registry)
    _add_metrics(app, registry, gateway, avatars)
    if avatars is not None:
        add_avatars(app, AvatarDesk(avatars, registry, gateway.origins, gateway.clock))
    add_trust(app, identity)
    add_pages(app)
    return app


def _add_api(app: FastAPI, settings: Settings, secret: str | None, registry: Registry) -> None:
    def require_secret(authorization: Annotated[str | None, Header()] = None) -> None:
        """Names of sessions are told to whoever could make their keys, where keys are needed."""
        expected = f"Bearer {secret}".encode()
        given = (authorization or "").encode("utf-8", "replace")
        if secret is not None and not hmac.compare_digest(given, expected):
            raise HTTPException(
                401,
                "Send the server's secret: Authorization: Bearer SECRET.",
                {"WWW-Authenticate": "Bearer"},
            )

    @app.api_route("/healthz", methods=_READING)
    async def health() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        return {"status": "ok", "version": VERSION}

    @app.api_route("/api/sessions", methods=_READING, dependencies=[Depends(require_secret)])
    async def sessions() -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        return {
            "sessions": [
                {
                    "name": session.name,
                    "people": session.people,
                    "connected": session.connected,
                    "spectators": session.spectators,
                    "max_people": settings.people_per_session,
                    "rate_hz": settings.rate_hz,
                    "tick": session.tick_number,
                }
                for session in registry.sessions()
            ]
        }


def _add_metrics(app: FastAPI, registry: Registry, gateway: Gateway, avatars: Store | None) -> None:
    collectors = CollectorRegistry()
    collectors.register(ServerMetrics(registry, gateway, avatars))
    ProcessCollector(registry=collectors)

    @app.api_route("/metrics", methods=_READING)
    async def metrics() -> Response:  # pyright: ignore[reportUnusedFunction]
        return Response(generate_latest(collectors), media_type=CONTENT_TYPE_LATEST)
