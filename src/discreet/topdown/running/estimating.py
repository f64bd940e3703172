"""The whole estimate of a release: least squares over the tree, then whole numbers level by level from the top.

Every level that is finished is kept in the run's folder before the next begins, so a run that dies goes on with the
level that it was at. What was measured is in the ledger, and is found there again without a charge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base.grid import Floats
from discreet.topdown.estimate.level_values import collect_values
from discreet.topdown.estimate.tree_fit import InnerEstimates, TreeFit, fit_readings
from discreet.topdown.estimate.tree_model import TreeModel, model_tree
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.held_readings import HeldReading
from discreet.topdown.running.problem import UP_AND_DOWN, CensusProblem
from discreet.topdown.running.solving import (
    SolveBasis,
    SolvedAreas,
    SolveJob,
    cut_tasks,
    join_solved,
    solve_parents,
    solve_top,
)
from discreet.topdown.running.workers import SolverPool

CHILDREN = 32
"""About how many areas one task solves for."""

AreaWatch = Callable[[str, int, int], None]
"""Told what is done, of how many areas so far, and of how many in all."""


@dataclass(frozen=True, eq=False)
class CensusEstimate:
    """The estimates of all areas: by least squares, and as whole numbers."""

    fit: TreeFit
    levels: tuple[SolvedAreas, ...]

    @property
    def counts(self) -> tuple[SparseCounts, ...]:
        """The whole numbers of each level."""
        return tuple(each.counts for each in self.levels)


def model_readings(problem: CensusProblem, readings: Sequence[HeldReading]) -> TreeModel:
    """Return how well all areas will be known from readings of these variances, and from what is public."""
    return model_tree(problem.geography, problem.schema, [*readings, *problem.list_public()])


def fit_held(problem: CensusProblem, model: TreeModel, readings: Sequence[HeldReading]) -> TreeFit:
    """Return the least squares estimates from readings that lie in files."""
    return fit_readings(model, [*(each.open() for each in readings), *problem.list_public()])


def estimate(
    problem: CensusProblem,
    fit: TreeFit,
    readings: Sequence[HeldReading],
    pool: SolverPool,
    folder: Path | None = None,
    watch: AreaWatch | None = None,
) -> CensusEstimate:
    """Return whole numbers for all areas, from the whole down; those that lie in the folder are taken from there.

    The workers know the basis of all estimates already (`hand_out_basis`).
    """
    found: list[SolvedAreas] = []
    is_ready = False
    for level, areas in enumerate(problem.geography.levels):
        kept = None if folder is None else folder / f"level-{level}.npz"
        if kept is not None and kept.exists():
            found.append(read_level(kept))
            continue
        if not is_ready:
            hand_out_job(fit, readings, pool)
            is_ready = True
        tell = None if watch is None else partial(watch, areas.name)
        solved = solve_level(problem, pool, level, found[-1].counts if level else None, tell)
        if kept is not None:
            keep_level(kept, solved)
        found.append(solved)
    return CensusEstimate(fit, tuple(found))


def solve_level(
    problem: CensusProblem,
    pool: SolverPool,
    level: int,
    parents: SparseCounts | None,
    tell: Callable[[int, int], None] | None = None,
) -> SolvedAreas:
    """Return the counts of a level, from those of the level above."""
    areas = problem.geography.levels[level]
    if parents is None:
        return join_solved(list(pool.map([(solve_top, ())])))
    bounds = areas.bound_children(len(parents))
    runs = cut_tasks(bounds, CHILDREN)
    tasks: list[Any] = [(solve_parents, (level, start, parents[start:stop])) for start, stop in runs]
    done = []
    for (_, stop), solved in zip(runs, pool.map(tasks), strict=True):
        done.append(solved)
        if tell is not None:
            tell(int(bounds[stop]), len(areas))
    return join_solved(done)


def hand_out_basis(problem: CensusProblem, model: TreeModel, pool: SolverPool, objective: str = UP_AND_DOWN) -> None:
    """Give all workers what the estimates of one problem share."""
    pool.give_basis(SolveBasis(problem, model, objective))


def hand_out_job(fit: TreeFit, readings: Sequence[HeldReading], pool: SolverPool) -> None:
    """Give all workers the estimate of the tree from some readings: both are looked up in files, beside one another.

    So a worker holds the areas that it solves for and no more, however many there are.
    """
    folder = readings[0].path.parent
    for path, values in zip(_name_inner(folder, len(fit.inner)), _list_inner(fit.inner), strict=True):
        path.unlink(missing_ok=True)  # what a worker still looks at stays as it was
        np.save(path, values)
    pool.give_job(open_held_job, (folder, tuple(readings)))


def forget_job(folder: Path, levels: int) -> None:
    """Take away what was handed out with the readings of a folder."""
    for path in _name_inner(folder, levels - 1):
        path.unlink(missing_ok=True)


def open_held_job(basis: SolveBasis, folder: Path, readings: Sequence[HeldReading]) -> SolveJob:
    """Return the job that lies in a folder, in the process of a worker."""
    names = _name_inner(folder, len(basis.problem.geography.levels) - 1)
    held = iter([np.load(path, mmap_mode="r") for path in names])
    return open_job(basis, tuple(InnerEstimates(*each) for each in zip(held, held, held, strict=True)), readings)


def open_job(basis: SolveBasis, inner: tuple[InnerEstimates, ...], readings: Sequence[HeldReading]) -> SolveJob:
    """Return the job of some estimates and readings."""
    opened = [*(each.open() for each in readings), *basis.problem.list_public()]
    values = tuple(
        collect_values(basis.model.basis, [each for each in opened if each.level == place], len(level))
        for place, level in enumerate(basis.problem.geography.levels)
    )
    return SolveJob(basis, TreeFit(basis.model, values, inner))


def _name_inner(folder: Path, levels: int) -> list[Path]:
    """Return the files of estimates of all levels but the last."""
    return [folder / f"{part.name}-{level}.npy" for level in range(levels) for part in fields(InnerEstimates)]


def _list_inner(inner: Sequence[InnerEstimates]) -> list[Floats]:
    """Return these estimates, in the order of their files."""
    return [getattr(each, part.name) for each in inner for part in fields(each)]


def keep_level(path: Path, solved: SolvedAreas) -> None:
    """Write a level into a file."""
    solved.counts.save(path, figures=solved.figures, violations=np.array(solved.violations, dtype=np.str_))


def read_level(path: Path) -> SolvedAreas:
    """Return what `keep_level` wrote."""
    with np.load(path, allow_pickle=False) as arrays:
        figures: Floats = arrays["figures"]
        words = tuple(str(each) for each in arrays["violations"])
        return SolvedAreas(SparseCounts.of_arrays(arrays), figures, words)
