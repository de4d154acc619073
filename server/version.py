"""Owns the version that the server tells of itself."""

from importlib.metadata import version

VERSION = version("armspan")
