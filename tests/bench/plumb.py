"""Finding tubes: how long a scan of 16,384 faces takes, and how the cost grows with the faces."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from armspan.solvers.meshes.cleaning import clean
from armspan.solvers.meshes.topology import Mesh
from armspan.solvers.tubes.cuts import cut_sphere, make_scratch
from armspan.solvers.tubes.limbs import find_limbs
from armspan.solvers.tubes.plumber import DEFAULT_SCALES_M, find_tubes
from armspan.solvers.tubes.samples import sample_surface
from armspan.solvers.tubes.surface import surface_of

from tests.solvers.tubes.scans import scan
from tests.solvers.tubes.solids import arrays_of, solid_of

SCAN = "019_pitcher_base"
SIMPLIFIED_M = 0.0006  # leaves about 4,000 of the scan's faces
SPLITS = (1, 2, 3, 4, 6)  # every edge of those in so many: up to 36 times as many faces
ROUNDS = 3  # the quickest counts: another process on the machine only ever adds time
BALL_M = 0.028
BALLS = 200  # at random vertices, to tell what spheres at all of them would cost
# What is promised, with two threads on two cores.
WHOLE_S, CLASSIFIED_S, LARGEST_POWER = 1.0, 0.5, 1.2


def run() -> dict[str, Any]:
    """Measure the scan, and the same shape in ever more faces."""
    mesh = clean(*scan(SCAN)).mesh
    solid = solid_of((mesh.vertices, mesh.faces)).simplify(SIMPLIFIED_M)
    sizes = [_measure(clean(*arrays_of(solid.refine(split))).mesh) for split in SPLITS]
    faces = np.log([size["faces"] for size in sizes])
    told: dict[str, Any] = {"scan": _measure(mesh, threads=(2, 1)), "sizes": sizes}
    told["power"] = {
        what: float(np.polyfit(faces, np.log([size[what] for size in sizes]), 1)[0])
        for what in ("classified_cpu_s", "whole_cpu_s", "visits", "visits_at_vertices")
    }
    return told


def _measure(mesh: Mesh, threads: tuple[int, ...] = (2,)) -> dict[str, Any]:
    told: dict[str, Any] = {"faces": len(mesh.faces)}
    for count in threads:
        name = "classified" if count == 2 else f"classified_{count}_threads"
        told[f"{name}_s"], told[f"{name}_cpu_s"] = _quickest(
            lambda count=count: [find_limbs(mesh, r, threads=count) for r in DEFAULT_SCALES_M]
        )
    told["tubes"] = len(find_tubes(mesh).tubes)
    told["whole_s"], told["whole_cpu_s"] = _quickest(lambda: find_tubes(mesh, threads=2))
    told["visits"], told["visits_at_vertices"] = _visits(mesh)
    return told


def _quickest(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the processor, each of its quickest round."""
    clock: list[float] = []
    processor: list[float] = []
    for _ in range(ROUNDS):
        begun, used = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - begun)
        processor.append(time.process_time() - used)
    return min(clock), min(processor)


def _visits(mesh: Mesh) -> tuple[float, float]:
    """Faces in all balls of BALL_M about the samples, and about all vertices."""
    surface = surface_of(mesh)
    scratch = make_scratch(surface)
    samples = sample_surface(mesh, BALL_M, surface=surface)
    random = np.random.default_rng(0)
    chosen = random.integers(len(samples.points), size=BALLS)
    faces = [
        cut_sphere(surface, *samples.points[i], BALL_M, int(samples.faces[i]), scratch)[0]
        for i in chosen
    ]
    vertices = mesh.vertices[mesh.faces[:, 0]]
    chosen = random.integers(len(vertices), size=BALLS)
    dense = [cut_sphere(surface, *vertices[f], BALL_M, int(f), scratch)[0] for f in chosen]
    return float(np.mean(faces) * len(samples.points)), float(np.mean(dense) * len(mesh.vertices))


def shortcomings(told: dict[str, Any]) -> list[str]:
    """Where a result falls short of what is promised."""
    rules = (
        ("seconds for the scan", told["scan"]["whole_s"], WHOLE_S),
        ("seconds to classify the scan", told["scan"]["classified_s"], CLASSIFIED_S),
        ("power of the faces", told["power"]["whole_cpu_s"], LARGEST_POWER),
        ("power of the faces, classifying", told["power"]["classified_cpu_s"], LARGEST_POWER),
    )
    return [
        f"{name}: {value:.2f}, wanted <= {limit}"
        for name, value, limit in rules
        if not (math.isfinite(value) and value <= limit)
    ]


def lines(told: dict[str, Any]) -> list[str]:
    """The result for people."""
    one, power = told["scan"], told["power"]
    return [
        f"the scan, {one['faces']:,} faces, {len(DEFAULT_SCALES_M)} scales, two threads:",
        f"  whole          {_times(one, 'whole')}; {one['tubes']} tubes",
        f"  classified     {_times(one, 'classified')}",
        f"  by one thread  {_times(one, 'classified_1_threads')}",
        "the same shape in more faces:",
        *(
            f"  {size['faces']:>7,}        {_times(size, 'whole')};"
            f" classified {_times(size, 'classified')}"
            for size in told["sizes"]
        ),
        f"the processor's time grows with the faces to the power {power['whole_cpu_s']:.2f},"
        f" classifying to {power['classified_cpu_s']:.2f};",
        f"  faces in all balls: {power['visits']:.2f} about samples,"
        f" {power['visits_at_vertices']:.2f} about vertices",
    ]


def _times(one: dict[str, Any], what: str) -> str:
    return f"{one[f'{what}_s']:.2f} s ({one[f'{what}_cpu_s']:.2f} s of a processor)"
