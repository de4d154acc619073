"""Owns how much of avatars a server takes, and what is said to whoever brings more."""

from dataclasses import dataclass
from http import HTTPStatus

from armspan.server.settings import Settings

_SESSION_SHARE = 5
_SERVER_SHARE = 20


@dataclass(frozen=True, slots=True)
class AvatarLimits:
    """The bounds of uploads, as the settings say."""

    file_bytes: int
    per_person: int
    per_session: int
    session_bytes: int
    server_bytes: int
    at_once: int
    upload_s: float
    person_per_minute: float

    @property
    def session_per_minute(self) -> float:
        """Uploads of a whole session."""
        return self.person_per_minute * _SESSION_SHARE

    @property
    def server_per_minute(self) -> float:
        """Uploads of everyone."""
        return self.person_per_minute * _SERVER_SHARE

    @classmethod
    def of(cls, settings: Settings) -> "AvatarLimits":
        """Those of a server."""
        return cls(
            file_bytes=settings.avatar_bytes,
            per_person=settings.avatars_per_person,
            per_session=settings.avatars_per_session,
            session_bytes=settings.avatars_per_session_bytes,
            server_bytes=settings.avatars_bytes,
            at_once=settings.avatar_uploads_at_once,
            upload_s=settings.avatar_upload_s,
            person_per_minute=settings.avatar_uploads_per_minute,
        )


class NotTaken(Exception):  # noqa: N818 - of an upload
    """An upload that is refused: the status of the answer, and a sentence for a person."""

    def __init__(self, status: HTTPStatus, words: str, retry_after_s: float | None = None) -> None:
        super().__init__(words)
        self.status = status
        self.words = words
        self.retry_after_s = retry_after_s
