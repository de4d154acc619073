"""Bakes the shipped avatars: clothed people as VRM 1.0 files, from CC0 data alone."""
