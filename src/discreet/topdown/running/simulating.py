"""How far a release is off on average, found by making it again: the released counts are taken for the truth, measured
with noise anew, and estimated as they were.

Nothing private is in it: released counts, public noise. It tells what the constraints do to the errors, which no
formula does: whole numbers, none below 0, parents that are given. What it cannot tell is what follows from the true
counts being others than the released ones; where these are smoother than the truth, so is what is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base.grid import Floats
from discreet.topdown.estimate.tree_model import TreeModel
from discreet.topdown.running.counts import SparseCounts, join_counts
from discreet.topdown.running.error_sums import (
    AreaErrors,
    ClassErrors,
    ErrorKey,
    SimulatedErrors,
    add_all,
    read_errors,
    sum_errors,
    write_errors,
)
from discreet.topdown.running.estimating import CHILDREN, AreaWatch, fit_held, forget_job, hand_out_job
from discreet.topdown.running.held_readings import HeldReading, simulate_readings
from discreet.topdown.running.problem import CensusProblem
from discreet.topdown.running.regrouped import PublishedModel, model_published
from discreet.topdown.running.solving import SolveJob, cut_tasks, solve_parents, solve_top
from discreet.topdown.running.workers import SolverPool, Task
from discreet.topdown.spec.queries import Query

LEAVES = 4000
"""About how many of the smallest areas one replication solves for: where there are more, some parents' in turn."""


@dataclass(frozen=True, eq=False)
class _Measured:
    """What one task brings."""

    first: int
    """The place of the first area."""
    counts: SparseCounts | None
    classes: dict[ErrorKey, ClassErrors]
    total: Floats
    spread: Floats


def simulate_errors(
    problem: CensusProblem,
    model: TreeModel,
    readings: Sequence[HeldReading],
    truth: Sequence[SparseCounts],
    pool: SolverPool,
    folder: Path,
    replications: int,
    seed: int,
    watch: AreaWatch | None = None,
    keep: Path | None = None,
) -> SimulatedErrors:
    """Return how far estimates are off where these counts are the truth, in so many replications.

    The workers know the basis of all estimates already (`hand_out_basis`). What was found so far is kept in a file,
    where one is named, and taken from there.
    """
    published = {
        name: model_published(model, problem.geography.find_level(name), each.places, len(each.areas))
        for name, each in problem.regrouped.items()
    }
    kept = None if keep is None else read_errors(keep)
    found = kept if kept is not None and kept.replications <= replications else SimulatedErrors(0, {}, ())
    leaves = sum(len(level) for level in problem.geography.levels)
    for round_ in range(found.replications, replications):
        tell = None if watch is None else partial(_tell, watch, round_ * leaves, replications * leaves)
        drawn = simulate_readings(readings, truth, folder, np.random.default_rng([seed, round_]))
        hand_out_job(fit_held(problem, model, drawn), drawn, pool)
        found = found.add(_simulate_once(problem, published, truth, pool, round_, tell))
        if keep is not None:
            write_errors(keep, found)
    for place in range(len(readings)):
        (folder / f"simulated-{place}.npy").unlink(missing_ok=True)
    forget_job(folder, len(problem.geography.levels))
    return found


def _simulate_once(
    problem: CensusProblem,
    published: dict[str, PublishedModel],
    truth: Sequence[SparseCounts],
    pool: SolverPool,
    round_: int,
    tell: Callable[[int], None] | None,
) -> SimulatedErrors:
    """Return the errors of one replication; sums are made as tasks end, since each brings many numbers."""
    classes: dict[ErrorKey, ClassErrors] = {}
    areas: list[AreaErrors] = []
    counts: SparseCounts | None = None
    done = 0
    for place, level in enumerate(problem.geography.levels):
        errors = AreaErrors(np.zeros(len(level)), np.zeros(len(level)), np.zeros(len(level), dtype=np.int64))
        kept = []
        for each in pool.map(_list_tasks(problem, place, counts, truth[place], round_, bool(published))):
            classes = add_all([classes, each.classes])
            errors.put(each.first, each.total, each.spread)
            kept += [] if each.counts is None else [each.counts]
        counts = join_counts(kept) if kept else None
        areas.append(errors)
        done += len(level)
        if tell is not None:
            tell(done)
    if published and counts is not None:
        classes = add_all([classes, measure_published(problem, published, truth[-1], counts)])
    return SimulatedErrors.of_one(classes, tuple(areas))


