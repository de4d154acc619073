"""Owns the text of ``solvers/body/elbow_coefficients.py``."""

from collections.abc import Iterable

from armspan.server.fitting.elbow_fit import split
from armspan.server.traces.rotations import Array
from armspan.solvers.body.elbow_coefficients import ELBOW_REST, MOST_TANGENT, REST_AHEAD

_HEAD = '''"""Owns the elbow model's numbers. Written by ``armspan fit elbows -o FILE CLIP.npz...``.

Fitted on: {clips}.
``docs/elbow.md`` says where the clips are from; ``solvers/body/elbow.py`` what the numbers mean.
"""

import numpy as np
from numpy.typing import NDArray

# The arm's direction at which swivel zero is defined, where the elbow goes there, and tan(s / 2)
# of the greatest swivel: chosen, not fitted by the command.
REST_AHEAD = ({ahead})
ELBOW_REST = ({rest})
MOST_TANGENT = {most}

'''


def coefficients_file(coefficients: Array, clips: Iterable[str]) -> str:
    """The module's source for coefficients (TERMS,) fitted on clips of these names."""
    place, turn = split(coefficients)
    head = _HEAD.format(
        clips=_wrapped(list(clips)),
        ahead=", ".join(str(x) for x in REST_AHEAD),
        rest=", ".join(str(x) for x in ELBOW_REST),
        most=MOST_TANGENT,
    )
    frozen = "for _table in (PLACE, TURN):\n    _table.setflags(write=False)\n"
    return f"{head}# fmt: off\n{_table('PLACE', place)}{_table('TURN', turn)}# fmt: on\n{frozen}"


def _table(name: str, values: Array) -> str:
    rows = "".join(
        f"    [{', '.join(f'{value:.4f}' if value else '0.0' for value in row)}],\n"
        for row in values
    )
    return f"{name}: NDArray[np.float64] = np.array([\n{rows}])\n"


def _wrapped(names: list[str]) -> str:
    lines, line = list[str](), "Fitted on:"
    for name in names:
        if len(line) + len(name) > 95:
            lines.append(line)
            line = ""
        line += f" {name}," if line else f"{name},"
    return "\n".join([*lines, line]).removeprefix("Fitted on: ").rstrip(",")
