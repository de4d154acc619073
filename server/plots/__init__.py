"""Owns the pictures that commands draw, on matplotlib's canvas without a display."""
