"""The tables of a release: every query in every published area, with margins of error. Large ones are written in parts.

A row has the count, which is consistent with every other table and whole; `low` and `high`, between which the true
count lies at 95 %; the margin around the count that reaches both; `gls`, the unbiased estimate by least squares; and
its margin. They are missing where no reading determines the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.release.rows import PARQUET, ROWS_AT_ONCE, make_rows, name_files, write_rows
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.error_sums import Z
from discreet.topdown.running.intervals import TruthIntervals, enclose, find_intervals
from discreet.topdown.running.regrouped import PublishedModel
from discreet.topdown.running.simulating import find_possible
from discreet.topdown.running.solving import SolveJob
from discreet.topdown.spec.recodes import AnswerAxis

FOLDER = "tables"


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
    folder: Path


@dataclass(frozen=True, eq=False)
class ToldAnswers:
    """The answers of a query in some areas, as they are told."""

    counts: Ints
    around: TruthIntervals
    estimates: Floats
    deviations: Floats

    def list_numbers(self, width: type) -> dict[str, NDArray[Any]]:
        """Return the columns; `width` is the type of estimates."""
        unknown = ~np.isfinite(self.around.high)
        ends = self.around.low, self.around.high, self.around.find_margins(self.counts)
        whole = [np.ma.masked_array(np.where(unknown, 0, each).astype(np.int64), unknown) for each in ends]
        margins = Z * self.deviations
        margins[np.isinf(margins)] = np.nan
        return {
            "count": self.counts,
            **dict(zip(("low", "high", "margin"), whole, strict=True)),
            "gls": self.estimates.astype(width),
            "gls_margin": margins.astype(np.float32),
        }


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
    answers = []
    for query in job.problem.queries:
        deviations = np.sqrt(job.basis.find_variances(plan.level, query, areas))
        estimates = query.answer(final)
        around = enclose(job.problem, plan.level, query, areas, estimates, deviations)
        answers.append(ToldAnswers(counts.answer(query)[shown], around, estimates, deviations))
    _write(job, writer, plan, part, names, answers)
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
    answers = []
    for query in job.problem.queries:
        estimates, deviations = query.answer(final), np.sqrt(model.variances(query)[areas])
        nothing, all_ = np.zeros(estimates.shape), np.full(estimates.shape, np.inf)
        around = find_intervals(estimates, deviations, nothing, all_)
        answers.append(ToldAnswers(counts.answer(query), around, estimates, deviations))
    _write(job, writer, plan, part, known.areas[areas], answers)
    return 0


def _write(
    job: SolveJob,
    writer: TableWriter,
    plan: TablePlan,
    part: int,
    names: Sequence[str],
    answers: Sequence[ToldAnswers],
) -> None:
    for place, query in enumerate(job.problem.queries):
        numbers = answers[place].list_numbers(np.float32 if plan.parts > 1 else np.float64)
        rows = make_rows(plan.name, names, writer.axes[query.name], find_possible(query), numbers)
        write_rows(writer.folder / plan.find_file(place, part), rows)


def _cut_members(places: Ints, areas: slice, most: int = 1000) -> Iterator[Ints]:
    """Yield the smallest areas of some published areas, some at a time."""
    members = np.flatnonzero((places >= areas.start) & (places < areas.stop))
    for first in range(0, len(members), most):
        yield members[first : first + most]
