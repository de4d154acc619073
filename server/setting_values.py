"""Owns what settings of one kind have in common: lists, and secrets."""

import json
from typing import Annotated, cast

from pydantic import BeforeValidator, SecretStr
from pydantic_settings import NoDecode

MIN_SECRET_CHARACTERS = 16


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


Texts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_list_in_json)]
"""Several texts; in the environment a list in JSON."""


def long_enough(secret: SecretStr | None) -> SecretStr | None:
    """The secret, if nobody can guess it."""
    if secret is not None and len(secret.get_secret_value().strip()) < MIN_SECRET_CHARACTERS:
        raise ValueError(f"must have at least {MIN_SECRET_CHARACTERS} characters")
    return secret
