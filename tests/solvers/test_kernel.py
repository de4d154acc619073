"""The house decorator: machine code is remembered, and forgotten when any source changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from armspan.solvers import kernel as module
from armspan.solvers.kernel import kernel

from tests.solvers.drawing import COMPILED

compiled_only = pytest.mark.skipif(not COMPILED, reason="there is no machine code to remember")

PROGRAM = """
import sys, numba
from pack.top import answer
print(answer(1.0))
if hasattr(answer, "stats"):
    print(len(answer.stats.cache_hits), answer.stats.cache_path)
"""


def write_package(folder: Path, constant: float) -> None:
    package = folder / "pack"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "constants.py").write_text(
        "from armspan.solvers.kernel import kernel\n\n"
        f"@kernel\ndef shift(x):\n    return x + {constant}\n"
    )
    (package / "top.py").write_text(
        "from armspan.solvers.kernel import kernel\n"
        "from pack.constants import shift\n\n"
        "@kernel\ndef answer(x):\n    return 10.0 * shift(x)\n"
    )


def run(folder: Path, **environment: str) -> list[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_CACHE"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(folder), "HOME": str(folder / "home"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@compiled_only
def test_an_edit_in_another_file_of_the_package_is_seen(tmp_path: Path):
    """numba's own cache would go on answering 20: `top.py` itself did not change."""
    write_package(tmp_path, 1.0)
    value, hits, path = run(tmp_path)
    assert (value, hits) == ("20.0", "0")
    assert Path(path).parent == tmp_path / "pack" / "__pycache__"
    assert run(tmp_path)[:2] == ["20.0", "1"]
    write_package(tmp_path, 2.0)
    assert run(tmp_path)[:2] == ["30.0", "0"]


def test_what_kernels_take_from_other_packages_counts_and_nothing_else():
    layers = Path(module.__file__).parents[1]
    behind = module._sources(layers / "server/wire")
    assert {layers / "protocol/caps.py", layers / "solvers/kernel.py"} <= behind
    assert not [path for path in behind if path.parent.name in ("gateway", "tubes")]


@compiled_only
def test_a_package_that_cannot_be_written_uses_the_users_cache(tmp_path: Path):
    write_package(tmp_path, 1.0)
    (tmp_path / "pack" / "__pycache__").write_text("not a folder")
    first = run(tmp_path)
    assert first[:2] == ["20.0", "0"]
    assert str(tmp_path / "home") in first[2]
    assert run(tmp_path)[:2] == ["20.0", "1"]


@compiled_only
def test_where_nothing_can_be_written_kernels_work_all_the_same(tmp_path: Path):
    write_package(tmp_path, 1.0)
    (tmp_path / "pack" / "__pycache__").write_text("not a folder")
    (tmp_path / "home").write_text("not a folder")
    assert run(tmp_path)[0] == "20.0"


@compiled_only
def test_a_folder_warmed_beforehand_is_read_where_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    package = tmp_path / "pack"
    write_package(tmp_path, 1.0)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(module, "_is_writable", lambda _folder: False)
    find = module._cache_folder.__wrapped__
    assert find(package) is None
    warmed = package / "__pycache__" / f"kernels-{module._fingerprint(package)}"
    warmed.mkdir(parents=True)
    (warmed / "top.answer-4.py311.nbi").write_bytes(b"")
    assert find(package) == warmed


@compiled_only
def test_the_cache_goes_where_numba_is_told_to_put_it(tmp_path: Path):
    write_package(tmp_path, 1.0)
    told = run(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "elsewhere"))
    assert str(tmp_path / "elsewhere") in told[2]


@compiled_only
def test_switches_that_change_the_machine_code_have_caches_of_their_own(tmp_path: Path):
    write_package(tmp_path, 1.0)
    run(tmp_path)
    assert run(tmp_path, NUMBA_BOUNDSCHECK="1")[1] == "0"


def test_without_the_compiler_functions_stay_functions(tmp_path: Path):
    write_package(tmp_path, 1.0)
    assert run(tmp_path, NUMBA_DISABLE_JIT="1") == ["20.0"]


@compiled_only
def test_old_machine_code_is_forgotten(tmp_path: Path):
    for age in range(20):
        old = tmp_path / f"kernels-{age:02}"
        old.mkdir()
        os.utime(old, (age, age))
    module._forget_old(tmp_path / "kernels-19")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [f"kernels-{age:02}" for age in range(12, 20)]


def test_a_kernel_divides_as_floats_do_and_keeps_nan_apart():
    @kernel
    def is_nan(x: float) -> bool:
        return x != x

    assert is_nan(float("nan"))
    assert not is_nan(1.0)
