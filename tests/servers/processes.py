"""The processes of this computer, as Linux lists them: who began whom, and who is gone."""

from __future__ import annotations

import time
from pathlib import Path

PROCESSES = Path("/proc")


def list_descendants(pid: int) -> set[int]:
    """Return the numbers of all processes that a process began, and that those began."""
    parents = {each: parent for each in _list_numbers() if (parent := _read_parent(each)) is not None}
    found, added = {pid}, {pid}
    while added:
        added = {each for each, parent in parents.items() if parent in added} - found
        found |= added
    return found - {pid}


def await_end(pids: set[int], seconds: float) -> set[int]:
    """Wait until all of these are gone, at most for so long; return those that are not."""
    end = time.monotonic() + seconds
    while (left := {pid for pid in pids if _read_parent(pid) is not None}) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _list_numbers() -> list[int]:
    return [int(each.name) for each in PROCESSES.iterdir() if each.name.isdigit()]


def _read_parent(pid: int) -> int | None:
    """Return who began a process, or who took it over; None where it has ended, even if nobody has asked how."""
    try:
        state, parent, *_ = (PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if state in "ZX" else int(parent)
