"""Owns what people are told of STUN and TURN, with credentials that expire.

The credentials follow coturn's TURN REST scheme (``use-auth-secret``): the username is the time of
expiry and an id, the password an HMAC of it under a secret that only both servers have.
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from armspan.protocol import IceServer, VoiceServers


@dataclass(frozen=True, slots=True)
class VoiceHelp:
    """The STUN and TURN servers of one Armspan server."""

    stun_urls: tuple[str, ...] = ()
    turn_urls: tuple[str, ...] = ()
    turn_secret: str = field(default="", repr=False)
    turn_ttl_s: int = 3600
    now_s: Callable[[], float] = time.time
    """Unix time: coturn compares it with its own."""

    def for_person(self, person_id: int) -> VoiceServers:
        """What to tell this person now."""
        servers: list[IceServer] = []
        if self.stun_urls:
            servers.append(IceServer(urls=self.stun_urls))
        if not self.turn_urls:
            return VoiceServers(servers=tuple(servers), expires_s=0)
        username = f"{int(self.now_s()) + self.turn_ttl_s}:{person_id}"
        servers.append(
            IceServer(
                urls=self.turn_urls,
                username=username,
                credential=turn_credential(self.turn_secret, username),
            )
        )
        return VoiceServers(servers=tuple(servers), expires_s=self.turn_ttl_s)


def turn_credential(secret: str, username: str) -> str:
    """The password of a username (coturn, "TURN REST API"; HMAC-SHA1 is what it defines)."""
    digest = hmac.digest(secret.encode(), username.encode(), hashlib.sha1)
    return base64.b64encode(digest).decode("ascii")
