"""Owns triangle meshes: cleaning, topology, refining, and the distance to their surface."""

from armspan.solvers.meshes.cleaning import Cleaned, clean
from armspan.solvers.meshes.topology import Mesh, MeshError, build_mesh

__all__ = ["Cleaned", "Mesh", "MeshError", "build_mesh", "clean"]
