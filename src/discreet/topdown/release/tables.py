"""The tables of a release: every query in every published area, with margins of error. Large ones are written in parts.

A row has the count, which is consistent with every other table and whole; its margin of error at 95 %; `gls`, the
unbiased estimate by least squares; and its margin. A margin is missing where no reading determines the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.release.rows import PARQUET, ROWS_AT_ONCE, make_rows, name_files, write_rows
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.error_sums import ErrorKey, Z
from discreet.topdown.running.margins import QueryMargins
from discreet.topdown.running.regrouped import PublishedModel
from discreet.topdown.running.simulating import find_possible
from discreet.topdown.running.solving import SolveJob
from discreet.topdown.spec.recodes import AnswerAxis

FOLDER = "tables"

Margins = Mapping[ErrorKey, QueryMargins]
"""By level and query, how margins were found; missing where nothing was simulated."""


@dataclass(frozen=True)
class TablePlan:
    """Which rows go into which files: one for each query, or a folder of parts where a level is large."""

    level: int
    name: str
    areas: int
    parts: int
    folder: Path
    files: tuple[Path, ...]
    """For each query, relative to the release's folder."""

    def find_file(self, query: int, part: int) -> Path:
        """Return the file of a part of a query's table."""
        whole = self.files[query]
        return whole if self.parts == 1 else whole / f"part-{part:05}{whole.suffix}"

    def cut(self, part: int) -> slice:
        """Return the areas of a part."""
        return slice(self.areas * part // self.parts, self.areas * (part + 1) // self.parts)


@dataclass(frozen=True, eq=False)
class TableWriter:
    """What the tables are written from, beside the estimates."""

    axes: Mapping[str, tuple[AnswerAxis, ...]]
    margins: Margins
    folder: Path


def plan_tables(
    levels: Sequence[tuple[str, int]], queries: Mapping[str, int], folder: str = FOLDER, kind: str = PARQUET
) -> list[TablePlan]:
    """Return the files of all tables, of one kind, from the names and sizes of levels and queries."""
    found = []
    folders, names = name_files([name for name, _ in levels]), name_files(list(queries))
    for place, (name, areas) in enumerate(levels):
        parts = max(1, -(-areas * max(queries.values()) // ROWS_AT_ONCE))
        under = Path(folder) / folders[name]
        files = tuple(under / f"{names[query]}.{kind}" for query in queries)
        found.append(TablePlan(place, name, areas, min(parts, max(1, areas)), under, files))
    return found


def write_part(job: SolveJob, writer: TableWriter, plan: TablePlan, part: int, first: int, counts: SparseCounts) -> int:
    """Write the tables of some areas of a level, from the first on; return how many areas were written."""
    shown = np.flatnonzero(job.problem.shown[plan.level][first : first + len(counts)])
    areas = first + shown
    final = job.fit.final(plan.level, areas)
    names = [job.problem.geography.levels[plan.level].areas[area] for area in areas]
    variances = {query.name: job.basis.find_variances(plan.level, query, areas) for query in job.problem.queries}
    _write(
        job, writer, plan, part, names, final, [counts.answer(query)[shown] for query in job.problem.queries], variances
    )
    return len(counts)


def write_published(
    job: SolveJob,
    writer: TableWriter,
    plan: TablePlan,
    part: int,
    counts: SparseCounts,
    model: PublishedModel,
) -> int:
    """Write the tables of some published areas of a level that is measured in other groups."""
    known, areas = job.problem.regrouped[plan.name], plan.cut(part)
    last = len(job.problem.geography.levels) - 1
    final = np.zeros((areas.stop - areas.start, job.problem.schema.cells))
    for some in _cut_members(known.places, areas):
        np.add.at(final, known.places[some] - areas.start, job.fit.final(last, some))
    variances = {query.name: model.variances(query)[areas] for query in job.problem.queries}
    answers = [counts.answer(query) for query in job.problem.queries]
    _write(job, writer, plan, part, known.areas[areas], final, answers, variances)
    return 0


def _write(
    job: SolveJob,
    writer: TableWriter,
    plan: TablePlan,
    part: int,
    names: Sequence[str],
    final: Floats,
    answers: Sequence[Ints],
    variances: Mapping[str, Floats],
) -> None:
    for place, query in enumerate(job.problem.queries):
        margins = Z * np.sqrt(variances[query.name])
        margins[np.isinf(margins)] = np.nan
        scale = writer.margins.get((plan.name, query.name))
        factors = np.nan if scale is None else scale.scale(answers[place])
        numbers: dict[str, NDArray[np.generic]] = {
            "count": answers[place],
            "margin": (margins * factors).astype(np.float32),
            "gls": query.answer(final).astype(np.float32 if plan.parts > 1 else np.float64),
            "gls_margin": margins.astype(np.float32),
        }
        rows = make_rows(plan.name, names, writer.axes[query.name], find_possible(query), numbers)
        write_rows(writer.folder / plan.find_file(place, part), rows)


def _cut_members(places: Ints, areas: slice, most: int = 1000) -> Iterator[Ints]:
    """Yield the smallest areas of some published areas, some at a time."""
    members = np.flatnonzero((places >= areas.start) & (places < areas.stop))
    for first in range(0, len(members), most):
        yield members[first : first + most]
