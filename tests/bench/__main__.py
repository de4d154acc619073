# ruff: noqa: T201 - a program for people, who read what it prints
"""``make bench``: the measurements behind docs/performance.md.

``python -m tests.bench [NAME]... [--json FILE]`` runs all, or those that are named; it ends with
status 1 if a figure falls short of what is promised.
"""

import argparse
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.bench import fanout, grasp, large_session, peers, plumb, session, solid

PROGRAMS: dict[str, ModuleType] = {
    "session": session,
    "fanout": fanout,
    "large_session": large_session,
    "peers": peers,
    "plumb": plumb,
    "grasp": grasp,
    "solid": solid,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*PROGRAMS, []], help="default: all")
    parser.add_argument("--json", metavar="FILE", help="write the figures; - for standard output")
    compared = parser.add_argument_group("peers")
    compared.add_argument("--poses", type=int, default=1000, help="for each seed and set")
    compared.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    compared.add_argument("--plot", metavar="FILE.png", help="solve rate against time")
    chosen = parser.parse_args()
    settings = {"peers": {"poses": chosen.poses, "seeds": chosen.seeds, "plot": chosen.plot}}
    told: dict[str, Any] = {}
    short: list[str] = []
    for name in chosen.names or PROGRAMS:
        program = PROGRAMS[name]
        told[name] = program.run(**settings.get(name, {}))
        found = program.shortcomings(told[name])
        short += [f"{name}: {what}" for what in found]
        if chosen.json != "-":
            print("\n".join([name, *(f"  {line}" for line in program.lines(told[name])), ""]))
    if chosen.json == "-":
        print(json.dumps(told, indent=2))
    elif chosen.json:
        Path(chosen.json).write_text(json.dumps(told, indent=2) + "\n")
    for what in short:
        print(f"short of what is promised: {what}", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":  # processes that are spawned import this file, too
    sys.exit(main())
