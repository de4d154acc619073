"""Owns the server's settings: flags over environment over file over defaults, checked once."""

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from armspan.protocol import caps
from armspan.server.setting_values import File, Origin, Origins, Texts, long_enough
from armspan.server.voice_settings import VoiceSettings
from armspan.solvers import Method
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

ENV_PREFIX = "ARMSPAN_"
_SECRETS = ("secret", "turn_secret")
_KERNELS_MOST = 1 << 30


def _method_by_name(given: object) -> object:
    if isinstance(given, str):
        names = [method.name.lower() for method in Method]
        if given not in names:
            raise ValueError(f"must be {' or '.join(names)}")
        return Method[given.upper()]
    return given


class SettingsError(Exception):
    """A setting that cannot be used: its name and value, the rule it broke, what to do."""


class Settings(VoiceSettings, BaseSettings):
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
    public_url: Origin | None = None
    """What links begin with, where a proxy stands in front: https://avatars.example"""
    behind_proxy: bool = False
    """Believe X-Forwarded-Proto and X-Forwarded-Host, which only a proxy in front may set."""

    https: bool = False
    """Speak TLS, with an authority of the server's own unless a certificate is named."""
    cert_file: File | None = None
    """A certificate of one's own in PEM, those of its authorities behind it; speaks TLS."""
    key_file: File | None = None
    tls_folder: File | None = None
    """Where the server's own authority is kept; in the user's state folder unless named."""
    https_names: Texts = ()
    """Further names and addresses that the server's own certificate is for."""

    secret: Annotated[SecretStr | None, AfterValidator(long_enough)] = None
    secret_file: File | None = None
    require_key: bool = False
    """Ask for keys on loopback too; on any other address they are always asked for."""
    allowed_origins: Origins = ()
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

    changes_per_s: Annotated[float, Field(ge=0.001, le=10_000)] = caps.CHANGES_PER_S
    changes_burst: Annotated[float, Field(ge=1, le=100_000)] = caps.CHANGES_BURST

    unsent_bytes: Annotated[int, Field(ge=4096, le=_KERNELS_MOST)] = 16_384
    """What the kernel may hold for a peer and not have sent yet (TCP_NOTSENT_LOWAT)."""
    send_buffer_bytes: Annotated[int, Field(ge=16_384, le=_KERNELS_MOST)] = 262_144
    """The kernel's whole send buffer for a peer: bounds what can be under way to it."""
    backlog_bytes: Annotated[int, Field(ge=4096)] = 524_288
    """Events for a peer that reads nothing pile up to this much; then it is closed."""

    avatar_folder: File | None = None
    """Where avatars that people bring are stored; a temporary folder unless named."""
    keep_avatars: bool = False
    """Keep them in that folder when their session ends, instead of removing them."""
    avatar_bytes: Annotated[int, Field(ge=1_000, le=20_000_000)] = 20_000_000
    avatars_per_person: Annotated[int, Field(ge=0, le=1_000)] = 8
    """With 0 nobody can bring an avatar."""
    avatars_per_session: Annotated[int, Field(ge=1, le=10_000)] = 64
    avatars_per_session_bytes: Annotated[int, Field(ge=1_000)] = 400_000_000
    avatars_bytes: Annotated[int, Field(ge=1_000)] = 2_000_000_000
    """Of all sessions together."""
    avatar_uploads_per_minute: Annotated[float, Field(ge=0.001, le=10_000)] = 6
    """Of a person; a session has five times as many, the server twenty times."""
    avatar_uploads_at_once: Annotated[int, Field(ge=1, le=64)] = 4
    avatar_upload_s: Annotated[float, Field(gt=0, le=3600)] = 60
    """How long the bytes of one upload may take."""

    @field_validator("https_names")
    @classmethod
    def _are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not _HOST.fullmatch(name):
                raise ValueError("must be a list of names and addresses without port or scheme")
        return value

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        """Whole sentences: what is wrong here is no single setting's value."""
        if (self.cert_file is None) != (self.key_file is None):
            there, missing = ("cert", "key") if self.key_file is None else ("key", "cert")
            raise ValueError(
                f"Setting {there}_file is given and {missing}_file is not, but a certificate works "
                f"with its key only; name both with --cert and --key."
            )
        if self.behind_proxy and self.encrypted:
            raise ValueError(
                "Settings behind_proxy and https (or cert_file) exclude each other: the proxy ends "
                "TLS and speaks plain HTTP to this server; leave one of them out."
            )
        if self.behind_proxy and self.public_url is None:
            raise ValueError(
                "Setting behind_proxy needs public_url, the address that people open at the proxy; "
                "give it with --public-url https://avatars.example."
            )
        if self.keep_avatars and self.avatar_folder is None:
            raise ValueError(
                "Setting keep_avatars needs avatar_folder, because what is kept must have a place; "
                "name a folder, or leave keep_avatars out."
            )
        return self

    @property
    def encrypted(self) -> bool:
        """Whether this server speaks TLS itself."""
        return self.https or self.cert_file is not None

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def keys_required(self) -> bool:
        """Whether every session needs its key."""
        return self.require_key or not self.on_loopback or self.behind_proxy

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


_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|\[?[0-9A-Fa-f:.]{2,45}\]?")


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
    if not first["loc"]:
        return first["msg"].removeprefix("Value error, ")
    name = str(first["loc"][0])
    rule = first["msg"].removeprefix("Value error, ").rstrip(".")
    more = f" ({broken.error_count() - 1} more)" if broken.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        known = ", ".join(sorted(Settings.model_fields))
        return f"There is no setting {name}; there are {known}.{more}"
    shown = "the value given" if name in _SECRETS else repr(first["input"])[:60]
    flag = "the flag, " if name in flags else ""
    return (
        f"Setting {name} cannot be {shown}: {rule[0].lower()}{rule[1:]}. "
        f"Change {flag}{ENV_PREFIX}{name.upper()} or {name} in the settings file.{more}"
    )
