"""The noisy measurements themselves: what anybody needs to make better estimates than ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discreet.topdown.release.rows import ROWS_AT_ONCE, make_rows, name_files, write_rows
from discreet.topdown.running.held_readings import HeldReading
from discreet.topdown.running.solving import SolveJob
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.recodes import AnswerAxis

FOLDER = "measurements"


def plan_measurements(geography: Geography, readings: Sequence[HeldReading]) -> list[tuple[int, Path, int, int]]:
    """Return the parts of all files: the place of a reading, the file, the first area and the one after the last."""
    levels = name_files([level.name for level in geography.levels])
    names = name_files(list(dict.fromkeys(each.query.name for each in readings)))
    found = []
    for place, each in enumerate(readings):
        level = geography.levels[each.level]
        path = Path(FOLDER) / levels[level.name] / f"{names[each.query.name]}.parquet"
        parts = min(len(level), max(1, -(-len(level) * each.query.size // ROWS_AT_ONCE)))
        for part in range(parts):
            file = path if parts == 1 else path / f"part-{part:05}.parquet"
            found.append((place, file, len(level) * part // parts, len(level) * (part + 1) // parts))
    return found


def write_measured(
    job: SolveJob, axes: Mapping[str, tuple[AnswerAxis, ...]], reading: HeldReading, path: Path, first: int, last: int
) -> int:
    """Write the noisy answers of a query in some areas of a level."""
    level = job.problem.geography.levels[reading.level]
    values = np.asarray(reading.open().values[first:last], dtype=np.int64)
    kept = np.ones(reading.query.size, dtype=bool)
    rows = make_rows(level.name, level.areas[first:last], axes[reading.query.name], kept, {"value": values})
    write_rows(path, rows)
    return 0


def describe_measured(geography: Geography, readings: Sequence[HeldReading]) -> list[dict[str, Any]]:
    """Return what was measured, with its noise, and where it lies."""
    files = {place: path for place, path, _, _ in reversed(plan_measurements(geography, readings))}
    return [
        {
            "level": geography.levels[each.level].name,
            "query": each.query.name,
            "sigma": each.sigma,
            "variance": each.variance,
            "file": str(files[place].parent if files[place].name.startswith("part-") else files[place]),
        }
        for place, each in enumerate(readings)
    ]
