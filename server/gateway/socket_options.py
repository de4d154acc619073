"""Owns how much the kernel may hold for a peer."""

import socket

_NOTSENT_LOWAT: int | None = getattr(socket, "TCP_NOTSENT_LOWAT", None)


def bound_buffers(tcp: socket.socket, unsent_bytes: int, send_buffer_bytes: int) -> None:
    """Keep stale snapshots out of the kernel: bound what is unsent, and what is under way.

    Bounding what is unsent leaves the window as large as a long line needs it, so a far peer still
    gets its rate; a peer that stops reading is noticed after ``unsent_bytes`` instead of megabytes.
    """
    if tcp.family not in (socket.AF_INET, socket.AF_INET6):
        return
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)
    if _NOTSENT_LOWAT is not None:
        tcp.setsockopt(socket.IPPROTO_TCP, _NOTSENT_LOWAT, unsent_bytes)
