"""Owns the smart-object document: its schema, its reading and its writing."""
