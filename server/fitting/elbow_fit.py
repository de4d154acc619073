"""Owns the fit of the elbow model: weighted least squares in one number, robust, and calmed.

What is fitted is s of ``solvers/body/elbow.py`` before it is bounded. A residual is weighed so that
it counts as metres by which the elbow is off. Imaginary arms, anywhere and turned anyhow, ask for
swivel zero: they say what to do where nobody was recorded.
"""

from dataclasses import dataclass

import numpy as np
from armspan.server.fitting.arms import Arms
from armspan.server.traces.rotations import Array, rotate
from armspan.solvers.body.elbow import (
    HAND_TERMS,
    MONOMIALS,
    TERMS,
    place_monomials,
    resting_elbow,
)
from armspan.solvers.body.elbow_coefficients import MOST_TANGENT
from armspan.solvers.body.skeleton import DEFAULT_LENGTHS, FOREARM, UPPER_ARM
from armspan.solvers.kernel import kernel

_FITTED_HZ = 30.0  # neighbouring frames at 120 Hz say the same
_HAND_NOISE_RAD = np.radians(5.0)  # recorded wrists are no better than this
_COPIES = 2
_IMAGINARY = 4000
_IMAGINARY_PULL_M = 0.03  # all together weigh as much as one clip's elbows this far off the line
_RIDGE_M2 = 1e-5
_ALWAYS_M = 0.02  # added to the circle's radius, so that straight arms count a little, too
_OUTLIER_M = 0.03
_REWEIGHTINGS = 3
_STEEPEST = 0.85  # of the greatest tangent: beyond it the bounded curve is too flat to aim at


@dataclass(frozen=True)
class Rows:
    """Weighted equations ``terms @ coefficients = wanted`` of one clip."""

    terms: Array  # (n, TERMS)
    wanted: Array  # (n,)
    metres: Array  # (n,): elbow metres that one unit of residual makes
    share: float
    """What a square metre of this clip weighs: long clips more, but not in proportion."""


