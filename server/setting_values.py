"""Owns what settings of one kind have in common: lists, files, origins, and secrets."""

import json
import re
from pathlib import Path
from typing import Annotated, cast
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

MIN_SECRET_CHARACTERS = 16
_ORIGIN = re.compile(r"(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?/?", re.I)
_USUAL_PORTS = {"http": ":80", "https": ":443"}


def _list_in_json(given: object) -> object:
    """What the environment holds as text; other sources have lists already."""
    if not isinstance(given, str):
        return given
    try:
        read = json.loads(given)
    except (json.JSONDecodeError, RecursionError):
        read = None
    if not isinstance(read, list):
        raise ValueError('must be a list in JSON, like ["https://intranet.example"]')
    return cast(list[object], read)


Texts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_list_in_json)]
"""Several texts; in the environment a list in JSON."""


def _named(given: object) -> object:
    """An empty text would stand for the working folder, and keys and avatars be written there."""
    if given == "":
        raise ValueError("must name a file or folder, or be left out")
    return given


File = Annotated[Path, BeforeValidator(_named)]
"""A file or folder."""


def _plain_origin(origin: str) -> str:
    """As browsers write it: without the port that its scheme has anyway."""
    parts = _ORIGIN.fullmatch(origin)
    if parts is None:
        raise ValueError("must look like https://host or https://host:port")
    _ = urlsplit(origin).port  # raises ValueError if there can be none of that number
    usual = parts[3] == _USUAL_PORTS[parts[1].lower()]
    return f"{parts[1]}://{parts[2]}" if usual else origin


Origin = Annotated[str, AfterValidator(_plain_origin)]
"""Scheme, host and perhaps port of an address: https://avatars.example"""


Origins = Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_list_in_json)]
"""Several origins; in the environment a list in JSON."""


def long_enough(secret: SecretStr | None) -> SecretStr | None:
    """The secret, if nobody can guess it."""
    if secret is not None and len(secret.get_secret_value().strip()) < MIN_SECRET_CHARACTERS:
        raise ValueError(f"must have at least {MIN_SECRET_CHARACTERS} characters")
    return secret
