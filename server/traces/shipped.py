"""Owns the list of recordings that come with Armspan (their credits: recordings/CREDITS.md)."""

from pathlib import Path

FOLDER = Path(__file__).parent / "recordings"


def shipped_recordings() -> list[Path]:
    """The files, in a fixed order; people who acted together are neighbours."""
    return sorted(FOLDER.glob("*.npz"))
