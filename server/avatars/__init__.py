"""Avatars that people bring: what is asked of them, and where they are stored."""
