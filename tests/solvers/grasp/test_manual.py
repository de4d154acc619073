"""The manual's program, from a mesh to a grasp."""

import re
from pathlib import Path

from tests.solvers.tubes import shapes

MANUAL = Path(__file__).parents[3] / "docs/grasping.md"


def test_the_manuals_program_grasps_a_ring():
    section = MANUAL.read_text().split("## From Python", 1)[1]
    program = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert program is not None
    ring = shapes.torus(0.05, 0.01)
    names = {"vertices": ring.vertices, "faces": ring.faces}
    exec(program[1], names)
    assert names["grasp"].grasped
    assert names["tube"].closed
