"""Owns ``@kernel``, the only way a function of this project is compiled.

Compilation is lazy and cached on disk. numba's own cache looks at the file that holds a function
and not at the files it calls into or takes constants from, so an edit in ``quaternion.py`` would
leave a stale ``forward.py`` behind. Here every package's cache lives in a folder named after a
hash of all sources that may end up in its machine code: its own and those it imports.

No ``fastmath`` (it makes ``isnan(nan)`` false) and no ``parallel=True`` (two threads that enter
one parallel kernel abort the process). Division follows IEEE rules, so a kernel never raises.
"""

import ast
import functools
import hashlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching, config

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OURS = "armspan."
_KEPT = 8  # folders of machine code a package keeps: of other versions, and of other switches


def kernel(function: _Function) -> _Function:
    """Compile ``function`` on its first call, without the GIL, and remember the machine code.

    With ``NUMBA_DISABLE_JIT=1`` the function comes back as it is.
    """
    compile_lazily = cast("Any", numba).njit(nogil=True, error_model="numpy")
    compiled = compile_lazily(function)
    folder = _cache_folder(Path(function.__code__.co_filename).resolve().parent)
    if hasattr(compiled, "enable_caching") and folder is not None:
        compiled._cache = _Cache(function)
    return cast("_Function", compiled)


@functools.cache
def _cache_folder(package: Path) -> Path | None:
    """Find the folder for ``package``'s machine code; None when nothing can be kept.

    A folder that is already filled is good even where it cannot be written (an image that was
    warmed when it was built); a read-only installation falls back to the user's cache.
    """
    name = f"kernels-{_fingerprint(package)}"
    if os.environ.get("NUMBA_CACHE_DIR"):
        candidates = [Path(os.environ["NUMBA_CACHE_DIR"]) / "armspan" / package.name / name]
    else:
        own = package / "__pycache__" / name
        if own.is_dir() and any(own.iterdir()) and os.access(own, os.R_OK | os.X_OK):
            return own
        candidates = [own, _user_cache() / "armspan" / package.name / name]
    return next((folder for folder in candidates if _is_writable(folder)), None)


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())


def _is_writable(folder: Path) -> bool:
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            _forget_old(folder)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_old(folder: Path) -> None:
    """Remove the machine code of sources long gone, newest first kept."""
    siblings = sorted(folder.parent.glob("kernels-*"), key=lambda path: path.stat().st_mtime)
    for old in siblings[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _fingerprint(package: Path) -> str:
    """Hash what decides ``package``'s machine code: sources, numba, and the switches it obeys."""
    digest = hashlib.sha256(_switches().encode())
    for source in sorted(_sources(package)):
        digest.update(f"{source.parent.name}/{source.name}\0".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _sources(package: Path) -> set[Path]:
    """The files of ``package`` and all files of ours that they import, also through others."""
    found: set[Path] = set()
    waiting = list(package.glob("*.py"))
    while waiting:
        source = waiting.pop()
        if source not in found:
            found.add(source)
            waiting += _imported(source)
    return found


@functools.cache
def _imported(source: Path) -> tuple[Path, ...]:
    """Files of ours that ``source`` imports; it is read, not run."""
    found: list[Path] = []
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(_OURS):
            layer, *inner = node.module.removeprefix(_OURS).split(".")
            spec = importlib.util.find_spec(_OURS + layer)
            for root in (spec and spec.submodule_search_locations) or ():
                module = Path(root).resolve().joinpath(*inner)
                inside = [module / alias.name for alias in node.names]
                for path in (module, *inside):
                    found += filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py"))
    return tuple(found)


def _switches() -> str:
    settings = cast("Any", config)
    return f"{numba.__version__} {settings.BOUNDSCHECK} {settings.OPT}"


class _Locator:
    """Tells numba where a function's machine code is kept (the interface of its locators)."""

    def __init__(self, folder: Path, function: Callable[..., Any], source_file: str) -> None:
        self._folder = folder
        self._line = function.__code__.co_firstlineno
        self._py_file = source_file  # numba's warnings name it

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name  # the folder's name is the hash of the sources

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_function(cls, function: Callable[..., Any], source_file: str) -> "_Locator | None":
        folder = _cache_folder(Path(source_file).resolve().parent)
        return None if folder is None else cls(folder, function, source_file)


class _CacheContents(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - numba reads it off the class


class _Cache(caching.FunctionCache):
    _impl_class = _CacheContents

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            cast("Any", super()).save_overload(sig, data)
        except OSError:
            return  # read-only or full: the kernel still runs, it is only compiled again next time
