"""Owns how one finger closes: by dichotomy on its knuckle's flexion, and then on its PIP joint's.

With the sum of the radii S, the distance D and the tolerance e: D > S is outside, S >= D > S - e
touches, D <= S - e is inside (Abaci et al., section 6.1). A finger is closed on straight lines in
its joint space; what is looked for on a line is where the gap D - S falls to a given share of e
first. Steps as long as the gap allows find the first place and no later one; a dichotomy, sped up
by every other step going where the gap's ends point to, finds it exactly.
"""

from typing import Final

from armspan.solvers.grasp.scene import (
    Scene,
    digit_gaps,
    gather,
    own_palm_gap,
    pose_digit,
    tube_normal,
)
from armspan.solvers.grasp.site import DigitState
from armspan.solvers.hand.angles import ANGLE_LOWER, ANGLE_UPPER, MCP, PIP, dip_from_pip
from armspan.solvers.hand.anthropometry import DIGIT_SIZE, LENGTH, SEGMENTS, Digit
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Quat

NEVER: Final = 2.0
INSIDE_AT_ONCE: Final = -1.0

_TOUCHES = int(DigitState.TOUCHES)
_AT_LIMIT = int(DigitState.AT_LIMIT)
_RELAXED = int(DigitState.RELAXED)
_INSIDE = int(DigitState.INSIDE)
_THUMB = int(Digit.THUMB)
KNUCKLE_SHARE: Final = 0.3  # of the tolerance: where the first joint stops, ...
LAST_SHARE: Final = 0.7  # ... and the next one, lest it be stopped by what the first one stopped at
_BAND = 0.2
_FLESH_M = 0.003  # how far a finger sinks into the palm of its own hand
_LEAST_STEP = 0.06
_ROUNDS = 40
_STARTS = 5
_CURL_RAD = 0.2
_CURLS = 5
_SHAPES = (0.0, 0.8, 1.3, 1.75)  # rad, of PIP, while the knuckle closes


@kernel
def on_line(digit: int, start: Quat, end: Quat, u: float) -> Quat:
    """The posture at ``u`` (0 to 1) between two others; a finger's DIP follows its PIP."""
    a = start[0] + u * (end[0] - start[0])
    b = start[1] + u * (end[1] - start[1])
    c = start[2] + u * (end[2] - start[2])
    d = start[3] + u * (end[3] - start[3])
    return (a, b, c, d if digit == _THUMB else dip_from_pip(c))


@kernel
def reach_of(scene: Scene, digit: int, start: Quat, end: Quat) -> float:
    """How far a point of the digit moves at most on a line in joint space, metres."""
    at = DIGIT_SIZE * digit + LENGTH
    far = scene.sizes[at + 2]
    mid = far + scene.sizes[at + 1]
    whole = mid + scene.sizes[at]
    first = abs(end[0] - start[0]) + abs(end[1] - start[1])
    second, third = abs(end[2] - start[2]), abs(end[3] - start[3])
    if digit == _THUMB:
        return whole * first + mid * second + far * third
    return whole * first + mid * second + far * dip_from_pip(second)


@kernel
def headroom(scene: Scene, digit: int, count: int, angles: Quat, share: float, first: int) -> float:
    """How far a posture is from sinking in by a share of the tolerance; negative: it does.

    Looks at the segments from ``first`` on; a finger also keeps out of its own palm.
    """
    pose_digit(scene, digit, angles)
    g0, g1, g2 = digit_gaps(scene, count, first)
    room = min(g0, g1, g2) + share * scene.tolerance
    if digit == _THUMB or angles[2] < 1.0:
        return room
    return min(room, own_palm_gap(scene) + _FLESH_M)


@kernel
def first_contact(
    scene: Scene, digit: int, count: int, start: Quat, end: Quat, share: float, first: int
) -> float:
    """Where on the line from start to end a digit sinks in by a share of the tolerance first.

    From 0 to 1; NEVER, or INSIDE_AT_ONCE. Good to a fifth of the tolerance.
    """
    band = _BAND * scene.tolerance
    pace = 1.0 / max(reach_of(scene, digit, start, end), 1e-9)
    low, room_low = 0.0, headroom(scene, digit, count, start, share, first)
    if room_low < -band:
        return INSIDE_AT_ONCE
    high, room_high = 0.0, room_low
    while True:
        high = min(low + max(room_low * pace, _LEAST_STEP), 1.0)
        room_high = headroom(scene, digit, count, on_line(digit, start, end, high), share, first)
        if room_high <= band:
            break
        if high >= 1.0:
            return NEVER
        low, room_low = high, room_high
    if room_high >= -band:
        return high
    for turn in range(_ROUNDS):
        middle = 0.5 * (low + high)
        if turn % 2 == 0 and room_low > room_high:
            aimed = room_low / (room_low - room_high)
            middle = low + min(max(aimed, 0.1), 0.9) * (high - low)
        room = headroom(scene, digit, count, on_line(digit, start, end, middle), share, first)
        if abs(room) <= band:
            return middle
        if room > 0.0:
            low, room_low = middle, room
        else:
            high, room_high = middle, room
    return low


@kernel
def judge(scene: Scene, digit: int, count: int, angles: Quat) -> tuple[int, int, float]:
    """Tell how a posture touches: its state, which segments touch (bits), and a score.

    The score counts the segments that touch the tube; one that touches what else there is of the
    object counts little.
    """
    pose_digit(scene, digit, angles)
    gaps = digit_gaps(scene, count, 0)
    least = min(gaps[0], gaps[1], gaps[2])
    if least <= -scene.tolerance:
        return _INSIDE, 0, -1.0
    touching, score = 0, 0.0
    for segment in range(SEGMENTS):
        if gaps[segment] <= 0.0:
            touching |= 1 << segment
            score += 1.0 if not scene.solid or _is_at_tube(scene, count, segment) else 0.1
    if touching == 0:
        return _AT_LIMIT, 0, 0.0
    return _TOUCHES, touching, score


