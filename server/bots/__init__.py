"""Bots: people who are programs. They send as headsets do and check what comes back."""

from armspan.server.bots.crowd import CrowdError, NobodyJoined, Progress, Run, run_crowd
from armspan.server.bots.plan import Plan
from armspan.server.bots.report import lines, report

__all__ = [
    "CrowdError",
    "NobodyJoined",
    "Plan",
    "Progress",
    "Run",
    "lines",
    "report",
    "run_crowd",
]
