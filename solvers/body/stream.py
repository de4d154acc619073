"""Owns the solve of one person's recorded frames, with everything a report wants to know."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from armspan.solvers.body.blend import MEMORY_SIZE, blend_chest, note_tracking, remember_chest
from armspan.solvers.body.bodies import (
    Method,
    arm_in_limits,
    make_room,
    palm_error,
    solve_arms,
)
from armspan.solvers.body.chest import chest_from_head
from armspan.solvers.body.forward import (
    Floats,
    arm_angles,
    arm_frames,
    world_dual,
    write_world_arm,
)
from armspan.solvers.body.targets import SOLVED_M, SOLVED_RAD, make_task
from armspan.solvers.kernel import kernel
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

_CHUNK = 4096  # frames between two signs of life


@dataclass(frozen=True)
class Stream:
    """What was recorded over T frames; poses are position xyz (m) and rotation xyzw."""

    lengths: Floats
    """(11,) of the person."""
    hands: Floats
    """(T, 2, 7) palms in the world; rows of hands that are not tracked may hold anything finite."""
    tracked: Flags
    """(T, 2) left, right."""
    heads: Floats | None = None
    """(T, 7) between the eyes; the chest is found from it."""
    chests: Floats | None = None
    """(T, 7) the chest itself, where it is known."""
    time_s: Floats | None = None
    """(T,) ascending, if the frames are one motion; else every frame stands alone."""


@dataclass(frozen=True)
class StreamAnswer:
    """Answers over T frames; axes of length 2 are [left, right]; all frames are the world's."""

    joint_angles: Floats  # (T, 15) rad
    converged: Flags  # (T, 2): 1 mm and 1 degree; False for a hand that is not tracked
    in_limits: Flags  # (T, 2)
    reachable: Flags  # (T, 2): the wrist; False for a hand that is not tracked
    iterations: NDArray[np.int32]  # (T, 2) Newton steps; both arms step together
    position_error_m: Floats  # (T, 2), NaN for a hand that is not tracked
    rotation_error_rad: Floats  # (T, 2)
    chest: Floats  # (T, 7)
    position: Floats  # (T, 2, 4, 3): shoulder, elbow, wrist, palm
    rotation: Floats  # (T, 2, 3, 4): upper arm, forearm, hand

    @classmethod
    def empty(cls, frames: int) -> "StreamAnswer":
        """Room for the answers to so many frames."""
        two = (frames, 2)
        return cls(
            joint_angles=np.zeros((frames, 15)),
            converged=np.zeros(two, np.bool_),
            in_limits=np.zeros(two, np.bool_),
            reachable=np.zeros(two, np.bool_),
            iterations=np.zeros(two, np.int32),
            position_error_m=np.zeros(two),
            rotation_error_rad=np.zeros(two),
            chest=np.zeros((frames, 7)),
            position=np.zeros((frames, 2, 4, 3)),
            rotation=np.zeros((frames, 2, 3, 4)),
        )


def solve_stream(method: Method, stream: Stream) -> StreamAnswer:
    """Solve all frames. With ``time_s``, hands that come and go are blended in and out."""
    answer = StreamAnswer.empty(len(stream.hands))
    for _ in solve_stream_into(method, stream, answer):
        pass
    return answer


def solve_stream_into(method: Method, stream: Stream, answer: StreamAnswer) -> Iterator[int]:
    """Solve chunk by chunk into ``answer``; yields how many frames each step took."""
    frames = len(stream.hands)
    memory = np.zeros(MEMORY_SIZE)
    for first in range(0, frames, _CHUNK):
        part = slice(first, min(first + _CHUNK, frames))
        solve_part(method, stream, part, memory, answer)()
        yield part.stop - part.start


def solve_part(
    method: Method, stream: Stream, part: slice, memory: Floats, answer: StreamAnswer
) -> Callable[[], None]:
    """Prepare the one compiled call that solves some frames, for whoever wants to time it.

    ``memory`` (MEMORY_SIZE,) is carried from part to part of a motion; zeros before the first.
    """
    poses = stream.chests if stream.chests is not None else stream.heads
    if poses is None:
        raise ValueError("a stream needs heads or chests, and has neither")
    steps = np.zeros(len(stream.hands))
    if stream.time_s is not None:
        steps[1:] = np.diff(stream.time_s)
    outputs = [getattr(answer, field.name)[part] for field in fields(answer)]
    inputs = (
        int(method), stream.lengths, poses[part], stream.chests is not None, stream.hands[part],
        stream.tracked[part], steps[part], stream.time_s is not None, memory,
    )  # fmt: skip
    return lambda: _solve_frames(*inputs, *outputs)


@kernel
def _solve_frames(
    method: int, lengths: Floats, poses: Floats, given: bool, hands: Floats, tracked: Flags,
    steps: Floats, moving: bool, memory: Floats, joint_angles: Floats, converged: Flags,
    in_limits: Flags, reachable: Flags, iterations: NDArray[np.int32], off: Floats,
    turned: Floats, chests: Floats, position: Floats, rotation: Floats,
) -> None:  # fmt: skip
    room = make_room()
    for i in range(poses.shape[0]):
        left, right = tracked[i, 0], tracked[i, 1]
        if not moving:
            memory[:] = 0.0
        note_tracking(memory, steps[i], left, right, True)
        chest = chests[i]
        if given:
            chest[:] = poses[i]
            remember_chest(memory, chest)
        else:
            chest_from_head(lengths, poses[i], hands[i], left, right, chest)
            blend_chest(memory, lengths, poses[i], chest)
        task = make_task(chest, hands[i], left, right, lengths)
        outcome = solve_arms(method, task, chest, moving, steps[i], memory, joint_angles[i], room)
        world = world_dual(chest)
        for side in range(2):
            frames = arm_frames(arm_angles(joint_angles[i], side), lengths)
            write_world_arm(world, side, frames, lengths, position[i, side], rotation[i, side])
            off[i, side], turned[i, side] = palm_error(task, side, frames[3])
            good = off[i, side] <= SOLVED_M and turned[i, side] <= SOLVED_RAD
            converged[i, side] = good
            in_limits[i, side] = arm_in_limits(joint_angles[i], side)
            reachable[i, side] = task.tracked[side] and (good or not outcome.impossible)
            iterations[i, side] = outcome.iterations if task.tracked[side] else 0
