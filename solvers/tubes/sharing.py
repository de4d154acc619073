"""Owns sharing the work of kernels, which let go of the GIL, among threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from armspan.solvers.tubes.cut_scratch import CutScratch

_PARTS, _LEAST_PART = 64, 16  # tasks, and samples of one; what comes out does not depend on it


def share_out(
    count: int,
    work: Callable[[int, int, CutScratch], None],
    scratches: list[CutScratch],
    on_progress: Callable[[float], None] | None,
    begun: float,
    done: float,
) -> None:
    """Do ``work`` on [0, count) in parts, with a thread for each scratch, this one included.

    Progress goes from ``begun`` to ``done``.
    """
    size = max(_LEAST_PART, count // _PARTS)
    left = iter(range(0, count, size))  # advancing it is atomic

    def help_out(scratch: CutScratch) -> None:
        for start in left:
            work(start, min(start + size, count), scratch)

    with ThreadPoolExecutor(max(len(scratches) - 1, 1)) as pool:
        helpers = [pool.submit(help_out, scratch) for scratch in scratches[1:]]
        try:
            for start in left:
                work(start, min(start + size, count), scratches[0])
                if on_progress is not None:
                    on_progress(begun + (done - begun) * min(start + size, count) / count)
        finally:
            for _ in left:  # where something went wrong the helpers find nothing left to do
                pass
        for helper in helpers:
            helper.result()
    if on_progress is not None:
        on_progress(done)
