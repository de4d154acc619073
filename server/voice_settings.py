"""Owns the settings of voice: how many may talk, and the STUN and TURN servers they need."""

import re
from typing import Annotated, Self

from armspan.protocol import caps
from armspan.server.setting_values import File, Texts, long_enough
from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

_STUN_URL = re.compile(r"stuns?:[!-~]+")
_TURN_URL = re.compile(r"turns?:[!-~]+")


def _are_urls(urls: tuple[str, ...], pattern: re.Pattern[str], example: str) -> tuple[str, ...]:
    if len(urls) > caps.ICE_URLS:
        raise ValueError(f"must be at most {caps.ICE_URLS} URLs")
    for url in urls:
        if not pattern.fullmatch(url) or len(url) > caps.ICE_URL_BYTES:
            raise ValueError(f"must look like {example}")
    return urls


def _stun_urls(urls: tuple[str, ...]) -> tuple[str, ...]:
    return _are_urls(urls, _STUN_URL, "stun:voice.example:3478")


def _turn_urls(urls: tuple[str, ...]) -> tuple[str, ...]:
    return _are_urls(urls, _TURN_URL, "turn:voice.example:3478?transport=udp")


class VoiceSettings(BaseModel):
    """What an operator may choose of voice; a part of the server's settings."""

    voice_people: Annotated[int, Field(ge=0, le=caps.VOICE_PEOPLE)] = caps.VOICE_PEOPLE
    """How many of a session may talk at once; with 0 nobody can."""
    stun_urls: Annotated[Texts, AfterValidator(_stun_urls)] = ()
    """Servers that tell browsers their public address: stun:voice.example:3478"""
    turn_urls: Annotated[Texts, AfterValidator(_turn_urls)] = ()
    """Servers that relay voice between people who cannot reach each other."""
    turn_secret: Annotated[SecretStr | None, AfterValidator(long_enough)] = None
    """What the TURN server calls static-auth-secret; makes credentials that expire."""
    turn_secret_file: File | None = None
    turn_ttl_s: Annotated[int, Field(ge=60, le=604_800)] = 3600
    """How long such credentials are good for."""
    signals_per_s: Annotated[float, Field(ge=0.001, le=10_000)] = caps.SIGNALS_PER_S
    signals_burst: Annotated[float, Field(ge=1, le=100_000)] = caps.SIGNALS_BURST

    @model_validator(mode="after")
    def _turn_has_its_secret(self) -> Self:
        if self.turn_urls and self.turn_secret is None and self.turn_secret_file is None:
            raise ValueError(
                "turn_urls need the TURN server's secret: set ARMSPAN_TURN_SECRET, or "
                "turn_secret_file in the settings file."
            )
        return self
