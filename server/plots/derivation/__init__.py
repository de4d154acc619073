"""Owns the figures of ``docs/solver.md``."""
