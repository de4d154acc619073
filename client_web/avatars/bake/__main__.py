"""Owns the command that bakes: `python -m client_web.avatars.bake [FOLDER]`."""

import json
import sys
from pathlib import Path
from typing import Any

from client_web.avatars.bake.basemesh import read_base_mesh
from client_web.avatars.bake.dress import LEVELS, dressed, level
from client_web.avatars.bake.glb import write_vrm
from client_web.avatars.bake.measures import extras, meta
from client_web.avatars.bake.people import PEOPLE
from client_web.avatars.bake.source import Source, cache_folder, fetch

PUBLIC = Path(__file__).parents[2] / "public" / "avatars"


def main(arguments: list[str]) -> None:
    """Bake every person at every level, with the list of them, into the page's folder or another.

    Further arguments are names: then only these people are baked, without the list.
    """
    folder = Path(arguments[0]) if arguments else PUBLIC
    wanted = set(arguments[1:])
    folder.mkdir(parents=True, exist_ok=True)
    source = Source(fetch(cache_folder()))
    base = read_base_mesh(source)
    listed: list[dict[str, Any]] = []
    for person in PEOPLE:
        if wanted and person.name not in wanted:
            continue
        body, parts = dressed(source, base, person)
        files: list[str] = []
        triangles: list[int] = []
        for number in range(LEVELS):
            mesh = level(body, parts, number)
            file = f"{person.name}.{number}.vrm"
            written = write_vrm(mesh, body.skeleton, meta(person), extras(body))
            (folder / file).write_bytes(written)
            files.append(file)
            triangles.append(len(mesh.triangles))
            sys.stdout.write(f"{file}: {len(mesh.triangles)} triangles, {len(written)} bytes\n")
        entry = {"name": person.name, "title": person.title}
        listed.append(entry | {"files": files, "triangles": triangles} | extras(body))
    if not wanted:
        text = json.dumps({"avatars": listed}, indent=1) + "\n"
        (folder / "avatars.json").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
