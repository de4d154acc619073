"""Owns the peers that are measured as they are installed: optik-py and pytracik (TRAC-IK).

Settings were chosen for the best solve rate, then the least time, on poses that are not measured:

- optik-py stops where the squared error (metres, weighted radians) falls below ``tol_f``; 1e-8 is
  0.1 mm. A radian that weighs 0.3 m is quicker than one of 1 m and gives 0.02 degrees. One thread.
- TRAC-IK stops where all six components are below ``epsilon``, 0.1 mm over the root of three. It
  runs two solvers in two threads against each other; here they share one core, and both count.
  Its limits are set again, since it reads those of a URDF in single precision.
"""

import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers import arm
from tests.bench.peers.arm import Floats
from tests.bench.peers.contest import Answers, MissingError, processor_s, since_s

OPTIK_TOLERANCE = 1e-8
OPTIK_RADIAN_M = 0.3
OPTIK_SECONDS = 0.1
OPTIK_QUALITY_ATTEMPTS = 8
TRAC_IK_EPSILON = 1e-4 / 3**0.5
TRAC_IK_SECONDS = 0.05


def _install(package: str) -> MissingError:
    return MissingError(f"{package} is not installed, left out (pip install {package})")


class Optik:
    """optik-py: SLSQP in Rust, random restarts."""

    arms = 1
    installed = True

    def __init__(self, mode: str) -> None:
        try:
            import optik
        except ImportError as absent:
            raise _install("optik-py") from absent
        self.key = f"optik_{mode}"
        self.name = f"optik-py, {mode}"
        self.version = version("optik-py")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arm.urdf"
            path.write_text(arm.urdf())
            self._robot: Any = optik.Robot.from_urdf_file(str(path), arm.BASE, arm.TIP)
        self._robot.set_parallelism(1)
        ends: dict[str, Any] = (
            {"max_time": OPTIK_SECONDS}
            if mode == "speed"
            else {"max_time": 0.0, "max_restarts": OPTIK_QUALITY_ATTEMPTS}
        )
        self._settings: Any = optik.SolverConfig(
            solution_mode=mode,
            tol_f=OPTIK_TOLERANCE,
            angular_weight=[OPTIK_RADIAN_M] * 3,
            **ends,
        )

    def palm(self, arm_angles: Floats) -> Floats:
        return np.array(self._robot.fk(arm_angles.tolist()))

    def solve(self, hands: Floats) -> Answers:
        answers, angles = Answers.empty(len(hands)), np.full((len(hands), 8), np.nan)
        home = arm.HOME.tolist()
        for row, target in enumerate(arm.targets(hands).tolist()):
            began_s = processor_s()
            found = self._robot.ik(self._settings, target, home)
            answers.seconds[row] = since_s(began_s)
            if found is not None:
                angles[row] = found[0]
        answers.joint_angles[:] = arm.body_angles(angles)
        return answers


class TracIk:
    """pytracik: TRAC-IK in C++, Newton and SQP side by side, random restarts; mode "speed"."""

    arms = 1
    installed = True
    key = "trac_ik"
    name = "TRAC-IK"

    def __init__(self) -> None:
        try:
            import pytracik
        except ImportError as absent:
            raise _install("pytracik") from absent
        self.version = version("pytracik")
        self._library: Any = pytracik
        self._solver: Any = pytracik.TRAC_IK(
            arm.BASE, arm.TIP, arm.urdf(), TRAC_IK_SECONDS, TRAC_IK_EPSILON,
            pytracik.SolveType.Speed,
        )  # fmt: skip
        pytracik.set_joint_limits(self._solver, arm.LOWER.tolist(), arm.UPPER.tolist())

    def palm(self, arm_angles: Floats) -> Floats:
        return self._library.fk(self._solver, arm_angles)

    def solve(self, hands: Floats) -> Answers:
        answers, angles = Answers.empty(len(hands)), np.full((len(hands), 8), np.nan)
        for row, pose in enumerate(arm.right(hands).tolist()):
            began_s = processor_s()
            found = self._library.ik(self._solver, arm.HOME, *pose)
            answers.seconds[row] = since_s(began_s)
            if found[0] >= 0:
                angles[row] = found[1:]
        answers.joint_angles[:] = arm.body_angles(angles)
        return answers
