"""Census releases: hierarchical counts that are private, consistent at every level, whole, with margins of error.

`run("census.toml")` makes one. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.topdown.example.state import make_state
    from discreet.topdown.forecasting import plan, plan_for_targets
    from discreet.topdown.making import run
    from discreet.topdown.measure.inspecting import inspect
    from discreet.topdown.release.census_release import CensusRelease
    from discreet.topdown.release.checking import check
    from discreet.topdown.release.report.page import write_report
    from discreet.topdown.spec.census_spec import CensusSpec
    from discreet.topdown.spec.reading import read_spec

_HOMES = {
    "CensusRelease": "release.census_release",
    "CensusSpec": "spec.census_spec",
    "check": "release.checking",
    "inspect": "measure.inspecting",
    "make_state": "example.state",
    "plan": "forecasting",
    "plan_for_targets": "forecasting",
    "read_spec": "spec.reading",
    "run": "making",
    "write_report": "release.report.page",
}

__all__ = [
    "CensusRelease",
    "CensusSpec",
    "check",
    "inspect",
    "make_state",
    "plan",
    "plan_for_targets",
    "read_spec",
    "run",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(f"discreet.topdown.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'discreet.topdown' has no attribute {name!r}")
