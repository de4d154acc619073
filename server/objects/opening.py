"""Owns opening what may be a pipe: never waiting for somebody who reads it."""

import os


def open_at_once(path: str, flags: int) -> int:
    """Open like ``os.open``; a pipe that nobody reads raises OSError instead of waiting."""
    file = os.open(path, flags | os.O_NONBLOCK, 0o666)
    os.set_blocking(file, True)
    return file
