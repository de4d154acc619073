"""HTTPS: certificates made or brought, and the door that speaks TLS."""

from armspan.server.tls.door import Door
from armspan.server.tls.identity import Identity

__all__ = ["Door", "Identity"]
