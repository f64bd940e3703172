"""Attacks on guarantees: what a mechanism leaks at the least, and what people learn where nothing protects.

Each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.audit.blackbox.lower_bound import LowerBound, lower_bound
    from discreet.audit.blackbox.one_run import OneRunBound, bound_one_run, one_run
    from discreet.audit.blackbox.outputs import repeat
    from discreet.audit.blackbox.patterns import list_changes, list_histograms, move_answers
    from discreet.audit.blackbox.scores import LearnedScore
    from discreet.audit.blackbox.search import WorstPair, find_worst
    from discreet.audit.blackbox.several import refute_several
    from discreet.audit.graybox import ReplayError, ReplayReport, listen_to, make_neighbours, replay

_HOMES = {
    "discreet.audit.blackbox.lower_bound": ("LowerBound", "lower_bound"),
    "discreet.audit.blackbox.one_run": ("OneRunBound", "bound_one_run", "one_run"),
    "discreet.audit.blackbox.outputs": ("repeat",),
    "discreet.audit.blackbox.patterns": ("list_changes", "list_histograms", "move_answers"),
    "discreet.audit.blackbox.scores": ("LearnedScore",),
    "discreet.audit.blackbox.search": ("WorstPair", "find_worst"),
    "discreet.audit.blackbox.several": ("refute_several",),
    "discreet.audit.graybox": ("ReplayError", "ReplayReport", "listen_to", "make_neighbours", "replay"),
}

__all__ = [
    "LearnedScore",
    "LowerBound",
    "OneRunBound",
    "ReplayError",
    "ReplayReport",
    "WorstPair",
    "bound_one_run",
    "find_worst",
    "list_changes",
    "list_histograms",
    "listen_to",
    "lower_bound",
    "make_neighbours",
    "move_answers",
    "one_run",
    "refute_several",
    "repeat",
    "replay",
]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'discreet.audit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
