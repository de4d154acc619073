"""A unit is guessed so that things come out as large as things that people grasp."""

import math

import pytest
from armspan.solvers.meshes.units import LONGEST_M, SHORTEST_M, Unit, guess_unit

MUG_M, HAMMER_M, PUMP_M = 0.117, 0.333, 1.4


@pytest.mark.parametrize("size_m", [SHORTEST_M, MUG_M, HAMMER_M, PUMP_M, LONGEST_M])
@pytest.mark.parametrize("unit", [Unit.METRE, Unit.MILLIMETRE])
def test_things_in_metres_and_in_millimetres_are_known(size_m: float, unit: Unit):
    assert guess_unit(size_m / unit.metres) is unit


def test_a_mug_in_centimetres_is_known():
    assert guess_unit(100.0 * MUG_M) is Unit.CENTIMETRE


@pytest.mark.parametrize("exponent", range(-60, 30))
def test_no_guess_below_a_thousand_millimetres_makes_a_building(exponent: int):
    extent = 1.3**exponent
    assert extent * guess_unit(extent).metres <= LONGEST_M


@pytest.mark.parametrize("extent", [0.0, math.nan, math.inf])
def test_a_size_that_is_none_is_left_to_the_cleaning(extent: float):
    assert guess_unit(extent) is Unit.METRE


def test_units_are_what_people_write():
    assert {unit.value: unit.metres for unit in Unit} == {
        "m": 1.0,
        "cm": 0.01,
        "mm": 0.001,
        "inch": 0.0254,
    }
