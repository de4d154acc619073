"""What was done to a mesh is said in sentences that end."""

from armspan.solvers.meshes.report import CleaningReport


def test_a_clean_mesh_needs_no_words():
    assert CleaningReport(vertices_merged=7).sentences() == ()


def test_all_that_matters_is_said():
    report = CleaningReport(
        faces_degenerate=2,
        faces_duplicate=1,
        edges_non_manifold=1,
        edges_cut=3,
        edges_open=1_200,
        holes=1,
        components=4,
        faces_left_out=1,
        area_left_out_m2=1e-9,
        share_left_out=1e-8,
        flipped=16_384,
        watertight=False,
    )
    assert report.sentences() == (
        "The mesh has 4 pieces that do not hang together: the largest is kept, and 1 face (less "
        "than 0.1 % of the area) left out.",
        "It is not watertight: 1,200 open edges round 1 hole.",
        "It was no clean surface: more than two faces met at 1 edge, and 3 edges had to be opened.",
        "2 faces without an area and 1 given twice were taken out.",
        "16,384 faces turned over to look outwards.",
    )


def test_a_share_is_as_exact_as_it_needs_to_be():
    def said(share: float) -> str:
        return CleaningReport(components=2, faces_left_out=9, share_left_out=share).sentences()[0]

    assert "(5.2 % of the area)" in said(0.0517)
    assert "(32 % of the area)" in said(0.317)
