"""The layers, and who may import whom: a change that turns an arrow around fails here."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STDLIB = sys.stdlib_module_names

# What each layer may import, beyond the standard library and itself.
ALLOWED: dict[str, set[str]] = {
    "protocol": {"lxml", "msgpack", "pydantic", "pydantic_core", "numpy"},
    "solvers": {"numpy", "numba", "scipy"},
    "server": {
        "armspan.protocol",
        "armspan.solvers",
        "click",
        "cryptography",
        "fastapi",
        "h11",
        "matplotlib",
        "msgpack",
        "numba",
        "numpy",
        "picows",
        "prometheus_client",
        "pydantic",
        "pydantic_settings",
        "scipy",
        "segno",
        "starlette",
        "trimesh",
        "uvicorn",
        "uvloop",
        "websockets",
    },
}
IO_MODULES = {"asyncio", "socket", "threading", "subprocess", "time"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield node.module or ""


def layer_of(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "armspan" else parts[0]


@pytest.mark.parametrize("layer", sorted(ALLOWED))
def test_each_layer_imports_downwards_only(layer: str):
    files = sorted((ROOT / layer).rglob("*.py"))
    assert files
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imported(path)
        if layer_of(name) not in ALLOWED[layer] | STDLIB | {f"armspan.{layer}"}
    ]
    assert not wrong


@pytest.mark.parametrize("layer", ["protocol", "solvers"])
def test_the_pure_layers_have_no_clock_and_no_socket(layer: str):
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / layer).rglob("*.py"))
        for name in imported(path)
        if name.split(".")[0] in IO_MODULES
    ]
    assert not wrong


def test_every_folder_of_python_is_a_package_of_the_wheel():
    """A folder without ``__init__.py`` is silently left out of the wheel."""
    folders = {path.parent for layer in ALLOWED for path in (ROOT / layer).rglob("*.py")}
    missing = [str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").exists()]
    assert not missing
