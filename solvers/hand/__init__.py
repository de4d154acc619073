"""Owns the hand: its joints, sizes, limits and segments."""
