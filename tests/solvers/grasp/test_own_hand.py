"""A hand in a grasp goes nowhere through itself, and closes as far as it can."""

import numpy as np
from armspan.solvers.grasp import DigitState, Thumb, search_grasp
from armspan.solvers.hand import ANGLE_UPPER, DIGITS

from tests.solvers.grasp.test_search import cases, compiled


def own_gaps(hand, angles) -> np.ndarray:
    """Gaps (20, 20) between all capsules of a hand."""
    ends = hand.capsules(angles)
    shares = np.linspace(0.0, 1.0, 33)[:, None]
    points = np.stack([one[:3] + shares * (one[3:6] - one[:3]) for one in ends])
    out = np.empty((len(ends), len(ends)))
    for row, one in enumerate(ends):
        along = one[3:6] - one[:3]
        u = np.clip((points - one[:3]) @ along / max(along @ along, 1e-12), 0.0, 1.0)
        away = np.linalg.norm(points - one[:3] - u[..., None] * along, axis=-1).min(axis=1)
        out[row] = away - ends[:, 6] - one[6]
    return out


@compiled
def test_a_hand_does_not_go_through_itself_and_its_fingers_close_as_far_as_they_can():
    for site, hand, _ in cases(seed=11, count=120):
        grasp = search_grasp(site, hand)
        if not grasp.grasped:
            continue
        gaps = own_gaps(hand, grasp.joint_angles)
        own_palm = gaps[:15, 15:].min(axis=1).reshape(5, 3)
        thumb = min(own_palm[0, 1:].min(), gaps[1:3, 3:15].min())
        if site.thumb == Thumb.UNUSED:  # fingers close after it
            thumb = own_palm[0, 1:].min()
        assert thumb > -0.0035
        for digit in (1, 2, 3):
            here, beside = 3 * digit, 3 * digit + 3
            assert gaps[here + 1 : here + 3, beside : beside + 3].min() > -0.0065
            assert gaps[here, beside + 1 : beside + 3].min() > -0.0065
        for digit in range(1, DIGITS):
            if grasp.digits[digit] == DigitState.AT_LIMIT:
                ended = grasp.joint_angles[4 * digit + 2] >= ANGLE_UPPER[4 * digit + 2] - 1e-6
                assert ended or own_palm[digit, 1:].min() < -0.002
