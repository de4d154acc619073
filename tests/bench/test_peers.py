"""Armspan's peers take part in the comparison on the same arm, and figures are judged honestly."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from armspan.solvers.body.poses import PoseSet, make_poses, palms_of

from tests.bench.peers import arm, lines, measure, run, shortcomings
from tests.bench.peers.contest import Answers, MissingError
from tests.bench.peers.installed import Optik, TracIk
from tests.bench.peers.ours import Armspan


class Perfect:
    """Both arms by our own kinematics, the palm moved by so much."""

    key, name, arms, version, installed = "perfect", "Perfect", 2, "1", True

    def __init__(self, off_m: float = 0.0) -> None:
        self.off_m = off_m

    def palm(self, arm_angles):
        placed = arm.palm(arm_angles)
        placed[0, 3] += self.off_m
        return placed

    def solve(self, hands):
        return Answers.empty(len(hands))


def test_pinocchio_reads_our_arm_from_the_urdf():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(arm.urdf())
    np.testing.assert_array_equal(model.lowerPositionLimit, arm.LOWER)
    np.testing.assert_array_equal(model.upperPositionLimit, arm.UPPER)
    facts, palm = model.createData(), model.getFrameId(arm.TIP)
    random = np.random.default_rng(3)
    for _ in range(20):
        angles = random.uniform(arm.LOWER, arm.UPPER)
        pin.framesForwardKinematics(model, facts, angles)
        np.testing.assert_allclose(facts.oMf[palm].homogeneous, arm.palm(angles), atol=1e-12)


def test_the_right_palm_of_a_pose_is_the_peers_target():
    poses = make_poses(PoseSet.RANDOM, 20, 4)
    right = poses.joint_angles[:, [0, *range(8, 15)]]
    expected = np.array([arm.palm(angles) for angles in right])
    np.testing.assert_allclose(arm.targets(poses.hands), expected, atol=1e-12)


def test_an_arm_that_differs_from_ours_is_refused():
    measure.check_kinematics(Perfect())
    with pytest.raises(ValueError, match="places the palm 2e-09 from"):
        measure.check_kinematics(Perfect(off_m=2e-9))


def test_solved_means_near_and_inside_the_limits():
    angles = make_poses(PoseSet.RANDOM, 5, 0).joint_angles
    angles[:, 14] = 0.0  # in the middle of the wrist's limits
    angles[4, 4] = -0.1  # bends the elbow backwards, and is where it was asked to be
    hands = palms_of(angles, np.zeros((5, 2)))
    angles[1, 14] = np.radians(0.05)  # within both tolerances
    angles[2, 14] = np.radians(-0.5)  # within the loose ones
    angles[3] = np.nan  # gave up
    judged = measure.judge(Perfect(), angles, hands)
    np.testing.assert_array_equal(judged.inside, [True, True, True, False, False])
    np.testing.assert_array_equal(judged.solved(), [True, True, False, False, False])
    np.testing.assert_array_equal(judged.solved(10.0), [True, True, True, False, False])
    assert judged.missed_m[4] < 1e-9


def test_what_is_not_installed_is_named_in_a_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "optik", None)
    monkeypatch.setitem(sys.modules, "pytracik", None)
    with pytest.raises(MissingError, match=r"optik-py is not installed.*pip install optik-py"):
        Optik("speed")
    with pytest.raises(MissingError, match=r"pytracik is not installed.*pip install pytracik"):
        TracIk()


def test_without_any_peer_armspan_is_measured_alone(monkeypatch: pytest.MonkeyPatch):
    def missing():
        raise MissingError("no such peer here")

    makers = (lambda: Armspan(batched=True), lambda: Armspan(batched=False), missing)
    monkeypatch.setattr(measure, "_MAKERS", makers)
    told = run(poses=20, seeds=[0])
    assert told["missing"] == ["no such peer here"]
    assert told["best_peer"] is None
    assert told["solvers"]["armspan_batch"]["random"]["solved_1mm_1deg"] > 0.9
    assert "missing: no such peer here" in lines(told)
    assert shortcomings({**told, "best_peer": None, "solvers": {}}) == []


@pytest.mark.slow
@pytest.mark.parametrize("peer", ["optik", "pytracik"])
def test_an_installed_peer_solves_our_targets(peer: str):
    pytest.importorskip(peer)
    contestant = Optik("speed") if peer == "optik" else TracIk()
    measure.check_kinematics(contestant)
    hands = make_poses(PoseSet.RANDOM, 20, 0).hands
    answers = contestant.solve(hands)
    assert measure.judge(contestant, answers.joint_angles, hands).solved().mean() >= 0.9
    assert (answers.seconds > 0.0).all()


@pytest.mark.slow
def test_all_that_are_installed_are_compared_and_drawn(tmp_path: Path):
    told = run(poses=20, seeds=[0, 1], plot=str(tmp_path / "peers.png"))
    assert (tmp_path / "peers.png").read_bytes().startswith(b"\x89PNG")
    table = [line for line in lines(told) if line.startswith("|")]
    assert len(table) == 2 + len(told["solvers"])
    assert len({line.count("|") for line in table}) == 1
    for key, ratio in told["ratios"].items():
        assert ratio > 0.0
        assert told["solvers"][key]["arms"] == 1
    told["best_peer"] = {"solver": "armspan_batch", "ratio": 39.0}
    assert any("39.0 times" in short for short in shortcomings(told))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_restarts_solve_what_the_single_start_leaves():
    pytest.importorskip("pinocchio")
    compiled = pytest.importorskip("tests.bench.peers.compiled")
    try:
        once, often = compiled.Pinocchio(restarts=False), compiled.Pinocchio(restarts=True)
    except MissingError as missing:
        pytest.skip(str(missing))
    hands = make_poses(PoseSet.RANDOM, 200, 0).hands
    rates = []
    for contestant in (once, often):
        measure.check_kinematics(contestant)
        angles = contestant.solve(hands).joint_angles
        rates.append(measure.judge(contestant, angles, hands).solved().mean())
    assert 0.7 < rates[0] < 0.98
    assert rates[1] > 0.99
