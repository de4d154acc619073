"""Owns a person's lengths from head and hands alone: a T-pose, or some seconds of movement.

Three numbers are estimated: stature H, arm A (shoulder to wrist) and half the shoulders' width s.
Before anything is seen they follow the proportions of people (below); every observation is a
linear one with a stated deviation, so the estimate is a Gaussian update, the least squares of all
that is known. ``docs/chest.md`` derives it and reports its errors on recorded people.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from armspan.solvers.body.chest import chest_from_head
from armspan.solvers.body.forward import Floats
from armspan.solvers.body.skeleton import (
    DEFAULT_LENGTHS,
    EYE_HEIGHT,
    FOREARM,
    LENGTH_NAMES,
    PALM,
    SHOULDER_LATERAL,
    SHOULDER_UP,
    UPPER_ARM,
)
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import quat_normalised, quat_rotate
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

MOVEMENT_S = 2.0
"""So much movement is wanted for a calibration."""

# Shares of stature. Eyes: Drillis & Contini 1966 (Winter, Biomechanics and Motor Control of Human
# Movement, figure 4.1). How elbows divide arms between joint centres: de Leva 1996, table 4 (0.512
# in men, 0.510 in women). All others are the default skeleton's; its arm, 0.324, is between those
# two sources' 0.332 and 0.314.
_EYES = 0.936
_UPPER_SHARE = 0.511
_STATURE_M = float(DEFAULT_LENGTHS[EYE_HEIGHT]) / _EYES
_ARM = float(DEFAULT_LENGTHS[UPPER_ARM] + DEFAULT_LENGTHS[FOREARM]) / _STATURE_M
_SHOULDER = float(DEFAULT_LENGTHS[SHOULDER_LATERAL]) / _STATURE_M
_PALM = float(DEFAULT_LENGTHS[PALM]) / _STATURE_M

# Deviations, metres: of people, and of what is observed of one.
_STATURE_SD, _ARM_SD, _SHOULDER_SD = 0.12, 0.028, 0.016
_EYES_SD = 0.02
_STRETCHED_SD = 0.03  # the shoulder is where the chest found from the head has it
_SPAN_SD = 0.015
_ELBOW_SD = 0.01  # of where the elbow divides an arm
_UNMEASURED = 0.1  # of a length that only follows the stature
_TELLING = 0.9  # a deviation smaller by a tenth than before: the hands had a say

_LOWEST_EYES_M, _HIGHEST_EYES_M = 1.30, 2.0  # others sit or climb, or are children: see ``_eyes``
_UPRIGHT = np.cos(np.radians(25.0))  # a head that is tilted further tells no height
_STRETCHED_PERCENTILE = 95.0
_OUTWARD = 0.6  # an arm stretched to its own side: cosine from the line of the shoulders
_LEAST_FRAMES = 8  # of a kind, before a percentile of them means anything
_LEVEL_M = 0.25  # hands of a T-pose: no further above or below the shoulders
_SPREAD = 0.85  # and this share of the expected span apart at least
_MOST_FRAMES = 20_000  # evenly taken from a longer recording, so that memory stays bounded


class CalibrationError(ValueError):
    """Nothing can be told from these frames; the message says why."""


class CalibrationPose(Enum):
    """What the frames show."""

    AUTO = "auto"
    """A T-pose if at least half of the frames show one, else movement."""
    T = "t"
    MOVEMENT = "movement"


class Source(Enum):
    """Where a length comes from."""

    MEASURED = "measured"
    """These frames narrowed it down."""
    PROPORTIONS = "proportions"
    """In proportion to the stature that was measured."""
    USUAL = "usual"
    """Of people at large: these frames told no stature."""


@dataclass(frozen=True)
class Calibration:
    """A person's lengths, and how far they can be trusted."""

    lengths: Floats
    """(11,) metres, in the order of ``LENGTH_NAMES``."""
    deviations: Floats
    """(11,) metres: one standard deviation as the model sees it."""
    sources: tuple[Source, ...]
    """11, one a length."""
    pose: CalibrationPose
    """T or MOVEMENT: what was used."""
    frames: int
    """How many frames showed it."""


