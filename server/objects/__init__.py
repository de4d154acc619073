"""Owns objects as files: meshes, and folders with a smart object in them."""
