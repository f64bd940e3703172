"""All mutants: one list from every file beside this one."""

from __future__ import annotations

import importlib
from pathlib import Path

from mutants.mutant import Mutant

HERE = Path(__file__).parent
APART = ("every", "mutant", "run", "test_mutants")
ROOMS = tuple(sorted(path.stem for path in HERE.glob("*.py") if path.stem not in APART))


def every_mutant() -> list[Mutant]:
    """Return all mutants, file by file."""
    return [mutant for room in ROOMS for mutant in importlib.import_module(f"mutants.{room}").MUTATIONS]
