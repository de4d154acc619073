"""Owns the protocol's layout tables in the form that kernels fold into their machine code.

numba freezes module-level arrays and numbers into what it compiles; the cache of `@kernel` is
keyed by these sources and the protocol's, so that an edit of the layout recompiles.
"""

from typing import Final

import numpy as np
from armspan.protocol import caps, layout
from numpy.typing import NDArray

_FIELDS = layout.AVATAR_RECORD
_NAMES = tuple(field.name for field in _FIELDS)
_OFFSETS = {field.name: field.offset for field in layout.TRACKER_FRAME}


def _column(name: str, dtype: type[np.generic]) -> NDArray[np.generic]:
    column = np.array([getattr(field, name) for field in _FIELDS], dtype)
    column.flags.writeable = False
    return column


# The avatar record: one entry a field, in record order.
FIELD_COUNT: Final = len(_FIELDS)
BITS: Final = _column("bits", np.int64)
MAXIMUM: Final = _column("maximum", np.uint64)
TOP: Final = _column("maximum", np.float64)
LOW: Final = _column("low", np.float64)
SCALE: Final = _column("scale", np.float64)
STEP: Final = _column("step", np.float64)

# Where groups of fields begin in those columns.
ID: Final = _NAMES.index("id")
CHEST: Final = _NAMES.index("chest_x_m")
CHEST_ROTATION: Final = _NAMES.index("chest_rotation_dropped")
HEAD_ROTATION: Final = _NAMES.index("head_rotation_dropped")
JOINTS: Final = _NAMES.index(layout.JOINT_FIELDS[0])
JOINT_COUNT: Final = len(layout.JOINT_FIELDS)
SAMPLE_AGE: Final = _NAMES.index("sample_age")
PROVENANCE: Final = _NAMES.index("head_provenance")
DISCONTINUITY: Final = _NAMES.index("discontinuity")
PROVENANCE_MAX: Final = int(max(layout.Provenance))

HEADER_BYTES: Final = layout.SNAPSHOT_HEADER_BYTES
RECORD_BYTES: Final = layout.AVATAR_RECORD_BYTES
SNAPSHOT_ID: Final = layout.SNAPSHOT_ID

# The tracker frame: offsets of its fields.
TRACKER_BYTES: Final = layout.TRACKER_FRAME_BYTES
TRACKER_ID: Final = layout.TRACKER_FRAME_ID
TRACKED_AT: Final = _OFFSETS["tracked"]
DISCONTINUITY_AT: Final = _OFFSETS["discontinuity"]
RESERVED_AT: Final = _OFFSETS["reserved"]
SAMPLE_TIME_AT: Final = _OFFSETS["sample_time_us"]
POSES_AT: Final = _OFFSETS["head"]
INPUTS_AT: Final = _OFFSETS["left_input"]
SENSOR_COUNT: Final = len(layout.Sensor)

COORDINATE_M: Final = caps.COORDINATE_M
NORM_TOLERANCE: Final = caps.UNIT_QUATERNION_TOLERANCE
TIME_US_MAX: Final = caps.TIME_US_MAX
DISCONTINUITY_MAX: Final = caps.DISCONTINUITY_MAX
AGE_UNIT_US: Final = caps.SAMPLE_AGE_UNIT_US

# Hands: the frame's parts as the server keeps them, one behind the other, and the section's.
_HANDS = {field.name: field for field in layout.HANDS_FRAME}
HANDS_FRAME_BYTES: Final = layout.HANDS_FRAME_BYTES
HANDS_ID: Final = layout.HANDS_FRAME_ID
HANDS_FLAGS: Final = layout.HANDS_FLAGS
HANDS_FLAGS_AT: Final = _HANDS["flags"].offset
HANDS_RESERVED_AT: Final = _HANDS["reserved"].offset
HANDS_PARTS_AT: Final = _HANDS["left_fingers"].offset
HANDS_POINTS_AT: Final = _HANDS["left_point"].offset
HANDS_PARTS_BYTES: Final = HANDS_FRAME_BYTES - HANDS_PARTS_AT
FINGER_COUNT: Final = len(layout.FINGERS)
POINT_BYTES: Final = _HANDS["left_point"].size_bytes
HANDS_ENTRY_HEAD_BYTES: Final = 3
SECTION_HEADER_BYTES: Final = layout.SECTION_HEADER_BYTES
SECTION_BODY_BYTES: Final = caps.SECTION_BODY_BYTES
SECTION_HANDS: Final = int(layout.Section.HANDS)
PEOPLE: Final = caps.PEOPLE_PER_SESSION


def _per_part(values: list[int]) -> NDArray[np.int64]:
    column = np.array(values, np.int64)
    column.flags.writeable = False
    return column


# One entry a part, in the order of the bits of HandsFlag.
_PARTS = ("left_fingers", "right_fingers", "left_point", "right_point")
PART_COUNT: Final = len(_PARTS)
PART_AT: Final = _per_part([_HANDS[name].offset - HANDS_PARTS_AT for name in _PARTS])
PART_BYTES: Final = _per_part([_HANDS[name].size_bytes for name in _PARTS])


def _finger_column(name: str) -> NDArray[np.float64]:
    column = np.array([getattr(field, name) for field in layout.FINGERS], np.float64)
    column.flags.writeable = False
    return column


FINGER_LOW: Final = _finger_column("low")
FINGER_STEP: Final = _finger_column("step")
FINGER_SCALE: Final = _finger_column("scale")
FINGER_TOP: Final = layout.FINGERS[0].maximum
