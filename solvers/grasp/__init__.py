"""Owns grasping: the posture with which a hand closes round a tube, and how good a grasp is."""
