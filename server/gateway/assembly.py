"""Owns what WebSocket frames mean: fragments put together up to the cap, codes of closes. Pure."""

from enum import IntEnum

from armspan.protocol import CloseCode, ProtocolError, caps

NO_STATUS = 1005
"""RFC 6455 section 7.1.5: of a close frame without a code."""
_MAY_BE_SENT = (range(1000, 1004), range(1007, 1015), range(3000, 5000))  # section 7.4


class Opcode(IntEnum):
    """What a frame is (RFC 6455 section 5.2)."""

    CONTINUATION = 0x0
    TEXT = 0x1
    BINARY = 0x2
    CLOSE = 0x8
    PING = 0x9
    PONG = 0xA


class Assembly:
    """The message that one peer is in the middle of, if any."""

    __slots__ = ("_fragments",)

    def __init__(self) -> None:
        self._fragments: bytearray | None = None

    def add(self, opcode: int, last: bool, payload: memoryview) -> bytes | memoryview | None:
        """A data frame; returns the message that it completes, or None.

        Raises:
            ProtocolError: text, a fragment out of turn, or more bytes than a message may have.
        """
        if opcode == Opcode.BINARY:
            if self._fragments is not None:
                raise ProtocolError(
                    CloseCode.MALFORMED,
                    "A new message began inside a fragmented one; finish that one first.",
                )
            if last:
                return payload
            self._fragments = bytearray()
        elif opcode == Opcode.TEXT:
            raise ProtocolError(
                CloseCode.MALFORMED, "A text message came; every message here is binary."
            )
        elif self._fragments is None:
            raise ProtocolError(
                CloseCode.MALFORMED, "A continuation came without a message to continue."
            )
        return self._continue(self._fragments, last, payload)

    def _continue(self, fragments: bytearray, last: bool, payload: memoryview) -> bytes | None:
        size_bytes = len(fragments) + len(payload)
        if size_bytes > caps.CLIENT_MESSAGE_BYTES:
            raise too_large(size_bytes)
        fragments += payload
        if not last:
            return None
        self._fragments = None
        return bytes(fragments)


def too_large(size_bytes: int | None = None) -> ProtocolError:
    """What a message beyond the cap earns."""
    much = "more bytes than that" if size_bytes is None else f"{size_bytes} bytes"
    return ProtocolError(
        CloseCode.TOO_LARGE,
        f"A message may have {caps.CLIENT_MESSAGE_BYTES} bytes; one came with {much}.",
    )


def close_code(payload: memoryview) -> int:
    """The code of a close frame.

    Raises:
        ProtocolError: it is one that no close frame may carry.
    """
    if not len(payload):
        return NO_STATUS
    code = int.from_bytes(payload[:2], "big")
    if len(payload) < 2 or not any(code in codes for codes in _MAY_BE_SENT):
        raise ProtocolError(CloseCode.MALFORMED, "A close frame has a code that none may carry.")
    return code
