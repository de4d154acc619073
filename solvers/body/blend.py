"""Owns what a body carries from tick to tick, and the blends where tracking comes and goes.

When a hand or the head is lost or found, the shown posture
goes from where it is to the new goal within ``BLEND_S``, and then nothing of the past is left.
Angles are blended, not frames: the limits are a box, so everything between two postures inside
them is inside them too.
"""

from armspan.solvers.body.chest import neck_offset
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import ARM_REST
from armspan.solvers.body.steady import STEADY_SIZE
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat, quat_normalised

BLEND_S = 0.25

# Columns of a body's memory. All zero: the body is new, and shows its first posture at once.
_SEEN = 0
_TRACKED = 1  # 3: left, right, head
_ELAPSED = 4  # 3: seconds since that last changed
_FROM = 7  # 15 angles shown when a hand last changed (a hand's own 7, and the torso's)
_SHOWN = 22  # 15 angles shown last
_CHEST_FROM = 37  # 7: chest shown when anything last changed
_CHEST_SHOWN = 44  # 7
STEADY = 51  # what ``steady.py`` remembers
MEMORY_SIZE = STEADY + STEADY_SIZE

LEFT, RIGHT, HEAD = 0, 1, 2
LOST, INFERRED, TRACKED = 0, 1, 2


@kernel
def note_tracking(memory: Floats, dt_s: float, left: bool, right: bool, head: bool) -> None:
    """Advance the clocks of a body's memory (MEMORY_SIZE,) and note what is tracked now."""
    for part in range(3):
        now = left if part == LEFT else right if part == RIGHT else head
        if memory[_SEEN] == 0.0:
            memory[_ELAPSED + part] = BLEND_S
        elif (memory[_TRACKED + part] != 0.0) != now:
            memory[_ELAPSED + part] = 0.0
            for i in range(7):
                memory[_CHEST_FROM + i] = memory[_CHEST_SHOWN + i]
            if part != HEAD:
                memory[_FROM] = memory[_SHOWN]
                for i in range(1 + 7 * part, 8 + 7 * part):
                    memory[_FROM + i] = memory[_SHOWN + i]
        memory[_ELAPSED + part] = min(memory[_ELAPSED + part] + max(dt_s, 0.0), BLEND_S)
        memory[_TRACKED + part] = 1.0 if now else 0.0


@kernel
def provenance_of(memory: Floats, part: int) -> int:
    """Whether a hand or the head is tracked, still leaving (inferred), or lost."""
    if memory[_TRACKED + part] != 0.0:
        return TRACKED
    if memory[_ELAPSED + part] < BLEND_S and memory[_SEEN] != 0.0:
        return INFERRED
    return LOST


@kernel
def _share(memory: Floats, part: int) -> float:
    """How far the blend towards the goal has come, 0 to 1, easing in and out."""
    t = memory[_ELAPSED + part] / BLEND_S
    return t * t * (3.0 - 2.0 * t)


@kernel
def is_settled(memory: Floats, side: int) -> bool:
    """Whether an arm shows its goal, and is not on its way there from what it showed before."""
    return _share(memory, side) >= 1.0


@kernel
def blended_yaw(memory: Floats, goal: float) -> float:
    """Torso yaw on its way to ``goal`` since a hand came or went."""
    share = min(_share(memory, LEFT), _share(memory, RIGHT))
    return goal if share >= 1.0 else memory[_FROM] + share * (goal - memory[_FROM])


@kernel
def write_rest(angles: Floats, side: int) -> None:
    """Let an arm (row of (2, 8)) hang."""
    for joint in range(1, 8):
        angles[side, joint] = ARM_REST[joint]


@kernel
def blend_arms(memory: Floats, angles: Floats) -> None:
    """Draw the arms of the goal ``angles`` (2, 8) to where their blends stand."""
    for side in range(2):
        share = _share(memory, side)
        if share < 1.0:
            for joint in range(1, 8):
                start = memory[_FROM + 7 * side + joint]
                angles[side, joint] = start + share * (angles[side, joint] - start)


@kernel
def write_shown(memory: Floats, angles: Floats, joint_angles: Floats) -> None:
    """Write ``angles`` (2, 8) as a body's 15, and remember them."""
    joint_angles[0] = angles[1, 0]
    for side in range(2):
        for joint in range(1, 8):
            joint_angles[7 * side + joint] = angles[side, joint]
    for i in range(15):
        memory[_SHOWN + i] = joint_angles[i]


@kernel
def blend_chest(memory: Floats, lengths: Floats, head: Floats, chest: Floats) -> None:
    """Draw the goal ``chest`` (7,), found from ``head`` (7,), to where the blends stand.

    While the head is lost, the chest stays where it was seen last (a new body: at ``chest``).
    A hand that comes or goes has a say in where the trunk faces, so the trunk turns over
    smoothly, and about the eyes, which stay where they are tracked.
    """
    if memory[_SEEN] != 0.0 and memory[_TRACKED + HEAD] == 0.0:
        for i in range(7):
            chest[i] = memory[_CHEST_SHOWN + i]
    share = min(_share(memory, HEAD), min(_share(memory, LEFT), _share(memory, RIGHT)))
    if memory[_TRACKED + HEAD] != 0.0 and share < 1.0:
        turned = _mixed(memory, chest, share)
        offset = neck_offset(lengths, turned, quat_normalised((head[3], head[4], head[5], head[6])))
        arrived = _share(memory, HEAD)
        for i in range(3):
            goal = head[i] - offset[i]
            start = memory[_CHEST_FROM + i]
            chest[i] = goal if arrived >= 1.0 else start + share * (goal - start)
        for i in range(4):
            chest[3 + i] = turned[i]
    remember_chest(memory, chest)


@kernel
def _mixed(memory: Floats, chest: Floats, share: float) -> Quat:
    """Rotation between that at the last change and the goal's, the short way."""
    near = 0.0
    for i in range(3, 7):
        near += chest[i] * memory[_CHEST_FROM + i]
    start = (1.0 - share) * (1.0 if near >= 0.0 else -1.0)
    f = _CHEST_FROM
    return quat_normalised(
        (
            start * memory[f + 3] + share * chest[3],
            start * memory[f + 4] + share * chest[4],
            start * memory[f + 5] + share * chest[5],
            start * memory[f + 6] + share * chest[6],
        )
    )


@kernel
def remember_chest(memory: Floats, chest: Floats) -> None:
    """Note the chest (7,) that is shown; from now on the body is not new."""
    for i in range(7):
        memory[_CHEST_SHOWN + i] = chest[i]
    memory[_SEEN] = 1.0
