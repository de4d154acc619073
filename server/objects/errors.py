"""Owns what is said of files of objects that cannot be used."""


class MeshFileError(Exception):
    """A mesh file that cannot be read: its name, what is wrong, and what to do.

    It stays one line of printable characters, whatever a file or its name brings in.
    """

    def __init__(self, text: str) -> None:
        super().__init__("".join(each if each.isprintable() else "?" for each in text))
