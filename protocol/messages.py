"""Owns the lists of all control messages: what each side may send."""

from armspan.protocol.client_messages import (
    ChangeLengths,
    ChangeLook,
    ChangeVoice,
    ClockPing,
    Hello,
    Leave,
    Rename,
    Signal,
)
from armspan.protocol.declaration import Message
from armspan.protocol.events import (
    Joined,
    Left,
    LengthsChanged,
    LookChanged,
    Presence,
    Renamed,
    VoiceChanged,
)
from armspan.protocol.server_messages import (
    ClockPong,
    Error,
    Refused,
    Signalled,
    Statistics,
    VoiceServers,
    Welcome,
)

ClientMessage = (
    Hello | Rename | ChangeLengths | ClockPing | Leave | ChangeLook | ChangeVoice | Signal
)
SessionEvent = Joined | Left | Presence | Renamed | LengthsChanged | LookChanged | VoiceChanged
ServerMessage = (
    Welcome | SessionEvent | ClockPong | Statistics | Error | Signalled | VoiceServers | Refused
)

CLIENT_MESSAGES: tuple[type[Message], ...] = (
    Hello,
    Rename,
    ChangeLengths,
    ClockPing,
    Leave,
    ChangeLook,
    ChangeVoice,
    Signal,
)
SERVER_MESSAGES: tuple[type[Message], ...] = (
    Welcome,
    Joined,
    Left,
    Presence,
    Renamed,
    LengthsChanged,
    LookChanged,
    VoiceChanged,
    ClockPong,
    Statistics,
    Error,
    Signalled,
    VoiceServers,
    Refused,
)
