"""Warming: nothing that a run calls is compiled while it is measured."""

from armspan.server.bots.casting import cast_random
from armspan.server.bots.matching import match_samples
from armspan.server.bots.motion import _sample
from armspan.server.bots.warm import warm_up
from armspan.server.wire.unpack import _unpack
from armspan.solvers.body.chest import neck_offset
from armspan.solvers.body.forward import body_frames


def test_warming_compiles_what_a_run_calls():
    part = cast_random(1, 3, seed=0)[0]
    warm_up(part)
    for kernel in (match_samples, _sample, _unpack, neck_offset, body_frames):
        signatures = getattr(kernel, "signatures", [()])  # plain functions when JIT is off
        assert signatures, kernel
