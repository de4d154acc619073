"""Owns the protocol's one exception and the texts that go into close frames."""

from armspan.protocol import caps
from armspan.protocol.close_codes import CloseCode


class ProtocolError(Exception):
    """Bytes that break the protocol: the close code they earn, and a sentence for their sender.

    `text` gives the value, the rule it broke and the next step, in at most
    `caps.ERROR_TEXT_BYTES` UTF-8 bytes, printable whatever the sender wrote.
    """

    def __init__(self, close_code: CloseCode, text: str) -> None:
        self.close_code = close_code
        self.text = clip_utf8(text, caps.ERROR_TEXT_BYTES)
        super().__init__(self.text)


def clip_utf8(text: str, max_bytes: int) -> str:
    """The longest beginning of `text` that takes at most `max_bytes` UTF-8 bytes."""
    encoded = text.encode("utf-8", "replace")
    return encoded[:max_bytes].decode("utf-8", "ignore")


def close_reason(text: str) -> str:
    """`text` as it fits into a WebSocket close frame (RFC 6455 section 5.5)."""
    return clip_utf8(text, caps.CLOSE_REASON_BYTES)
