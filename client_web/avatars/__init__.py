"""Holds what makes the avatars that ship with the page."""
