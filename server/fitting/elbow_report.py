"""Owns the judgement of the elbow model: on every clip by a fit that never saw it."""

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from armspan.server.fitting.arms import Arms, Shoulders, read_arms
from armspan.server.fitting.elbow_fit import (
    Rows,
    fit,
    predicted_directions,
    resting_directions,
    rows_of,
)
from armspan.server.traces.rotations import Array

_SEED = 1


@dataclass(frozen=True)
class ElbowError:
    """How far elbows are off, over the frames of a clip."""

    median_mm: float
    p90_mm: float


@dataclass(frozen=True)
class ClipReport:
    """One clip, judged by models that were fitted without it."""

    clip: str
    person: str
    frames: int
    """Of both arms, bad ones left out."""
    errors: dict[str, ElbowError]
    """By model and convention: ``model recorded``, ``model skeleton`` (the shoulder and lengths),
    ``person skeleton`` (everything of that person left out), ``constant recorded``, ..."""


@dataclass(frozen=True)
class ElbowStudy:
    """A fit on all clips, and what to expect of it."""

    coefficients: Array
    """(TERMS,) fitted on all clips."""
    clips: list[ClipReport]
    overall: dict[str, ElbowError]
    """The median over clips of either figure."""
    sorted_mm: dict[str, Array]
    """All frames' errors at the recorded shoulders, by model, ascending."""

    def report(self) -> dict[str, object]:
        """What ``--json`` writes."""
        return {
            "clips": [asdict(clip) for clip in self.clips],
            "median_over_clips": {name: asdict(error) for name, error in self.overall.items()},
            "coefficients": self.coefficients.tolist(),
        }


def study_elbows(paths: list[Path]) -> ElbowStudy:
    """Fit on the skeleton's arms of all clips; judge on each clip, and each person, left out.

    Raises RecordingError for a file that is no motion capture.
    """
    clips = [read_arms(path) for path in paths]
    random = np.random.default_rng(_SEED)
    rows = [rows_of(clip[Shoulders.SKELETON], random) for clip in clips]
    reports: list[ClipReport] = []
    errors_mm: dict[str, list[Array]] = {}
    for clip in clips:
        found = _left_out(clip, clips, rows)
        for name, errors in found.items():
            errors_mm.setdefault(name, []).append(errors)
        arms = clip[Shoulders.SKELETON]
        judged = {name: _summary(errors) for name, errors in found.items()}
        reports.append(ClipReport(arms.clip, arms.person, len(arms.away), judged))
    overall = {
        name: ElbowError(
            float(np.median([report.errors[name].median_mm for report in reports])),
            float(np.median([report.errors[name].p90_mm for report in reports])),
        )
        for name in errors_mm
    }
    pooled = {name: np.sort(np.concatenate(parts)) for name, parts in errors_mm.items()}
    return ElbowStudy(fit(rows), reports, overall, pooled)


def _left_out(
    judged: dict[Shoulders, Arms], clips: list[dict[Shoulders, Arms]], rows: list[Rows]
) -> dict[str, Array]:
    """Errors (mm) of a clip's frames, by name, of models that were fitted without it."""
    own = judged[Shoulders.SKELETON]
    every = [clip[Shoulders.SKELETON] for clip in clips]
    other = [i for i, arms in enumerate(every) if arms.clip != own.clip]
    stranger = [i for i, arms in enumerate(every) if arms.person != own.person]
    constant = _constant_direction([every[i] for i in other])
    by_clip = fit([rows[i] for i in other])
    by_person = fit([rows[i] for i in stranger]) if stranger else by_clip
    found: dict[str, Array] = {}
    for shoulders, arms in judged.items():
        across = _across(np.broadcast_to(constant, arms.away.shape), arms.away)
        directions = {
            "constant": across,
            "resting": resting_directions(arms.away),
            "model": predicted_directions(arms, by_clip),
            "person": predicted_directions(arms, by_person),
        }
        for name, chosen in directions.items():
            found[f"{name} {shoulders.value}"] = 1e3 * arms.errors_m(chosen)
    return found


def _constant_direction(clips: list[Arms]) -> Array:
    """One direction for all elbows: the mean of the recorded ones."""
    return np.concatenate([arms.elbow_directions() for arms in clips]).mean(axis=0)


def _across(directions: Array, away: Array) -> Array:
    u = away / np.linalg.norm(away, axis=1, keepdims=True)
    aside = directions - np.sum(directions * u, axis=1, keepdims=True) * u
    return aside / np.maximum(np.linalg.norm(aside, axis=1, keepdims=True), 1e-9)


def _summary(errors_mm: Array) -> ElbowError:
    return ElbowError(float(np.median(errors_mm)), float(np.percentile(errors_mm, 90)))