@kernel
def _is_at_tube(scene: Scene, count: int, segment: int) -> bool:
    """Whether a place where the mesh is touched is the tube's: its sections need not be round."""
    _, gap = tube_normal(scene, count, segment)
    wide = 0.0
    for i in range(count):
        wide = max(wide, scene.local[scene.near[i], 6])
    return gap <= 0.5 * wide + scene.tolerance


@kernel
def close_finger(scene: Scene, digit: int, spread: float) -> tuple[int, float, Quat]:
    """Close a finger on what is before it: its state, score and angles.

    The knuckle closes a stretched finger, then its PIP joint; where the object does not let a
    stretched finger through, one that is bent already is tried.
    """
    count = gather(scene, digit, spread)
    state, score, angles = _INSIDE, -1.0, (0.0, spread, 0.0, 0.0)
    for bent in _SHAPES:
        found, gained, posture = _close_shaped(scene, digit, count, spread, bent)
        if gained > score:
            state, score, angles = found, gained, posture
        if score >= 1.0 or (state == _AT_LIMIT and not scene.solid):
            break
    return state, score, angles


@kernel
def _close_shaped(
    scene: Scene, digit: int, count: int, spread: float, bent: float
) -> tuple[int, float, Quat]:
    low, high = ANGLE_LOWER[4 * digit + MCP], ANGLE_UPPER[4 * digit + MCP]
    end = (high, spread, bent, 0.0)
    at = INSIDE_AT_ONCE
    start = end
    for i in range(_STARTS):
        start = (low + i * (high - low) / _STARTS, spread, bent, dip_from_pip(bent))
        at = first_contact(scene, digit, count, start, end, KNUCKLE_SHARE, 0)
        if at != INSIDE_AT_ONCE:
            break
    if at == INSIDE_AT_ONCE:
        return _INSIDE, -1.0, start
    mcp = on_line(digit, start, end, min(at, 1.0))[0]
    angles = _bend(scene, digit, count, mcp, spread, bent)
    state, touching, score = judge(scene, digit, count, angles)
    if at != NEVER and touching & 1 == 0 and touching != 0:
        return _curl(scene, digit, count, angles, bent)
    return state, score, angles


@kernel
def _bend(scene: Scene, digit: int, count: int, mcp: float, spread: float, bent: float) -> Quat:
    """Bend the PIP joint till a segment after it is stopped."""
    most = ANGLE_UPPER[4 * digit + PIP]
    start = (mcp, spread, bent, dip_from_pip(bent))
    end = (mcp, spread, most, 0.0)
    at = first_contact(scene, digit, count, start, end, LAST_SHARE, 1)
    return on_line(digit, start, end, min(max(at, 0.0), 1.0))


@kernel
def _curl(
    scene: Scene, digit: int, count: int, straight: Quat, bent: float
) -> tuple[int, float, Quat]:
    """Let the knuckle go back and the PIP joint close for it: the finger hooks round the tube.

    A stretched finger met the tube beyond its first segment. From there on a dichotomy looks for
    the knuckle's angle at which both other segments touch.
    """
    low = ANGLE_LOWER[4 * digit + MCP]
    best = straight
    state, touching, score = judge(scene, digit, count, best)
    over, under = straight[0], straight[0]
    for _ in range(_CURLS):
        if touching & 4 != 0 and best[2] > 0.5:
            break
        under = max(over - _CURL_RAD, low)
        angles = _bend(scene, digit, count, under, straight[1], bent)
        found, mask, gained = judge(scene, digit, count, angles)
        if found != _TOUCHES or gained < score:
            break
        state, touching, score, best = found, mask, gained, angles
        if gained > 1.0 or under <= low:
            break
        over = under
    for _ in range(4):
        if score > 1.0 or under >= over:
            break
        middle = 0.5 * (over + under)
        angles = _bend(scene, digit, count, middle, straight[1], bent)
        found, mask, gained = judge(scene, digit, count, angles)
        if found == _TOUCHES and gained > score:
            state, score, best = found, gained, angles
        if mask & 4 != 0:
            under = middle
        else:
            over = middle
    return state, score, best


@kernel
def spread_of(digit: int, between: float) -> float:
    """Spread of a finger where neighbours are turned by ``between`` from each other, rad."""
    wished = between * (2.5 - digit)
    low, high = ANGLE_LOWER[4 * digit + 1], ANGLE_UPPER[4 * digit + 1]
    return min(max(wished, low), high)


@kernel
def relax(scene: Scene, digit: int, relaxed: Quat) -> tuple[int, Quat]:
    """Find a posture for a digit that takes no part: relaxed, or as near to it as can be."""
    count = gather(scene, digit, relaxed[1])
    opened = (ANGLE_LOWER[4 * digit], relaxed[1], 0.0, 0.0)
    if digit == _THUMB:
        opened = (ANGLE_LOWER[0], 0.0, ANGLE_LOWER[2], ANGLE_LOWER[3])
    at = first_contact(scene, digit, count, opened, relaxed, KNUCKLE_SHARE, 0)
    if at == INSIDE_AT_ONCE:
        return _INSIDE, opened
    return _RELAXED, on_line(digit, opened, relaxed, min(at, 1.0))
