"""Owns the fit of trunks' habits to recorded people, and its judgement on those left out."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from armspan.server.fitting.trunks import UP, Trunks, headings
from armspan.server.traces.rotations import Array, rotate
from armspan.solvers.body.trunk import HABITS, Habits

HELD = ("lean_look",)
"""Habits that are chosen, not fitted: looking down must not push the chest back."""

_TILT_M = 0.1  # a radian of tilt counts as much as a shoulder so far off
_SCALE_M = 0.05  # of the residuals; with it the ridge has no unit
_RIDGE = 0.1  # draws habits to zero: what the clips leave open stays unused
_DIGITS = 3
_ROUNDS, _STEP = 60, 1e-6


@dataclass(frozen=True)
class TrunkError:
    """How far found trunks are from recorded ones, over a clip's frames."""

    shoulder_mean_mm: float
    chest_mean_mm: float
    chest_p95_mm: float
    yaw_median_deg: float
    yaw_p90_deg: float
    tilt_mean_deg: float


@dataclass(frozen=True)
class TrunkReport:
    """One clip. ``shipped``: with the habits in use. ``fitted``: on all clips. ``clip`` and
    ``person``: fitted without this clip, without everything of this person. ``alone``: the
    habits in use, with both hands lost."""

    clip: str
    person: str
    errors: dict[str, TrunkError]


@dataclass(frozen=True)
class TrunkStudy:
    """A fit on all clips, and what to expect of it."""

    habits: Habits
    clips: list[TrunkReport]
    overall: dict[str, TrunkError]
    """Means over clips."""

    def report(self) -> dict[str, object]:
        """What ``--json`` writes."""
        return {
            "habits": self.habits._asdict(),
            "clips": [asdict(clip) for clip in self.clips],
            "mean": {name: asdict(error) for name, error in self.overall.items()},
        }


def study_trunks(clips: Sequence[Trunks]) -> TrunkStudy:
    """Fit on all clips, and without each clip and each person in turn."""
    fitted = fit_habits(clips, HABITS)
    without_person = {
        person: fit_habits([clip for clip in clips if clip.person != person], fitted)
        for person in {clip.person for clip in clips}
    }
    reports: list[TrunkReport] = []
    for clip in clips:
        without_clip = fit_habits([other for other in clips if other is not clip], fitted)
        habits = {
            "shipped": HABITS,
            "fitted": fitted,
            "clip": without_clip,
            "person": without_person[clip.person],
        }
        errors = {name: error_of(clip, of) for name, of in habits.items()}
        errors["alone"] = error_of(replace(clip, tracked=np.zeros_like(clip.tracked)), HABITS)
        reports.append(TrunkReport(clip.clip, clip.person, errors))
    overall = {name: _mean([clip.errors[name] for clip in reports]) for name in reports[0].errors}
    return TrunkStudy(fitted, reports, overall)


def fit_habits(clips: Sequence[Trunks], start: Habits) -> Habits:
    """Least squares over all clips alike: both shoulders, and the trunk's up.

    Without any clip the ``start`` comes back.
    """
    free = [index for index, name in enumerate(Habits._fields) if name not in HELD]

    def habits_of(values: Array) -> Habits:
        every = np.array(start)
        every[free] = values
        return Habits(*every.tolist())

    def residuals(values: Array) -> Array:
        habits = habits_of(values)
        rows = [_residuals(clip, habits) / np.sqrt(len(clips)) for clip in clips]
        return np.concatenate([*rows, _RIDGE * values])

    if not clips:
        return start
    found = _least_squares(residuals, np.array(start)[free])
    return Habits(*(round(value, _DIGITS) for value in habits_of(found)))


def _least_squares(residuals: Callable[[Array], Array], start: Array) -> Array:
    """The values with the least sum of squares near ``start``, by Levenberg and Marquardt."""
    values, now, damping = start, residuals(start), 1e-3
    for _ in range(_ROUNDS):
        slopes = [(residuals(values + _STEP * axis) - now) / _STEP for axis in np.eye(len(values))]
        jacobian = np.stack(slopes, axis=1)
        normal = jacobian.T @ jacobian
        change = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -jacobian.T @ now)
        then = residuals(values + change)
        if then @ then < now @ now:
            values, now, damping = values + change, then, 0.1 * damping
        else:
            damping *= 10.0
        if np.abs(change).max() < 0.1 * 10.0**-_DIGITS:
            break
    return values


def _residuals(clip: Trunks, habits: Habits) -> Array:
    chests = clip.found(habits)
    off = (clip.shoulders_of(chests) - clip.shoulders).reshape(-1, 6)
    tilt = _TILT_M * (rotate(chests[:, 3:], UP) - rotate(clip.chests[:, 3:], UP))
    return np.hstack([off, tilt]).ravel() / (_SCALE_M * np.sqrt(len(chests)))


def error_of(clip: Trunks, habits: Habits) -> TrunkError:
    """How far these habits are off on a clip."""
    chests = clip.found(habits)
    shoulder = np.linalg.norm(clip.shoulders_of(chests) - clip.shoulders, axis=-1)
    chest = np.linalg.norm(chests[:, :3] - clip.chests[:, :3], axis=1)
    cosine = np.sum(headings(chests[:, 3:]) * headings(clip.chests[:, 3:]), axis=1)
    yaw = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    up = np.sum(rotate(chests[:, 3:], UP) * rotate(clip.chests[:, 3:], UP), axis=1)
    return TrunkError(
        shoulder_mean_mm=float(1e3 * shoulder.mean()),
        chest_mean_mm=float(1e3 * chest.mean()),
        chest_p95_mm=float(1e3 * np.percentile(chest, 95)),
        yaw_median_deg=float(np.median(yaw)),
        yaw_p90_deg=float(np.percentile(yaw, 90)),
        tilt_mean_deg=float(np.degrees(np.arccos(np.clip(up, -1.0, 1.0))).mean()),
    )


def _mean(errors: Sequence[TrunkError]) -> TrunkError:
    fields = [asdict(error) for error in errors]
    return TrunkError(**{name: float(np.mean([of[name] for of in fields])) for name in fields[0]})
