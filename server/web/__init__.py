"""HTTP: pages, API, metrics and health."""

from armspan.server.web.app import create_app

__all__ = ["create_app"]
