"""Owns what can go wrong with a session, as exceptions whose message can be shown to a person."""

from armspan.protocol import CloseCode, printable

# Closed for a passing reason: a new connection with the same token may go better.
_PASSING = frozenset(
    {CloseCode.HANDSHAKE_TIMEOUT, CloseCode.TOO_SLOW, CloseCode.SILENT, CloseCode.RESTARTING}
)


class ClientError(Exception):
    """Anything that ends or prevents a session."""


class BadAddress(ClientError):  # noqa: N818 - it is the address that is bad
    """The URL or the session's name cannot lead to a session."""


class BadKeyFile(ClientError):  # noqa: N818
    """The file that should hold the session's key does not."""


class Untrusted(ClientError):  # noqa: N818
    """The server's certificate cannot be verified."""


class Disconnected(ClientError):  # noqa: N818
    """The connection was lost, refused or ended for a passing reason; trying again may help."""


class Refused(ClientError):  # noqa: N818
    """The server ended the session for good; the message is its sentence."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class OldServer(ClientError):  # noqa: N818
    """The server does not know a message yet that this client wants to send."""


class BrokenServer(ClientError):  # noqa: N818
    """The server sent something that breaks the protocol."""


def closed(code: int | None, sentence: str) -> ClientError:
    """The exception for a connection that was closed with ``code`` (None: it just broke).

    ``sentence`` may come from anyone: what could command a terminal is taken out.
    """
    sentence = printable(sentence).strip()
    if code is None or code in _PASSING or not 4000 <= code < 5000:
        return Disconnected(sentence or "The connection to the server was lost.")
    if not sentence:
        known = code in {int(c) for c in CloseCode}
        sentence = CloseCode(code).sentence if known else f"The server closed with code {code}."
    return Refused(code, sentence)
