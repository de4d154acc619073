"""Armspan against other inverse kinematics: solve rate inside the limits, and time.

``python -m tests.bench peers [--poses N] [--seeds S…] [--json FILE] [--plot FILE.png]``. Peers are
no dependency: what is not installed is named and left out (optik-py, pytracik; pin with
cmeel-eigen and a C++ compiler).
"""

from tests.bench.peers.report import lines, shortcomings
from tests.bench.peers.run import run

__all__ = ["lines", "run", "shortcomings"]
