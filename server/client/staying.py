"""Owns coming back: one connection after another for as long as the session can be had."""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from armspan.server.client.connection import TIMEOUT_S, Connection, Invitation, connect
from armspan.server.client.errors import Disconnected

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 10.0
STABLE_S = 10.0  # a connection that held so long says that the next one may be tried soon
_random = secrets.SystemRandom()


async def stay(
    invitation: Invitation,
    *,
    give_up_s: float = 30.0,
    on_failure: Callable[[Disconnected], None] | None = None,
) -> AsyncGenerator[Connection]:
    """Connect, and connect again after each loss, asking for the same avatar with the token.

    Before each new attempt is a pause that doubles, whether no connection came or one was lost,
    until a connection has held; its length is random, so that a crowd does not come back at once.

    Leave the loop's body (or go on to the next round) when the connection raises Disconnected::

        async for connection in stay(invitation):
            try:
                async for message in connection:
                    ...
            except Disconnected:
                continue

    ``on_failure`` is told of each attempt that failed and will be repeated.

    Raises Disconnected when ``give_up_s`` passed without any connection, and whatever else
    ``connect`` raises at once.
    """
    longest_s = min(LONGEST_PAUSE_S, give_up_s / 4)
    lost_at_s, pause_s = time.monotonic(), FIRST_PAUSE_S
    while True:
        try:
            async with connect(invitation, timeout_s=min(TIMEOUT_S, give_up_s)) as connection:
                joined_at_s = time.monotonic()
                token = connection.welcome.token
                yield connection
            invitation = replace(invitation, token=token or invitation.token)
            lost_at_s = time.monotonic()
            if lost_at_s - joined_at_s >= STABLE_S:
                pause_s = FIRST_PAUSE_S
        except Disconnected as failure:
            away_s = time.monotonic() - lost_at_s
            if away_s + pause_s > give_up_s:
                raise Disconnected(f"{failure} Gave up after {away_s:.0f} s.") from failure
            if on_failure is not None:
                on_failure(failure)
        await asyncio.sleep(pause_s * _random.uniform(0.5, 1.0))
        pause_s = min(2 * pause_s, longest_s)