class _Estimate:
    """Mean and covariance of stature, arm and half the shoulders' width."""

    def __init__(self) -> None:
        shares = np.array([1.0, _ARM, _SHOULDER])
        self.mean: Floats = _STATURE_M * shares
        own = np.diag([0.0, _ARM_SD**2, _SHOULDER_SD**2])
        self.covariance: Floats = np.outer(shares, shares) * _STATURE_SD**2 + own

    def observe(self, row: list[float], value: float, deviation: float) -> None:
        """Take in that ``row`` times the three is ``value``, with that deviation."""
        weights = np.array(row)
        gain = self.covariance @ weights
        gain /= weights @ gain + deviation**2
        self.mean = self.mean + gain * (value - weights @ self.mean)
        self.covariance = self.covariance - np.outer(gain, weights @ self.covariance)

    def deviations(self) -> Floats:
        """Standard deviations (3,) of the three."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


def calibrate(
    heads: Floats, hands: Floats, tracked: Flags, pose: CalibrationPose = CalibrationPose.AUTO
) -> Calibration:
    """The lengths of someone seen in T frames, floor at y = 0.

    ``heads`` (T, 7) between the eyes, ``hands`` (T, 2, 7) palms, ``tracked`` (T, 2); metres, xyzw,
    finite. Raises CalibrationError if there are no frames, or no T-pose where one is asked for.
    """
    if not len(heads):
        raise CalibrationError("there are no frames to calibrate from")
    step = -(-len(heads) // _MOST_FRAMES)
    heads = np.ascontiguousarray(heads[::step], np.float64)
    hands = np.ascontiguousarray(hands[::step], np.float64)
    tracked = np.ascontiguousarray(tracked[::step])
    estimate, eyes_m = _Estimate(), _eyes(heads)
    standing = _LOWEST_EYES_M <= eyes_m <= _HIGHEST_EYES_M
    if standing:
        estimate.observe([_EYES, 0.0, 0.0], eyes_m, _EYES_SD)
    before = estimate.deviations()
    wide = np.zeros(len(heads), np.bool_)
    if pose is not CalibrationPose.MOVEMENT:
        wide = _t_frames(heads, hands, tracked, estimate, eyes_m)
        if pose is CalibrationPose.T and not wide.any():
            raise CalibrationError(
                "no frame shows a T-pose; stretch both arms sideways at the height of the shoulders"
            )
    if wide.any() and (pose is CalibrationPose.T or 2 * wide.sum() >= len(wide)):
        _observe_span(estimate, heads[wide], hands[wide])
        sources = _sources(before, estimate, eyes_m, True)
        frames, shown = int(wide.sum()), CalibrationPose.T
    else:
        _observe_reach(estimate, heads, hands, tracked)
        sources = _sources(before, estimate, eyes_m, standing)
        frames, shown = len(heads), CalibrationPose.MOVEMENT
    lengths = _lengths(estimate, eyes_m)
    return Calibration(lengths, _deviations(estimate, lengths, eyes_m), sources, shown, frames)


def _eyes(heads: Floats) -> float:
    """The eyes' height when upright: what 95 % of the frames with a level head stay below.

    Between ``_LOWEST_EYES_M`` and ``_HIGHEST_EYES_M`` it tells the stature. Lower eyes are those
    of a child, or of an adult who sits; higher ones those of someone who stands on something.
    """
    x, z = heads[:, 3], heads[:, 5]
    level = 1.0 - 2.0 * (x * x + z * z) / np.sum(heads[:, 3:] ** 2, axis=1) >= _UPRIGHT
    heights = heads[level, 1] if level.sum() >= min(_LEAST_FRAMES, len(heads)) else heads[:, 1]
    return float(np.percentile(heights, 95.0))


def _lengths(estimate: _Estimate, eyes_m: float) -> Floats:
    """The lengths (11,) that follow from the estimate."""
    stature, arm, shoulder = estimate.mean
    lengths = DEFAULT_LENGTHS * (stature / _STATURE_M)
    lengths[SHOULDER_LATERAL] = shoulder
    lengths[UPPER_ARM], lengths[FOREARM] = _UPPER_SHARE * arm, (1.0 - _UPPER_SHARE) * arm
    # Who sits or is small has eyes as high as they are; who climbs has not.
    lengths[EYE_HEIGHT] = eyes_m if eyes_m <= _HIGHEST_EYES_M else _EYES * stature
    return lengths


def _shoulder_height(heads: Floats, lengths: Floats) -> Floats:
    """Heights (T,) of the shoulders of someone upright below these heads."""
    default = DEFAULT_LENGTHS[EYE_HEIGHT]
    down = default - _upright_shoulder_m()
    return heads[:, 1] - down * lengths[SHOULDER_UP] / DEFAULT_LENGTHS[SHOULDER_UP]


def _upright_shoulder_m() -> float:
    """Height of the default skeleton's shoulders."""
    pose = np.array([0.0, DEFAULT_LENGTHS[EYE_HEIGHT], 0.0, 0.0, 0.0, 0.0, 1.0])
    chest = np.empty(7)
    chest_from_head(DEFAULT_LENGTHS, pose, np.zeros((2, 7)), False, False, chest)
    return float(chest[1] + DEFAULT_LENGTHS[SHOULDER_UP])


def _t_frames(
    heads: Floats, hands: Floats, tracked: Flags, estimate: _Estimate, eyes_m: float
) -> Flags:
    """Frames (T,) in which both arms are stretched sideways."""
    lengths = _lengths(estimate, _EYES * float(estimate.mean[0]))
    rise = hands[..., 1] - _shoulder_height(heads, lengths)[:, None]
    apart = np.linalg.norm(hands[:, 1, :3] - hands[:, 0, :3], axis=1)
    span = _SPREAD * 2.0 * float(estimate.mean @ [_PALM, 1.0, 1.0])
    if eyes_m < _LOWEST_EYES_M:  # someone who sits, or a child: as wide as a child's will do
        span *= eyes_m / (_EYES * float(estimate.mean[0]))
    wide = (apart >= span) & (np.abs(rise) <= _LEVEL_M).all(axis=1)
    return wide & tracked[:, 0] & tracked[:, 1]


