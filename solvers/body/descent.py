"""Owns the descent to the nearest posture inside the limits: Newton's method in a box.

The Hessians of both arms meet in one number, the torso's yaw, so a step takes two 7 x 7 Cholesky
factors and one division (the arrow's point eliminated last). A joint that a step would carry past
a limit is set onto it and the others are asked again, so that a step is that of the quadratic
model inside the box; a Hessian that is not positive, or a step that does not win, is damped.

Of what the hands leave open (a straight arm turns about itself by its shoulder or by its forearm)
nothing moves: a little damping always stays, which stiffer joints do not feel.

All work memory is one flat array: it is passed on at every call, and a tuple of arrays would be
copied each time. Angles of both arms are 16 numbers there, the left arm's first.
"""

from armspan.solvers.body.forward import Floats
from armspan.solvers.body.linear import FREE, HELD, PINNED, factorise_free, solve_two
from armspan.solvers.body.misfit import GRADIENT, HESSIAN, MISFIT, MODEL_ROOM, write_misfit
from armspan.solvers.body.skeleton import ARM_LOWER, ARM_UPPER
from armspan.solvers.body.targets import Task
from armspan.solvers.kernel import kernel

_EXACT = 1e-12  # square metres
_PUSH = 1e-9  # square metres a radian: less does not take a joint off its limit
_LONGEST_STEP = 1.0  # rad
_REFUSALS = 8
_PINS = 6  # rounds of setting joints onto limits within a step
_LEAST_PIVOT = 1e-7
_DAMPING_LAST = (1e-6, 1e-5)  # at the least and at the most
_DAMPING_SHARE = 0.1  # of what is missed, a square radian: where little is, little is stiff
_DAMPING_START = 1e-2  # square metres: far from the answer Hessians often bend down
_DAMPING_LEAST = 1e-2  # after a step that did not win
_GROWS, _SHRINKS = 8.0, 0.1
_DAMPING_LITTLE = 1e-3  # a step so damped is nearly Newton's own, and may be the last
_DAMPING_NONE = 1e-4  # below it only the last is left, so that the last steps are Newton's own
# A step that promises to win a smaller share of what is missed, and turns no joint further (rad),
# is the last, and is not looked at: what it leaves is of second order.
_SETTLED = ((5e-3, 0.4), (2e-3, 0.1))  # roughly, and precisely

# Where things are in the room; of what both arms have, the left one's is first.
ANGLES = 0  # (2, 8)
_LOW = 16  # (2, 8): lowest angles
_HIGH = 32  # (2, 8)
_STATE = 48  # (2, 8): free, held where it is, or pinned by this step
_STEP = 64  # (2, 8)
_TRIAL = 80  # (2, 8)
_ALONE = 96  # (2, 8): the step without the torso, at 1 to 7
_COUPLING = 112  # (2, 8): what a radian of torso changes in it
_FACTOR = 128  # (2, 8, 8)
MISSED = 256  # (2,): half the square of what each arm missed before the last step, m^2
_MODELS = 258  # two of both arms: here, and where a step leads to
_SCREWS = _MODELS + 4 * MODEL_ROOM  # (8, 6)
DESCENT_ROOM = _SCREWS + 48