def _tell(watch: AreaWatch, before: int, total: int, done: int) -> None:
    watch("simulating errors", before + done, total)


def measure_published(
    problem: CensusProblem, published: dict[str, PublishedModel], truth: SparseCounts, counts: SparseCounts
) -> dict[ErrorKey, ClassErrors]:
    """Return the errors of areas that are published and not measured."""
    found = {}
    for name, model in published.items():
        known = problem.regrouped[name]
        there, here = (each.add_up(known.places, len(known.areas)) for each in (truth, counts))
        for query in problem.queries:
            possible = find_possible(query)
            errors = there.answer(query)[:, possible], here.answer(query)[:, possible]
            found[name, query.name] = sum_errors(*errors, model.variances(query)[:, possible])
    return found


def find_possible(query: Query) -> Any:
    """Return which answers of a query somebody can be counted in."""
    return np.bincount(query.places[~query.schema.impossible.reshape(-1)], minlength=query.size) > 0


def find_finest(queries: Sequence[Query]) -> Query:
    """Return the query with the most answers: the one by which errors of areas are told."""
    return max(queries, key=lambda each: each.size)


def _list_tasks(
    problem: CensusProblem,
    level: int,
    parents: SparseCounts | None,
    truth: SparseCounts,
    round_: int,
    keep_last: bool,
) -> list[Task]:
    """Return the tasks of a level; where nobody needs all of the smallest areas, those of some of them."""
    if parents is None:
        return [(_simulate_top, (truth,))]
    bounds = problem.geography.levels[level].bound_children(len(parents))
    keep = keep_last or level < len(problem.geography.levels) - 1
    step = 1 if keep else -(-len(truth) // LEAVES)
    return [
        (
            _simulate_parents,
            (level, start, parents[start:stop], truth[int(bounds[start]) : int(bounds[stop])], keep),
        )
        for start, stop in cut_tasks(bounds, CHILDREN)[round_ % step :: step]
    ]


def _simulate_top(job: SolveJob, truth: SparseCounts) -> _Measured:
    return _measure(job, 0, 0, solve_top(job).counts, truth, keep=True)


def _simulate_parents(
    job: SolveJob, level: int, first: int, parents: SparseCounts, truth: SparseCounts, keep: bool
) -> _Measured:
    bounds = job.problem.geography.levels[level].bound_children(len(job.problem.geography.levels[level - 1]))
    found = solve_parents(job, level, first, parents).counts
    return _measure(job, level, int(bounds[first]), found, truth, keep)


def _measure(job: SolveJob, level: int, first: int, counts: SparseCounts, truth: SparseCounts, keep: bool) -> _Measured:
    """Return the errors of all queries in some areas."""
    name = job.problem.geography.levels[level].name
    areas = slice(first, first + len(counts))
    classes: dict[ErrorKey, ClassErrors] = {}
    finest = find_finest(job.problem.queries)
    spread: Floats = np.zeros(len(counts))
    for query in job.problem.queries:
        possible = find_possible(query)
        there, here = truth.answer(query), counts.answer(query)
        if name not in job.problem.regrouped:
            known = job.basis.find_variances(level, query, areas)[:, possible]
            classes[name, query.name] = sum_errors(there[:, possible], here[:, possible], known)
        if query is finest:
            spread = np.abs(here - there).sum(axis=1).astype(np.float64)
    total = np.abs(counts.people - truth.people).astype(np.float64)
    return _Measured(first, counts if keep else None, classes, total, spread)
