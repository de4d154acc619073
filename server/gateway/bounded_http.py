"""Owns how much of the loop one HTTP request may take to be read, however its bytes are cut.

What was read at once is parsed at once, and the tick waits meanwhile: a head of many thousand
lines or a body in chunks of one byte would hold up everyone's bodies for a quarter of a second.
"""

import re
from http import HTTPStatus

import h11

HEAD_BYTES = 16_384
"""The most that a request's line and headers may have together."""
CHUNKS_FREE = 256
CHUNK_BYTES = 512
"""What the further chunks of a body have to hold on average."""
_END_OF_HEAD = re.compile(rb"\n\r?\n")

Event = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]


class BoundedConnection(h11.Connection):
    """h11's parser, which refuses what would keep it busy."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        self._chunks = 0
        self._body_bytes = 0

    def next_event(self) -> Event:
        """The next event of h11's. Raises h11.RemoteProtocolError."""
        if self.their_state is h11.IDLE:
            self._require_short_head()
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._body_bytes = 0
        elif isinstance(event, h11.Data):
            self._count(event)
        return event

    def _require_short_head(self) -> None:
        waiting, _ = self.trailing_data
        if len(waiting) > HEAD_BYTES and not _END_OF_HEAD.search(waiting, 0, HEAD_BYTES):
            raise h11.RemoteProtocolError(
                "The head of a request is too long",
                error_status_hint=HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            )

    def _count(self, data: h11.Data) -> None:
        self._chunks += data.chunk_start
        self._body_bytes += len(data.data)
        if self._chunks > CHUNKS_FREE + self._body_bytes // CHUNK_BYTES:
            raise h11.RemoteProtocolError("The chunks of a body are too small")
