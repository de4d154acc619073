"""Owns `python -m armspan.protocol.typescript [--check]`: writes or compares the TypeScript."""

import argparse
import sys
from pathlib import Path

from armspan.protocol.typescript import generate_messages, generate_tables

_CHECKOUT = Path(__file__).resolve().parents[2] / "client_web" / "src" / "protocol"


def main() -> int:
    """0: written, or up to date; 1: `--check` found a difference; 2: no such folder."""
    parser = argparse.ArgumentParser(description="Generate the web client's protocol code.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--folder", type=Path, default=_CHECKOUT, help="where the files are")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    if not folder.is_dir():
        sys.stderr.write(f"{folder} is no folder; name the client's with --folder.\n")
        return 2
    stale = False
    for name, text in (("tables.ts", generate_tables()), ("generated.ts", generate_messages())):
        path = folder / name
        if arguments.check:
            if not path.is_file() or path.read_text("utf-8") != text:
                stale = True
                sys.stderr.write(
                    f"{path} differs from the declarations in protocol/; "
                    "run python -m armspan.protocol.typescript and commit it.\n"
                )
        else:
            path.write_text(text, "utf-8")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
