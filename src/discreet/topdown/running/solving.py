"""The counts of all children of some parents: what one task of a worker does.

A job holds the estimate of the whole tree; a task is a level, some parents that follow one another, and their counts.
The same job and task give the same result, whoever does it, and whenever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.tree_fit import TreeFit
from discreet.topdown.estimate.tree_model import TreeModel
from discreet.topdown.running.counts import SparseCounts, join_counts
from discreet.topdown.running.problem import UP_AND_DOWN, CensusProblem
from discreet.topdown.solve.area_precision import EntryTable
from discreet.topdown.solve.children import Solution, solve_children, solve_root
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.queries import Query

METHODS = ("linear program", "mixed-integer program", "failsafe")
FIGURES = ("objective", "gap", "rounding_gap", "distance", "method", "violations")
"""What is told of each solve: a column of `SolvedAreas.figures` each."""


@dataclass(frozen=True, eq=False)
class SolvedAreas:
    """The counts of areas that follow one another, and how each of the solves went that they come from."""

    counts: SparseCounts
    figures: Floats
    """A row for each solve: `FIGURES`."""
    violations: tuple[str, ...] = ()
    """Rules that had to be broken, in words."""


@dataclass(frozen=True, eq=False)
class SolveBasis:
    """What all estimates of one problem share, whatever was read: the precision of every area."""

    problem: CensusProblem
    model: TreeModel
    objective: str = UP_AND_DOWN
    """Which readings a level is fitted to."""
    _tables: dict[int, EntryTable] = field(default_factory=dict, repr=False)
    _variances: dict[tuple[int, str], Floats] = field(default_factory=dict, repr=False)

    def find_table(self, level: int) -> EntryTable:
        """Return the precisions of all areas of a level."""
        if level not in self._tables:
            models = self.model.upward if self.objective == UP_AND_DOWN else self.model.alone
            self._tables[level] = EntryTable(models[level].precision)
        return self._tables[level]

    def find_variances(self, level: int, query: Query, areas: slice | Ints) -> Floats:
        """Return the variances of least squares estimates: computed once for all areas of a kind."""
        kinds = self.model.downward[level].covariance.kinds
        if (level, query.name) not in self._variances:
            firsts = np.unique(kinds, return_index=True)[1].astype(np.int64)
            self._variances[level, query.name] = self.model.variances(level, query, firsts)
        return np.asarray(self._variances[level, query.name][kinds[areas]])

    @cached_property
    def impossible(self) -> NDArray[np.bool_]:
        """The cells that nobody can be in."""
        return self.problem.schema.impossible.reshape(-1)


@dataclass(frozen=True, eq=False)
class SolveJob:
    """A problem, and the estimate of its tree from some readings."""

    basis: SolveBasis
    fit: TreeFit

    @property
    def problem(self) -> CensusProblem:
        """What is estimated."""
        return self.basis.problem

    def find_targets(self, level: int, areas: slice) -> Floats:
        """Return what the counts of some areas are to be near to."""
        is_upward = self.basis.objective == UP_AND_DOWN
        return self.fit.upward(level, areas) if is_upward else self.fit.alone(level, areas)


def solve_top(job: SolveJob) -> SolvedAreas:
    """Return the counts of the whole."""
    found = solve_root(
        job.find_targets(0, slice(0, 1)),
        job.basis.find_table(0).take(slice(0, 1)),
        impossible=job.basis.impossible,
        invariants=job.problem.known[0],
        family=job.problem.families[0],
    )
    return _tell(job, 0, 0, found)


def solve_parents(job: SolveJob, level: int, first: int, parents: SparseCounts) -> SolvedAreas:
    """Return the counts of all children, at this level, of parents from the first on whose counts are given."""
    bounds = job.problem.geography.levels[level].bound_children(len(job.problem.geography.levels[level - 1]))
    found = []
    for place in range(len(parents)):
        children = slice(int(bounds[first + place]), int(bounds[first + place + 1]))
        solved = solve_children(
            parents[place : place + 1].to_dense()[0],
            job.find_targets(level, children),
            job.basis.find_table(level).take(children),
            impossible=job.basis.impossible,
            invariants=[_cut(each, children) for each in job.problem.known[level]],
            family=job.problem.families[level],
        )
        found.append(_tell(job, level, children.start, solved))
    return join_solved(found)


def join_solved(parts: Sequence[SolvedAreas]) -> SolvedAreas:
    """Return all areas of all parts, one after the other."""
    return SolvedAreas(
        join_counts([each.counts for each in parts]),
        np.concatenate([each.figures for each in parts]),
        tuple(words for each in parts for words in each.violations),
    )


def cut_tasks(bounds: Ints, most: int) -> list[tuple[int, int]]:
    """Return runs of parents, each with about so many children: the first, and the one after the last.

    >>> cut_tasks(np.array([0, 3, 5, 9, 10]), 4)
    [(0, 2), (2, 3), (3, 4)]
    """
    found, start = [], 0
    for stop in range(1, len(bounds)):
        if bounds[stop] - bounds[start] >= most or stop == len(bounds) - 1:
            found.append((start, stop))
            start = stop
    return found


def _cut(invariant: Invariant, children: slice) -> Invariant:
    """Return what an invariant says of some areas."""
    most = None if invariant.most is None else invariant.most[children]
    return replace(invariant, values=invariant.values[children], most=most)


def _tell(job: SolveJob, level: int, first: int, found: Solution) -> SolvedAreas:
    rounded, minimum = found.rounded, found.minimum
    row = (
        minimum.objective,
        minimum.gap,
        rounded.gap,
        rounded.distance,
        METHODS.index(rounded.method),
        len(found.violations),
    )
    areas = job.problem.geography.levels[level]
    words = tuple(
        f"{each.rule}: {areas.areas[first + each.child]} of {areas.name} has {each.given} in answer {each.answer}, "
        f"where {each.low} to {each.high} were known"
        for each in found.violations
    )
    return SolvedAreas(SparseCounts.of_dense(found.counts), np.array([row], dtype=np.float64), words)
