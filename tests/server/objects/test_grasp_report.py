"""What is told of a grasp says what its digits do."""

import dataclasses

import numpy as np
from armspan.protocol.objects import Side
from armspan.server.objects.grasp_report import lines
from armspan.server.objects.grasping import Attempt
from armspan.server.objects.site_numbers import ways_of
from armspan.solvers.body.skeleton import Side as SolverSide
from armspan.solvers.grasp import Contact, DigitState, Part, Segment, search_grasp
from armspan.solvers.hand import make_hand

from tests.protocol.objects.examples import WHOLE


def test_a_digit_that_is_stopped_beside_the_tube_is_not_said_to_touch_nothing():
    way = next(ways_of(WHOLE, WHOLE.grasp_sites[0], Side.RIGHT))
    hand = make_hand(0.19, SolverSide.RIGHT)
    found = search_grasp(way.numbers, hand, max_postures=1)
    wall = Contact(Part.RING, Segment.THIRD, -0.001, np.zeros(3), np.eye(3)[0], on_tube=False)
    ended = (DigitState.TOUCHES, *[DigitState.AT_LIMIT] * 4)
    grasp = dataclasses.replace(found, grasped=True, digits=ended, contacts=(wall,))
    told = lines(Attempt(way, Side.RIGHT, hand, grasp, 1, 0.1)).splitlines()
    (ring,) = [line for line in told if line.strip().startswith("ring")]
    (little,) = [line for line in told if line.strip().startswith("little")]
    assert ring.endswith("touches the object beside the tube with its distal bone, 1.0 mm deep")
    assert little.endswith("closed as far as it goes, and touches nothing")