@kernel
def descend(
    task: Task, farthest: float, most: int, precise: bool, turning: bool, room: Floats
) -> int:
    """Improve the angles in ``room``, inside the limits, in place; return the steps taken.

    What each arm misses then is in the room, too. No joint goes further than ``farthest`` (rad)
    from where it starts. Ends after ``most`` steps, or when a step promises
    too little to be followed by another: ``precise`` is for what will be seen. ``turning``:
    whether the torso may turn. Arms without a target only follow it.
    """
    _write_box(farthest, room)
    share, turn = _SETTLED[1] if precise else _SETTLED[0]
    damping, model, steps, refused = _DAMPING_START, _MODELS, 0, 0
    cost = _write_model(task, ANGLES, model, room)
    last = min(max(_DAMPING_SHARE * cost, _DAMPING_LAST[0]), _DAMPING_LAST[1])
    while steps < most and refused < _REFUSALS:
        _write_states(task.tracked, model, turning, room)
        if not _write_step(task.tracked, damping, model, room):
            refused += 1
            damping = max(_GROWS * damping, _DAMPING_LEAST)
            continue
        longest = _write_trial(task.tracked, room)
        settled = longest < turn and damping <= _DAMPING_LITTLE
        if settled and _promised(task.tracked, model, room) < share * cost + _EXACT:
            steps += 1
            _take(room)
            break
        other = 2 * _MODELS + 2 * MODEL_ROOM - model
        there = _write_model(task, _TRIAL, other, room)
        if there > cost:
            refused += 1
            damping = max(_GROWS * damping, _DAMPING_LEAST)
            continue
        steps, refused = steps + 1, 0
        _take(room)
        cost, model = there, other
        damping = _SHRINKS * damping if damping > _DAMPING_NONE else last
    for side in range(2):
        room[MISSED + side] = (
            room[model + side * MODEL_ROOM + MISFIT] if task.tracked[side] else 0.0
        )
    return steps


@kernel
def _take(room: Floats) -> None:
    for k in range(16):
        room[ANGLES + k] = room[_TRIAL + k]


@kernel
def _write_box(farthest: float, room: Floats) -> None:
    for side in range(2):
        for joint in range(8):
            k = 8 * side + joint
            here = room[ANGLES + k]
            room[_LOW + k] = max(ARM_LOWER[joint], here - farthest)
            room[_HIGH + k] = min(ARM_UPPER[joint], here + farthest)


@kernel
def _write_model(task: Task, angles: int, model: int, room: Floats) -> float:
    """Gradients and Hessians of what is missed, which is returned (m^2, halved)."""
    total = 0.0
    for side in range(2):
        if task.tracked[side]:
            at, here = model + side * MODEL_ROOM, angles + 8 * side
            missed = write_misfit(task.palms[side], task.lengths, here, _SCREWS, at, room)
            room[at + MISFIT] = missed
            total += missed
    return total


@kernel
def _sign(side: int) -> float:
    """The left arm is a mirrored right one: its own torso yaw is the body's negated."""
    return 1.0 if side == 1 else -1.0


@kernel
def _write_states(tracked: tuple[bool, bool], model: int, turning: bool, room: Floats) -> None:
    """Hold the joints that stand on a limit and are pushed against it."""
    torso = 0.0
    for side in range(2):
        if tracked[side]:
            gradient = model + side * MODEL_ROOM + GRADIENT
            torso += _sign(side) * room[gradient]
            for joint in range(1, 8):
                room[_STATE + 8 * side + joint] = _state(
                    8 * side + joint, -room[gradient + joint], room
                )
    room[_STATE + 8] = _state(8, -torso, room) if turning else HELD


@kernel
def _state(k: int, push: float, room: Floats) -> float:
    angle = room[ANGLES + k]
    low, high = angle <= room[_LOW + k], angle >= room[_HIGH + k]
    held = (low and push < _PUSH) or (high and push > -_PUSH)
    return HELD if held else FREE


@kernel
def _write_step(tracked: tuple[bool, bool], damping: float, model: int, room: Floats) -> bool:
    """The quadratic model's step in the box; False where the model is not convex."""
    torso, left, right = 0.0, True, True
    for _ in range(_PINS):
        bend, push = damping, 0.0
        for side in range(2):
            if tracked[side]:
                at = model + side * MODEL_ROOM
                if (right if side == 1 else left) and not _solve_arm(side, damping, at, room):
                    return False
                more = _torso_part(side, at, room)
                bend += more[0]
                push += more[1]
        if room[_STATE + 8] == FREE:
            if bend < _LEAST_PIVOT:
                return False
            torso = push / bend
        pinned = _pin(8, torso, room)
        torso = room[_STEP + 8]
        left = tracked[0] and _pin_arm(0, -torso, room)
        right = tracked[1] and _pin_arm(1, torso, room)
        if not (pinned or left or right):
            break
    return True


