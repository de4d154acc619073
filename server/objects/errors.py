"""Owns what is said of files of objects that cannot be used."""


class MeshFileError(Exception):
    """A mesh file that cannot be read: its name, what is wrong, and what to do, in one line."""
