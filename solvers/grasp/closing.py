"""Owns how one finger closes: by dichotomy on its knuckle's flexion, and then on its PIP joint's.

With the sum of the radii S, the distance D and the tolerance e: D > S is outside, S >= D > S - e
touches, D <= S - e is inside (Abaci et al., section 6.1). A finger is closed on straight lines in
its joint space; what is looked for on a line is where the gap D - S falls to a given share of e
first. Steps as long as the gap allows find the first place and no later one; a dichotomy, sped up
by every other step going where the gap's ends point to, finds it exactly.
"""

from typing import Final

from armspan.solvers.grasp.gaps import digit_gap, own_palm_gap, solid_digit_gap
from armspan.solvers.grasp.scene import (
    Scene,
    digit_gaps,
    gather,
    is_spent,
    pose_digit,
    tube_normal,
    write_digit,
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
LAST_SHARE: Final = (
    0.65  # ... and the next one, lest it be stopped by what the first one stopped at
)
_BAND = 0.15
FLESH_M: Final = 0.003  # how far parts of a hand sink into each other
_LEAST_STEP = 0.06
_ROUNDS = 60
_BENT_RAD = 1.0  # of the PIP joint, from which on a finger may meet its own palm
_STARTS = 12
_WAYS_OUT = 9
_CURL_RAD = 0.2
_CURLS = 5
_WORST = 9.0  # of a score, below nothing
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
def first_contact(
    scene: Scene, digit: int, count: int, start: Quat, end: Quat, share: float, first: int
) -> float:
    """Where on the line from start to end a digit sinks in by a share of the tolerance first.

    From 0 to 1; NEVER, or INSIDE_AT_ONCE, also where postures are spent. Good to 0.15 of the
    tolerance. Looks at the segments from ``first`` on; a finger also stops at its own palm.
    """
    band, wished = _BAND * scene.tolerance, share * scene.tolerance
    pace = 1.0 / max(reach_of(scene, digit, start, end), 1e-9)
    # Taken out of the tuple once: each time would count references, which costs as much as a look.
    sizes, rows, palm, solid = scene.sizes, scene.rows, scene.palm, scene.solid
    local, near, field, place = scene.local, scene.near, scene.field, scene.object_from_palm
    low, room_low, high, room_high = 0.0, 0.0, -1.0, 0.0
    u, looks, answer = 0.0, 0, NEVER
    left = scene.tested[1] - scene.tested[0]
    while True:
        if looks >= left:
            answer = INSIDE_AT_ONCE
            break
        looks += 1
        a, b, c, d = on_line(digit, start, end, u)
        write_digit(sizes, digit, a, b, c, d, rows)
        gap = digit_gap(rows, first, local, near, count)
        if solid and gap > -scene.tolerance:
            gap = solid_digit_gap(rows, first, field, place, gap, scene.step)
        room = gap + wished
        if digit != _THUMB and c > _BENT_RAD and room > -band:
            room = min(room, own_palm_gap(rows, palm) + FLESH_M)
        if u == 0.0 and room < -band:
            answer = INSIDE_AT_ONCE
            break
        if abs(room) <= band and (high >= 0.0 or u > 0.0):
            answer = u
            break
        if room > 0.0:
            low, room_low = u, room
        else:
            high, room_high = u, room
        if high < 0.0:  # still on the way: as far as nothing can be met
            if u >= 1.0:
                break
            u = min(u + max(room * pace, _LEAST_STEP), 1.0)
        elif looks > _ROUNDS:
            answer = low
            break
        else:
            u = _between(looks, low, room_low, high, room_high)
    scene.tested[0] += looks
    return answer


@kernel
def _between(look: int, low: float, room_low: float, high: float, room_high: float) -> float:
    """Where to look next: the middle, or every other time where the ends point to."""
    share = 0.5
    if look % 2 == 0 and room_low > room_high:
        share = min(max(room_low / (room_low - room_high), 0.1), 0.9)
    return low + share * (high - low)


@kernel
def judge(scene: Scene, digit: int, count: int, angles: Quat) -> tuple[int, int, float]:
    """Tell how a posture touches: its state, which segments touch (bits), and a score.

    Only the tube's touch counts: a digit that the rest of the object stops is closed as far as it
    can. The score is the number of segments that touch, less half of those that touch the rest.
    """
    pose_digit(scene, digit, angles)
    if is_spent(scene):
        return _INSIDE, 0, -_WORST
    gaps = digit_gaps(scene, count)
    least = min(gaps[0], gaps[1], gaps[2])
    if least <= -scene.tolerance:
        return _INSIDE, 0, -_WORST
    touching, score = 0, 0.0
    for segment in range(SEGMENTS):
        if gaps[segment] > 0.0:
            continue
        if not scene.solid or _is_at_tube(scene, count, segment):
            touching |= 1 << segment
            score += 1.0
        else:
            score -= 0.5
    return (_TOUCHES if touching != 0 else _AT_LIMIT), touching, score


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
    state, score, angles = _INSIDE, -_WORST, (0.0, spread, 0.0, 0.0)
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
        return _INSIDE, -_WORST, start
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
    """Find a posture for a digit that takes no part: relaxed, or as near to it as can be.

    Ways out are tried one after the other; from there the digit comes back as far as it can.
    """
    count = gather(scene, digit, relaxed[1])
    low, high = 4 * digit, 4 * digit + 1
    for way in range(_WAYS_OUT):
        bent = 0.2 * way
        opened = (ANGLE_LOWER[low], relaxed[1], bent, dip_from_pip(bent))
        if digit == _THUMB:
            lifted = ANGLE_LOWER[high] + way % 3 * 0.5 * (ANGLE_UPPER[high] - ANGLE_LOWER[high])
            flexed = ANGLE_LOWER[low] + way // 3 * 0.5 * (ANGLE_UPPER[low] - ANGLE_LOWER[low])
            opened = (flexed, lifted, ANGLE_LOWER[2], ANGLE_LOWER[3])
        at = first_contact(scene, digit, count, opened, relaxed, KNUCKLE_SHARE, 0)
        if at == INSIDE_AT_ONCE:
            continue
        angles = on_line(digit, opened, relaxed, min(at, 1.0))
        pose_digit(scene, digit, angles)
        if own_palm_gap(scene.rows, scene.palm) >= -FLESH_M:
            return _RELAXED, angles
    return _INSIDE, relaxed
