"""Owns triangle meshes: cleaning, topology, refining, and the distance to their surface."""