def _observe_span(estimate: _Estimate, heads: Floats, hands: Floats) -> None:
    """Half the span of straight arms is shoulder, arm and palm; drooping hands are straightened."""
    lengths = _lengths(estimate, _EYES * float(estimate.mean[0]))
    apart = hands[:, 1, :3] - hands[:, 0, :3]
    half = 0.5 * np.hypot(apart[:, 0], apart[:, 2])
    droop = hands[..., 1] - _shoulder_height(heads, lengths)[:, None]
    arm = np.maximum(half - lengths[SHOULDER_LATERAL], 1e-3)
    straight = lengths[SHOULDER_LATERAL] + np.hypot(arm[:, None], droop).mean(axis=1)
    span = float(np.percentile(straight, 90.0))
    estimate.observe([_PALM, 1.0, 1.0], span, _SPAN_SD)


def _observe_reach(estimate: _Estimate, heads: Floats, hands: Floats, tracked: Flags) -> None:
    """Wrists are within the arm's length of the shoulders; those that go further lengthen it.

    One observation for arms stretched outward, which tell of the shoulders' width as well, and one
    for all others.
    """
    lengths = _lengths(estimate, _EYES * float(estimate.mean[0]))
    reach, outward = np.empty((len(heads), 2)), np.empty((len(heads), 2))
    _write_reach(lengths, heads, hands, tracked, reach, outward)
    for aside in (outward > _OUTWARD, outward <= _OUTWARD):
        those = aside & tracked
        if those.sum() < _LEAST_FRAMES:
            continue
        far = float(np.percentile(reach[those], _STRETCHED_PERCENTILE))
        share = float(outward[those & (reach >= far)].mean())
        row = [0.0, 1.0, share]
        value = far + share * float(lengths[SHOULDER_LATERAL])
        if value > estimate.mean @ row:
            estimate.observe(row, value, _STRETCHED_SD)


@kernel
def _write_reach(lengths: Floats, heads: Floats, hands: Floats, tracked: Flags, reach: Floats,
                 outward: Floats) -> None:  # fmt: skip
    """Write how far wrists are from their shoulders (T, 2), and how far outward (cosine)."""
    chest = np.empty(7)
    for row in range(len(heads)):
        chest_from_head(lengths, heads[row], hands[row], tracked[row, 0], tracked[row, 1], chest)
        trunk = quat_normalised((chest[3], chest[4], chest[5], chest[6]))
        for side in range(2):
            sign = 1.0 if side == 1 else -1.0
            palm = hands[row, side]
            back = quat_rotate(
                quat_normalised((palm[3], palm[4], palm[5], palm[6])), (0.0, 0.0, lengths[PALM])
            )
            at = quat_rotate(trunk, (sign * lengths[SHOULDER_LATERAL], lengths[SHOULDER_UP], 0.0))
            out = quat_rotate(trunk, (sign, 0.0, 0.0))
            x = palm[0] + back[0] - chest[0] - at[0]
            y = palm[1] + back[1] - chest[1] - at[1]
            z = palm[2] + back[2] - chest[2] - at[2]
            far = max(np.sqrt(x * x + y * y + z * z), 1e-9)
            reach[row, side] = far
            outward[row, side] = (x * out[0] + y * out[1] + z * out[2]) / far


def _deviations(estimate: _Estimate, lengths: Floats, eyes_m: float) -> Floats:
    """One standard deviation (11,) of each length."""
    stature_m, arm_m, shoulder_m = estimate.deviations()
    deviations = _UNMEASURED * lengths
    deviations[SHOULDER_LATERAL] = shoulder_m
    deviations[UPPER_ARM] = deviations[FOREARM] = 0.5 * arm_m + _ELBOW_SD
    deviations[EYE_HEIGHT] = _EYES_SD if eyes_m <= _HIGHEST_EYES_M else _EYES * stature_m
    return deviations


def _sources(
    before: Floats, estimate: _Estimate, eyes_m: float, stature_is_known: bool
) -> tuple[Source, ...]:
    """Where each length comes from; ``before`` (3,): deviations before hands were looked at."""
    told = estimate.deviations() < _TELLING * before
    usual = Source.PROPORTIONS if stature_is_known else Source.USUAL
    kinds = dict.fromkeys(LENGTH_NAMES, usual)
    if told[1]:
        kinds["upper_arm_m"] = kinds["forearm_m"] = Source.MEASURED
    if told[2]:
        kinds["shoulder_lateral_m"] = Source.MEASURED
    if eyes_m <= _HIGHEST_EYES_M:
        kinds["eye_height_m"] = Source.MEASURED
    return tuple(kinds.values())
