"""Owns the server's settings: flags over environment over file over defaults, checked once."""

import ipaddress
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast
from urllib.parse import urlsplit

from armspan.protocol import caps
from armspan.solvers import Method
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

ENV_PREFIX = "ARMSPAN_"


def _method_by_name(given: object) -> object:
    if isinstance(given, str):
        names = [method.name.lower() for method in Method]
        if given not in names:
            raise ValueError(f"must be {' or '.join(names)}")
        return Method[given.upper()]
    return given


def _list_in_json(given: object) -> object:
    """What the environment holds as text; other sources have lists already."""
    if not isinstance(given, str):
        return given
    try:
        read = json.loads(given)
    except json.JSONDecodeError:
        read = None
    if not isinstance(read, list):
        raise ValueError('must be a list in JSON, like ["https://intranet.example"]')
    return cast(list[object], read)


class SettingsError(Exception):
    """A setting that cannot be used: its name and value, the rule it broke, what to do."""


class Settings(BaseSettings):
    """Everything an operator may choose. Names carry their unit."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        toml_file=None,
    )

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    rate_hz: Annotated[float, Field(ge=1, le=240)] = 60.0
    method: Annotated[Method, BeforeValidator(_method_by_name)] = Method.ROBUST
    public_url: str | None = None
    """What links begin with, where a proxy stands in front: https://avatars.example"""

    secret: SecretStr | None = None
    secret_file: Path | None = None
    require_key: bool = False
    """Ask for keys on loopback too; on any other address they are always asked for."""
    allowed_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_list_in_json)] = ()
    """Origins of other pages that may open sessions: https://intranet.example"""

    people_per_session: Annotated[int, Field(ge=1, le=caps.PEOPLE_PER_SESSION)] = 64
    spectators_per_session: Annotated[int, Field(ge=0, le=caps.SPECTATORS_PER_SESSION)] = 64
    sessions: Annotated[int, Field(ge=1, le=10_000)] = 64
    pending_sockets: Annotated[int, Field(ge=1, le=100_000)] = 512
    """Sockets that are open and have not said hello yet."""

    grace_s: Annotated[float, Field(ge=0, le=3600)] = caps.GRACE_S
    handshake_s: Annotated[float, Field(gt=0, le=60)] = caps.HANDSHAKE_S
    silence_s: Annotated[float, Field(gt=0, le=3600)] = caps.SILENCE_S
    """A peer that is silent half as long is pinged; one silent this long is closed."""
    messages_per_s: Annotated[float, Field(ge=1, le=10_000)] = caps.MESSAGES_PER_S
    messages_burst: Annotated[float, Field(ge=1, le=100_000)] = caps.MESSAGES_BURST

    changes_per_s: Annotated[float, Field(gt=0, le=10_000)] = caps.CHANGES_PER_S
    changes_burst: Annotated[float, Field(ge=1, le=100_000)] = caps.CHANGES_BURST

    unsent_bytes: Annotated[int, Field(ge=4096)] = 16_384
    """What the kernel may hold for a peer and not have sent yet (TCP_NOTSENT_LOWAT)."""
    send_buffer_bytes: Annotated[int, Field(ge=16_384)] = 262_144
    """The kernel's whole send buffer for a peer: bounds what can be under way to it."""
    backlog_bytes: Annotated[int, Field(ge=4096)] = 524_288
    """Events for a peer that reads nothing pile up to this much; then it is closed."""

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is not None and len(secret.get_secret_value().strip()) < MIN_SECRET_CHARACTERS:
            raise ValueError(f"must have at least {MIN_SECRET_CHARACTERS} characters")
        return secret

    @field_validator("allowed_origins", "public_url")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...] | str | None) -> tuple[str, ...] | str | None:
        for origin in (value,) if isinstance(value, str) else value or ():
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
                raise ValueError("must look like https://host or https://host:port")
        return value

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def keys_required(self) -> bool:
        """Whether every session needs its key."""
        return self.require_key or not self.on_loopback

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then the environment, then the file; dotenv files are not read."""
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls))


MIN_SECRET_CHARACTERS = 16


def is_loopback(host: str) -> bool:
    """Whether a host names this machine and nothing else: localhost, 127.0.0.0/8 or ::1."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def load_settings(flags: Mapping[str, Any], config_file: Path | None = None) -> Settings:
    """The settings from flags (None means not given), environment, TOML file and defaults.

    Raises:
        SettingsError: a value breaks its rule, or the file cannot be read; one line.
    """

    class Layered(Settings):
        model_config = SettingsConfigDict(toml_file=config_file)

    try:
        if config_file is not None and not config_file.is_file():
            raise SettingsError(f"There is no settings file {config_file}; check --config.")
        return Layered(**{name: value for name, value in flags.items() if value is not None})
    except tomllib.TOMLDecodeError as broken:
        raise SettingsError(
            f"{config_file} is not TOML ({broken}); write lines such as rate_hz = 60."
        ) from None
    except UnicodeDecodeError:
        raise SettingsError(
            f"{config_file} is not TOML (it is not UTF-8); save it as UTF-8 text."
        ) from None
    except OSError as broken:
        raise SettingsError(
            f"{config_file} cannot be read ({broken.strerror}); check its rights."
        ) from None
    except ValidationError as broken:
        raise SettingsError(_sentence(broken, flags)) from None


def _sentence(broken: ValidationError, flags: Mapping[str, Any]) -> str:
    """One line for the first broken setting; a secret's value is never shown."""
    first = broken.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "settings"
    rule = first["msg"].removeprefix("Value error, ").rstrip(".")
    more = f" ({broken.error_count() - 1} more)" if broken.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        known = ", ".join(sorted(Settings.model_fields))
        return f"There is no setting {name}; there are {known}.{more}"
    shown = "the value given" if name == "secret" else repr(first["input"])[:60]
    flag = "the flag, " if name in flags else ""
    return (
        f"Setting {name} cannot be {shown}: {rule[0].lower()}{rule[1:]}. "
        f"Change {flag}{ENV_PREFIX}{name.upper()} or {name} in the settings file.{more}"
    )