@kernel
def _write_terms(away: Array, hands: Array, lengths: Array, terms: Array) -> None:
    for i in range(away.shape[0]):
        m = place_monomials((away[i, 0], away[i, 1], away[i, 2]), lengths)
        column = 0
        for monomial in m:
            terms[i, column] = monomial
            for j in range(HAND_TERMS):
                terms[i, column + 1 + j] = monomial * hands[i, j // 3, j % 3]
            column += 1 + HAND_TERMS
        for j in range(HAND_TERMS):
            for k in range(j, HAND_TERMS):
                terms[i, column] = hands[i, j // 3, j % 3] * hands[i, k // 3, k % 3]
                column += 1


def terms_of(away: Array, hands: Array, lengths: Array) -> Array:
    """What the coefficients multiply, (n, TERMS), in the order of ``split``."""
    terms = np.empty((len(away), TERMS))
    _write_terms(np.ascontiguousarray(away), np.ascontiguousarray(hands), lengths, terms)
    return terms


@kernel
def _write_resting(away: Array, resting: Array) -> None:
    for i in range(away.shape[0]):
        resting[i, 0], resting[i, 1], resting[i, 2] = resting_elbow(
            (away[i, 0], away[i, 1], away[i, 2])
        )


def resting_directions(away: Array) -> Array:
    """Swivel zero (n, 3) of arms along ``away`` (n, 3)."""
    unit = away / np.linalg.norm(away, axis=1, keepdims=True)
    resting = np.empty_like(unit)
    _write_resting(unit, resting)
    return resting


def predicted_directions(arms: Arms, coefficients: Array) -> Array:
    """Where the model with these coefficients (TERMS,) puts the elbows: unit vectors (n, 3)."""
    s = terms_of(arms.away, arms.hands, arms.lengths) @ coefficients
    t = (s / np.sqrt(1.0 + (s / MOST_TANGENT) ** 2))[:, None]
    p = resting_directions(arms.away)
    b = np.cross(arms.away / np.linalg.norm(arms.away, axis=1, keepdims=True), p)
    return ((1.0 - t * t) * p + 2.0 * t * b) / (1.0 + t * t)


def rows_of(arms: Arms, random: np.random.Generator) -> Rows:
    """A clip's equations, its hands shaken a little."""
    kept = slice(None, None, max(round(arms.rate_hz / _FITTED_HZ), 1))
    away, hands = arms.away[kept], arms.hands[kept]
    t = _tangents(away, arms.elbow_directions()[kept])
    flat = 1.0 - (t / MOST_TANGENT) ** 2
    slope = 2.0 / (1.0 + t * t) * flat**1.5  # the swivel's derivative by s
    metres = slope * (np.linalg.norm(arms.elbows - arms.centres, axis=1)[kept] + _ALWAYS_M)
    shaken = [_shaken(hands, random) for _ in range(_COPIES)]
    return Rows(
        terms=np.concatenate([terms_of(away, turned, arms.lengths) for turned in shaken]),
        wanted=np.tile(t / np.sqrt(flat), _COPIES),
        metres=np.tile(metres, _COPIES),
        share=1.0 / (_COPIES * np.sqrt(len(t))),
    )


def _tangents(away: Array, directions: Array) -> Array:
    """Tangents of half the recorded swivels, no steeper than can be aimed at."""
    p = resting_directions(away)
    b = np.cross(away / np.linalg.norm(away, axis=1, keepdims=True), p)
    swivel = np.arctan2(np.sum(b * directions, axis=1), np.sum(p * directions, axis=1))
    steepest = _STEEPEST * MOST_TANGENT
    return np.clip(np.tan(0.5 * swivel), -steepest, steepest)


def _shaken(hands: Array, random: np.random.Generator) -> Array:
    vectors = random.normal(size=(len(hands), 3)) * _HAND_NOISE_RAD
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    turns = np.concatenate(
        [vectors * np.sinc(0.5 * angles / np.pi) * 0.5, np.cos(0.5 * angles)], axis=1
    )
    return rotate(turns[:, None], hands)


def _imaginary(random: np.random.Generator) -> Array:
    """Terms of arms in every direction, with hands turned in every way."""
    directions = random.normal(size=(_IMAGINARY, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    length = DEFAULT_LENGTHS[UPPER_ARM] + DEFAULT_LENGTHS[FOREARM]
    away = directions * length * np.sqrt(random.uniform(0.2, 1.0, (_IMAGINARY, 1)))
    turns = random.normal(size=(_IMAGINARY, 1, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    return terms_of(away, rotate(turns, np.eye(3)[None]), np.array(DEFAULT_LENGTHS))


def fit(clips: list[Rows], seed: int = 0) -> Array:
    """The coefficients (TERMS,) for these clips."""
    terms = np.concatenate([clip.terms for clip in clips])
    wanted = np.concatenate([clip.wanted for clip in clips])
    metres = np.concatenate([clip.metres for clip in clips])
    everyone = sum(clip.share * len(clip.wanted) for clip in clips)
    share = np.concatenate([np.full(len(clip.wanted), clip.share) for clip in clips]) / everyone
    imagined = _imaginary(np.random.default_rng(seed))
    calm = _IMAGINARY_PULL_M**2 / _IMAGINARY * imagined.T @ imagined + _RIDGE_M2 * np.eye(TERMS)
    trust = np.ones(len(wanted))
    coefficients: Array = np.zeros(TERMS)
    for _ in range(_REWEIGHTINGS + 1):
        weighted = terms * (share * trust * metres**2)[:, None]
        solved = np.linalg.solve(terms.T @ weighted + calm, weighted.T @ wanted)
        coefficients = solved.astype(np.float64)
        off_m = metres * (terms @ coefficients - wanted)
        trust = 1.0 / np.sqrt(1.0 + (off_m / _OUTLIER_M) ** 2)
    return coefficients


def split(coefficients: Array) -> tuple[Array, Array]:
    """PLACE (10, 10) and TURN (9, 9), upper triangular, of ``body/elbow_coefficients.py``."""
    size = MONOMIALS * (1 + HAND_TERMS)
    turn = np.zeros((HAND_TERMS, HAND_TERMS))
    turn[np.triu_indices(HAND_TERMS)] = coefficients[size:]
    return coefficients[:size].reshape(MONOMIALS, 1 + HAND_TERMS), turn
