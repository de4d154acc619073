"""Owns the upper body: from head and hands to a chest and fifteen joint angles."""
