"""Owns what is said of a mesh that was cleaned."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CleaningReport:
    """What was done to make a mesh usable, and what it looks like now."""

    vertices_merged: int = 0
    """Vertices that were at the same place as another, within the tolerance."""
    faces_degenerate: int = 0
    """Faces without an area: left out, or joined with the face beside them."""
    faces_duplicate: int = 0
    """Faces with the same three corners as another."""
    edges_non_manifold: int = 0
    """Edges where more than two faces met."""
    edges_cut: int = 0
    """Edges opened because the surface was one-sided or met itself there."""
    edges_open: int = 0
    """Edges of what is kept that have one face only."""
    holes: int = 0
    """Closed rims that the open edges form."""
    components: int = 1
    """Connected pieces of surface; the one with the largest area is kept."""
    faces_left_out: int = 0
    """Faces of the other pieces."""
    area_left_out_m2: float = 0.0
    share_left_out: float = 0.0
    """Of the area of all pieces."""
    flipped: int = 0
    """Faces turned over, so that all look outwards."""
    watertight: bool = True

    def sentences(self) -> tuple[str, ...]:
        """Say what a user should know, one sentence each; nothing of a mesh that was clean."""
        said: list[str] = []
        if self.components > 1:
            said.append(
                f"The mesh has {self.components:,} pieces that do not hang together: the largest "
                f"is kept, and {_count(self.faces_left_out, 'face')} "
                f"({_percent(self.share_left_out)} of the area) left out."
            )
        if self.edges_open:
            said.append(
                f"It is not watertight: {_count(self.edges_open, 'open edge')} round "
                f"{_count(self.holes, 'hole')}."
            )
        if self.edges_non_manifold or self.edges_cut:
            parts = [
                text
                for number, text in (
                    (
                        self.edges_non_manifold,
                        f"more than two faces met at {_count(self.edges_non_manifold, 'edge')}",
                    ),
                    (self.edges_cut, f"{_count(self.edges_cut, 'edge')} had to be opened"),
                )
                if number
            ]
            said.append(f"It was no clean surface: {', and '.join(parts)}.")
        if self.faces_degenerate or self.faces_duplicate:
            said.append(
                f"{_count(self.faces_degenerate, 'face')} without an area and "
                f"{self.faces_duplicate:,} given twice were taken out."
            )
        if self.flipped:
            said.append(f"{_count(self.flipped, 'face')} turned over to look outwards.")
        return tuple(said)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _percent(share: float) -> str:
    if share < 0.001:
        return "less than 0.1 %"
    return f"{100.0 * share:.1f} %" if share < 0.1 else f"{100.0 * share:.0f} %"
