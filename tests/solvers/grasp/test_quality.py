"""The wrench-space epsilon: closed forms, laws, and another way to the same number."""

import numpy as np
import pytest
from armspan.solvers.grasp.quality import contact_wrenches, grasp_quality, wrench_epsilon
from armspan.solvers.grasp.site import Contact, GraspError, Part, Segment
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

ORIGIN = np.zeros(3)
SIX = np.concatenate((np.eye(3), -np.eye(3)))
FOUR = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3)


def around(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Contacts on a bumpy ball: points, and normals that are not quite radial."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(count, 3))
    normals = ways + 0.3 * rng.normal(size=(count, 3))
    points = 0.05 * rng.uniform(0.6, 1.0, (count, 1)) * ways / np.linalg.norm(ways, axis=1)[:, None]
    return points, normals / np.linalg.norm(normals, axis=1)[:, None]


def epsilon_of(points, normals, centre=ORIGIN, scale=0.05, friction=0.6, edges=8) -> float:
    return wrench_epsilon(contact_wrenches(points, normals, centre, scale, friction, edges))


@pytest.mark.parametrize("dimensions", [2, 3, 6])
def test_cross_polytopes_boxes_and_simplices_have_their_inner_radii(dimensions):
    axes = np.eye(dimensions)
    assert wrench_epsilon(np.concatenate((axes, -axes))) == pytest.approx(dimensions**-0.5)
    corners = np.stack(np.meshgrid(*[[-1.0, 1.0]] * dimensions), -1).reshape(-1, dimensions)
    assert wrench_epsilon(corners) == pytest.approx(1.0)
    simplex = np.vstack((axes, np.full(dimensions, (1 - np.sqrt(dimensions + 1)) / dimensions)))
    simplex -= simplex.mean(axis=0)
    radius = np.linalg.norm(simplex[0])
    assert wrench_epsilon(simplex) == pytest.approx(radius / dimensions)


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.0])
def test_two_opposite_contacts_in_a_plane(friction):
    """Force x, y and torque: a regular tetrahedron, two of its axes scaled by the friction."""
    m = friction
    wrenches = np.array([[1.0, m, -m], [1.0, -m, m], [-1.0, m, m], [-1.0, -m, -m]])
    assert wrench_epsilon(wrenches) == pytest.approx(m / np.sqrt(m * m + 2.0))


@pytest.mark.parametrize("friction", [0.2, 0.5, 1.0])
@pytest.mark.parametrize(("edges", "share"), [(4, 1 / 3), (8, 2 / 3), (64, 2 / 3)])
def test_six_contacts_on_a_cubes_faces(friction, edges, share):
    """A torque about a diagonal is the hardest: the cones give mu sqrt(2/3), their squares 1/3."""
    got = epsilon_of(SIX, SIX, scale=1.0, friction=friction, edges=edges)
    assert got == pytest.approx(friction * np.sqrt(share), abs=1e-8)


def test_more_edges_never_make_a_cone_smaller():
    got = [epsilon_of(FOUR, FOUR, scale=1.0, edges=edges) for edges in (4, 8, 16, 32)]
    assert (np.diff(got) >= 0.0).all()


@pytest.mark.parametrize("seed", range(6))
def test_epsilon_is_that_of_the_whole_hulls_facets(seed):
    points, normals = around(5 + seed, seed)
    wrenches = contact_wrenches(points, normals, ORIGIN, 0.05)
    hull = ConvexHull(wrenches)
    assert wrench_epsilon(wrenches) == pytest.approx(-hull.equations[:, -1].max(), abs=1e-9)
    assert wrench_epsilon(wrenches) > 0.0


@pytest.mark.parametrize("seed", range(6))
def test_no_way_has_less_support_and_the_ball_is_in_the_hull(seed):
    points, normals = around(7, seed)
    wrenches = contact_wrenches(points, normals, ORIGIN, 0.05)
    epsilon = wrench_epsilon(wrenches)
    ways = np.random.default_rng(seed).normal(size=(20_000, 6))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    assert (wrenches @ ways.T).max(axis=0).min() >= epsilon
    rows = np.vstack((wrenches.T, np.ones(len(wrenches))))
    for way in ways[:10]:
        target = np.append(0.999 * epsilon * way, 1.0)
        assert linprog(np.zeros(len(wrenches)), A_eq=rows, b_eq=target).success


@pytest.mark.parametrize("seed", range(8))
def test_another_contact_never_makes_a_grasp_worse(seed):
    points, normals = around(9, seed)
    got = [epsilon_of(points[:count], normals[:count]) for count in range(1, 10)]
    assert (np.diff(got) >= -1e-9).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_moved_or_mirrored_grasp_is_as_good(seed):
    points, normals = around(6, seed)
    centre = np.array([0.01, -0.02, 0.005])
    here = epsilon_of(points, normals, centre)
    turn, shift = Rotation.random(random_state=seed), np.array([3.0, -1.0, 0.2])
    moved = epsilon_of(turn.apply(points) + shift, turn.apply(normals), turn.apply(centre) + shift)
    assert moved == pytest.approx(here, abs=1e-9)
    mirror = np.array([-1.0, 1.0, 1.0])
    assert epsilon_of(mirror * points, mirror * normals, mirror * centre) == pytest.approx(
        here, abs=1e-9
    )


def test_a_grasp_in_another_size_is_as_good():
    points, normals = around(6, 3)
    assert epsilon_of(7.0 * points, normals, scale=0.35) == pytest.approx(
        epsilon_of(points, normals), abs=1e-9
    )


def test_torques_count_about_the_centre_of_mass():
    points, normals = around(6, 0)
    assert epsilon_of(points, normals, np.array([0.0, 0.2, 0.0])) < epsilon_of(points, normals)


def test_flat_sets_of_wrenches_are_no_force_closure():
    opposite = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    assert epsilon_of(opposite, opposite, scale=1.0) == 0.0  # turns about the line between them
    assert epsilon_of(SIX, SIX, scale=1.0, friction=0.0) == 0.0  # nothing turns a ball
    assert epsilon_of(np.zeros((2, 3)), opposite) == 0.0  # all contacts in the centre


def test_outside_it_is_minus_the_distance_from_the_hull():
    assert wrench_epsilon(np.eye(3)) == pytest.approx(-(3**-0.5))  # the nearest is on a facet,
    assert wrench_epsilon(np.eye(3) + np.array([2.0, 0, 0])) == pytest.approx(
        -np.sqrt(4.5)
    )  # on an edge,
    assert wrench_epsilon(np.array([[2.0, 0, 0], [3, 1, 0], [3, -1, 1]])) == pytest.approx(-2.0)
    one_side = around(5, 1)[0] + np.array([0.0, 0.0, 0.2])
    assert epsilon_of(one_side, np.tile([0.0, 0.0, 1.0], (5, 1))) < 0.0  # all push downwards


def test_a_grasp_is_judged_by_its_contacts():
    contacts = [Contact(Part.INDEX, Segment.THIRD, 0.0, point, point) for point in SIX]
    assert grasp_quality(contacts, ORIGIN, 1.0, 0.5) == pytest.approx(0.5 * np.sqrt(2 / 3))
    assert grasp_quality([], ORIGIN, 1.0) == -np.inf


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((0.0, 0.6, 8), "torque scale"), ((0.1, -1.0, 8), "friction"), ((0.1, 0.6, 2), "edges")],
)
def test_impossible_numbers_are_refused(numbers, words):
    with pytest.raises(GraspError, match=words):
        contact_wrenches(SIX, SIX, ORIGIN, *numbers)
