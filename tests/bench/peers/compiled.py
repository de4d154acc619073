"""Owns the loop on pinocchio's C++ (pinocchio_loop.cpp): built once for a machine, then called.

Pinocchio's Python offers kinematics and no inverse ones, so the usual loop is written by its
users. In Python it would be measured as slow as Python is; compiled against the headers that the
packages bring it is as quick as pinocchio can be. Settings were searched for at random, on poses
that are not measured: without restarts for the best solve rate, with them for the fewest steps.
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from tests.bench.peers import arm
from tests.bench.peers.arm import Floats
from tests.bench.peers.contest import CLOCK_S, SOLVED_M, SOLVED_RAD, Answers, MissingError

_SOURCE = Path(__file__).with_name("pinocchio_loop.cpp")
_FLAGS = (
    *("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC", "-w"),
    # what pinocchio's own build tells its users to define
    *("-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"),
    *("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"),
)
_BUILD_S = 300.0
_NUMBERS = ctypes.POINTER(ctypes.c_double)
# radian in metres; damping, its factors after a step that wins and one that does not; steps,
# least share that a step must win, attempts
_ONCE = (0.0963, 1.5366, 0.7, 3.0, 100, 1e-5, 1)
_RESTARTS = (0.3475, 0.2197, 0.7, 6.0, 60, 0.0144, 100)


class Pinocchio:
    """Damped least squares with clamping, from home, alone or with random restarts."""

    arms = 1
    installed = False

    def __init__(self, restarts: bool) -> None:
        library = _load()
        self.key = "pinocchio_restarts" if restarts else "pinocchio"
        self.name = "pinocchio, C++ loop" + (", restarts" if restarts else "")
        self.version = version("pin")
        self._library = library
        tables = (arm.ORIGINS, arm.AXES, arm.LOWER, arm.UPPER, arm.HOME, arm.HAND_FROM_PALM)
        self._arm = ctypes.c_void_p(library.arm_new(*(_pointer(table) for table in tables)))
        settings = np.array([SOLVED_M, SOLVED_RAD, *(_RESTARTS if restarts else _ONCE)])
        library.arm_settings(self._arm, _pointer(settings))

    def __del__(self) -> None:
        if hasattr(self, "_arm"):
            self._library.arm_free(self._arm)

    def palm(self, arm_angles: Floats) -> Floats:
        placed = np.empty((4, 4))
        self._library.arm_forward(self._arm, _pointer(arm_angles), _pointer(placed))
        return placed

    def solve(self, hands: Floats) -> Answers:
        answers, angles = Answers.empty(len(hands)), np.empty((len(hands), 8))
        self._library.arm_solve(
            self._arm, _pointer(arm.targets(hands)), len(hands), _pointer(angles),
            _pointer(answers.seconds),
        )  # fmt: skip
        answers.seconds[:] -= CLOCK_S  # it reads the clock that we do
        answers.joint_angles[:] = arm.body_angles(angles)
        return answers


def _pointer(values: Floats) -> "ctypes._Pointer[ctypes.c_double]":
    assert values.dtype == np.float64
    assert values.flags.c_contiguous
    return values.ctypes.data_as(_NUMBERS)


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_built()))
    library.arm_new.restype = ctypes.c_void_p
    return library


def _built() -> Path:
    """The library, built if source, pinocchio, compiler or processor are not those of last time."""
    include, compiler = _headers(), shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None:
        raise MissingError(
            "pinocchio's loop needs a C++ compiler, left out (g++, or name it in CXX)"
        )
    facts = (_SOURCE.read_bytes(), version("pin").encode(), compiler.encode(), _processor())
    digest = hashlib.sha256(b"\0".join(facts)).hexdigest()[:16]
    target = _SOURCE.parent / "__pycache__" / f"pinocchio_loop-{digest}.so"
    if target.exists():
        return target
    target.parent.mkdir(exist_ok=True)
    fresh = target.with_suffix(f".{os.getpid()}")
    folders = [f"-isystem{folder}" for folder in (include, include / "eigen3")]
    command = [compiler, *_FLAGS, *folders, str(_SOURCE), "-o", str(fresh)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_S, check=False)
    if done.returncode:
        why = next(
            (line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200]
        )
        raise MissingError(f"pinocchio's loop does not compile here, left out: {why}")
    fresh.replace(target)
    return target


def _headers() -> Path:
    try:
        import pinocchio

        version("pin")
    except (ImportError, PackageNotFoundError) as absent:
        raise MissingError("pinocchio is not installed, left out (pip install pin)") from absent
    # <prefix>/lib/pythonX.Y/site-packages/pinocchio/__init__.py
    include = Path(pinocchio.__file__).parents[4] / "include"
    if not (include / "pinocchio" / "multibody.hpp").exists():
        raise MissingError(
            f"pinocchio's headers are not at {include}, left out (pip install 'pin>=4')"
        )
    if not (include / "eigen3" / "Eigen" / "Core").exists():
        raise MissingError("pinocchio's loop needs Eigen, left out (pip install cmeel-eigen)")
    return include


def _processor() -> bytes:
    """What -march=native depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return b""
    return next((line.encode() for line in lines if line.startswith("flags")), b"")
