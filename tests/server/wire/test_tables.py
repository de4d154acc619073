"""What the server's packages call by number agrees across them."""

import numpy as np
from armspan.protocol import LENGTH_NAMES, caps, layout
from armspan.server.wire import tables
from armspan.solvers import DEFAULT_LENGTHS, JOINT_NAMES
from armspan.solvers import LENGTH_NAMES as SOLVER_LENGTH_NAMES


def test_lengths_have_the_solvers_names_order_and_defaults():
    assert LENGTH_NAMES == SOLVER_LENGTH_NAMES
    assert [cap.default_m for cap in caps.LENGTHS] == DEFAULT_LENGTHS.tolist()


def test_joints_have_the_solvers_names_and_order():
    assert layout.JOINT_FIELDS == JOINT_NAMES


def test_groups_of_fields_lie_together_as_the_kernels_expect():
    names = [field.name for field in layout.AVATAR_RECORD]
    assert names[tables.CHEST : tables.CHEST + 3] == ["chest_x_m", "chest_y_m", "chest_z_m"]
    assert tuple(names[tables.JOINTS : tables.JOINTS + 15]) == layout.JOINT_FIELDS
    for first, name in (
        (tables.CHEST_ROTATION, "chest_rotation"),
        (tables.HEAD_ROTATION, "head_rotation"),
    ):
        assert names[first : first + 4] == [f"{name}_{part}" for part in ("dropped", 1, 2, 3)]
    sensors = names[tables.PROVENANCE : tables.PROVENANCE + 3]
    assert sensors == ["head_provenance", "left_provenance", "right_provenance"]


def test_a_field_fits_the_streams_of_the_kernels():
    """Packing holds up to 31 bits and a field in 64; unpacking reads whole bytes up to 40."""
    assert max(tables.BITS) <= 24
    assert int(np.sum(tables.BITS)) == 8 * tables.RECORD_BYTES
