"""Sessions: people, their bodies, ordered events and the tick. No sockets, no clock."""

from armspan.server.sessions.keys import opens, session_key
from armspan.server.sessions.limits import Limits
from armspan.server.sessions.receiver import FRAME_HEADROOM_BYTES, Receiver
from armspan.server.sessions.registry import Registry
from armspan.server.sessions.schedule import Due, TickSchedule
from armspan.server.sessions.seat import Seat
from armspan.server.sessions.session import Session
from armspan.server.sessions.voice_servers import VoiceHelp

__all__ = [
    "FRAME_HEADROOM_BYTES",
    "Due",
    "Limits",
    "Receiver",
    "Registry",
    "Seat",
    "Session",
    "TickSchedule",
    "VoiceHelp",
    "opens",
    "session_key",
]
