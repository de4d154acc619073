"""The parser's process: ``python -m armspan.server.objects.mesh_parser FILE MEMORY_BYTES``.

Standard output gets one line of JSON and then the numbers themselves. Memory is bounded here, time
by whoever calls.
"""

import contextlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import BinaryIO

from armspan.server.objects.errors import MeshFileError


def main() -> None:
    """Parse the file named on the command line."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints may get among the numbers
    path = Path(sys.argv[1])
    _bound_memory(int(sys.argv[2]))
    try:
        from armspan.server.objects.mesh_parsing import parse_mesh

        logging.disable(logging.CRITICAL)
        triangles = parse_mesh(path)
    except MeshFileError as refused:
        _say(output, {"error": str(refused)})
        return
    vertices, faces = triangles.vertices, triangles.faces
    _say(
        output,
        {"vertices": len(vertices), "faces": len(faces), "sentences": triangles.sentences},
    )
    output.write(vertices.astype("<f8").tobytes())
    output.write(faces.astype("<i4").tobytes())
    output.flush()


def _bound_memory(most_bytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):  # someone has bounded it already
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


def _say(output: BinaryIO, what: object) -> None:
    output.write(json.dumps(what).encode() + b"\n")
    output.flush()


if __name__ == "__main__":
    main()