@kernel
def _solve_arm(side: int, damping: float, model: int, room: Floats) -> bool:
    """One arm's step for a torso that stays, and its change by the torso's turn."""
    state, factor = _STATE + 8 * side, _FACTOR + 64 * side
    if not factorise_free(model + HESSIAN, state, damping, factor, room):
        return False
    alone, coupling, step = _ALONE + 8 * side, _COUPLING + 8 * side, _STEP + 8 * side
    for i in range(1, 8):
        room[alone + i], room[coupling + i] = 0.0, 0.0
        if room[state + i] == FREE:
            row = model + HESSIAN + 8 * i
            room[coupling + i] = room[row]
            total = -room[model + GRADIENT + i]
            for k in range(1, 8):
                if room[state + k] == PINNED:
                    entry = row + k if k <= i else model + HESSIAN + 8 * k + i
                    total -= room[entry] * room[step + k]
            room[alone + i] = total
    solve_two(factor, alone, coupling, room)
    return True


@kernel
def _torso_part(side: int, model: int, room: Floats) -> tuple[float, float]:
    """What an arm adds to the torso's curvature and push, its own joints eliminated."""
    hessian, k = model + HESSIAN, 8 * side
    bend, push = room[hessian], -room[model + GRADIENT]
    for i in range(1, 8):
        entry = room[hessian + 8 * i]
        if room[_STATE + k + i] == FREE:
            bend -= entry * room[_COUPLING + k + i]
            push -= entry * room[_ALONE + k + i]
        elif room[_STATE + k + i] == PINNED:
            push -= entry * room[_STEP + k + i]
    return bend, _sign(side) * push


@kernel
def _pin_arm(side: int, torso: float, room: Floats) -> bool:
    """Write an arm's step; whether a joint was set onto a limit for it."""
    pinned = False
    for k in range(8 * side + 1, 8 * side + 8):
        pinned |= _pin(k, room[_ALONE + k] - torso * room[_COUPLING + k], room)
    return pinned


@kernel
def _pin(k: int, wanted: float, room: Floats) -> bool:
    """Write a joint's step, stopped at its limits; whether it was."""
    state = room[_STATE + k]
    if state == PINNED:
        return False
    step = 0.0 if state == HELD else wanted
    angle = room[ANGLES + k]
    allowed = min(max(angle + step, room[_LOW + k]), room[_HIGH + k]) - angle
    stopped = state == FREE and abs(allowed - step) > 1e-12
    if stopped:
        room[_STATE + k] = PINNED
    room[_STEP + k] = allowed
    return stopped


@kernel
def _write_trial(tracked: tuple[bool, bool], room: Floats) -> float:
    """The angles after the step, shortened as a whole if it is long; its longest turn (rad)."""
    longest = abs(room[_STEP + 8])
    for side in range(2):
        for joint in range(1, 8):
            if tracked[side]:
                longest = max(longest, abs(room[_STEP + 8 * side + joint]))
            else:
                room[_STEP + 8 * side + joint] = 0.0
    scale = min(1.0, _LONGEST_STEP / max(longest, 1e-12))
    for k in range(1, 16):
        angle = room[ANGLES + k] + scale * room[_STEP + k]
        room[_TRIAL + k] = min(max(angle, room[_LOW + k]), room[_HIGH + k])
    room[_TRIAL] = -room[_TRIAL + 8]
    return longest


@kernel
def _promised(tracked: tuple[bool, bool], model: int, room: Floats) -> float:
    """What the step wins to first order, halved: all of it, where it is Newton's own."""
    total = 0.0
    room[_STEP] = -room[_STEP + 8]
    for side in range(2):
        if tracked[side]:
            for joint in range(8):
                k = 8 * side + joint
                total -= room[model + side * MODEL_ROOM + GRADIENT + joint] * room[_STEP + k]
    return 0.5 * total
