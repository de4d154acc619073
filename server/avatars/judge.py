"""Owns the process that judges one avatar: what is in a foreign file harms this process alone.

    python -m armspan.server.avatars.judge FILE

prints one line of JSON: null if the file may be shown, else what is wrong with it.
"""

import json
import os
import resource
import sys
from pathlib import Path

from armspan.server.avatars.check import check_avatar
from armspan.server.avatars.verdict import AvatarFault

_CPU_S = 20
_MEMORY_BYTES = 2 << 30


def main() -> None:
    """Judge the file that is named."""
    os.nice(10)  # people who are in a session come first
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    verdict = None
    try:
        check_avatar(Path(sys.argv[1]).read_bytes())
    except AvatarFault as fault:
        verdict = {"fault": fault.fault, "words": fault.words}
    sys.stdout.write(json.dumps(verdict) + "\n")


if __name__ == "__main__":
    main()
