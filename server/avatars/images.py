"""Owns how large an image says it is, by its header alone; nothing is decoded. Pure."""

import struct

_ALONE = {0x01, *range(0xD0, 0xD9)}
_NO_FRAME = {0xC4, 0xC8, 0xCC}


def image_size(data: bytes | memoryview) -> tuple[int, int] | None:
    """Width and height of a PNG, JPEG or WebP, in pixels; None for anything else."""
    head = bytes(data[:32])
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        if len(head) < 24 or head[12:16] != b"IHDR":
            return None
        width, height = struct.unpack_from(">II", head, 16)
        return width, height
    if head.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp_size(head)
    return None


def _jpeg_size(data: bytes | memoryview) -> tuple[int, int] | None:
    """From the first frame header (ITU-T T.81, B.2.2), whatever segments come before it."""
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in _ALONE:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    """From the first chunk (RFC 9649): lossy, lossless or extended."""
    if len(head) < 30:
        return None
    kind = head[12:16]
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return (
            int.from_bytes(head[24:27], "little") + 1,
            int.from_bytes(head[27:30], "little") + 1,
        )
    return None
