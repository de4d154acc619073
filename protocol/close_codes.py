"""Owns the close codes: every way a server ends a connection, with one sentence each."""

from enum import IntEnum


class CloseCode(IntEnum):
    """WebSocket close codes. `sentence` says to a person what happened and what to do."""

    sentence: str

    def __new__(cls, value: int, sentence: str) -> "CloseCode":
        member = int.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    LEFT = 1000, "The person left the session."
    RESTARTING = 1012, "The server is shutting down or restarting; connect again in a moment."
    MALFORMED = 4400, "A message could not be read: its bytes break the protocol."
    WRONG_KEY = 4401, "The session's key is missing or wrong; open the session's whole link."
    WRONG_VERSION = 4402, "Client and server speak different protocol versions; update the older."
    NOT_ALLOWED = 4403, "This role may not send that message; join as a participant to send it."
    BAD_SESSION = 4404, "There can be no session of that name; check the link."
    HANDSHAKE_TIMEOUT = 4408, "No hello arrived in time; send hello as soon as the socket opens."
    SECOND_HELLO = 4409, "Hello was sent twice; it opens a connection once."
    REPLACED = 4410, "The same person connected again; the newer connection goes on."
    TOO_LARGE = 4413, "A message was larger than the protocol allows."
    UNKNOWN_MESSAGE = 4415, "A message has an id that a peer in this direction never sends."
    OUT_OF_RANGE = 4416, "A tracked pose lies outside the space or its rotation is no rotation."
    NOT_FINITE = 4422, "A number was infinite or not a number."
    FLOOD = 4429, "Messages came faster than allowed; send at the session's tick rate."
    TOO_SLOW = 4430, "Events piled up because this peer did not read them; connect again."
    SILENT = 4431, "Nothing was heard from this peer for too long; connect again."
    SESSION_FULL = 4503, "The session is full; try again later or watch as a spectator."
    SERVER_FULL = 4504, "The server holds as many sessions as it may; try again later."
