"""The counts of one parent's children, or of the root: the nearest real ones, then whole ones next to those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.solve.failsafe import Violation, list_violations, relax, round_relaxed
from discreet.topdown.solve.precision import Precision, restrict_precision
from discreet.topdown.solve.projection import EmptyRegionError
from discreet.topdown.solve.quadratic import Minimum, QuadraticObjective, minimise
from discreet.topdown.solve.region import Region, describe_region, shut_cells
from discreet.topdown.solve.rounding import Rounded, round_counts
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.queries import Query


@dataclass(frozen=True, eq=False)
class Solution:
    """The counts of some areas: whole numbers, and what they were rounded from."""

    counts: Ints
    """A row for each area, a column for each cell. They add up to the parent's."""
    continuous: Floats
    minimum: Minimum
    """The objective of `continuous`, and the certified gap to the least one."""
    rounded: Rounded
    """How the whole numbers were found: of its counts only cells of the parent are kept."""
    violations: tuple[Violation, ...]
    """Rules that `counts` break, by name: none unless they contradict one another."""


def solve_children(
    parent: Ints,
    targets: Floats,
    precision: Precision,
    *,
    impossible: Bools | None = None,
    invariants: Sequence[Invariant] = (),
    family: Sequence[Query] = (),
) -> Solution:
    """Return counts of the children of one parent.

    They are the whole numbers next to the x >= 0 with the least sum of (x - z)' P (x - z), where z are the targets and
    P the precision of each child, that adds up to the parent's counts, is 0 in impossible cells, and keeps the
    invariants, whose rows are the children. Totals of children, and the answers of each query of the `family`, are
    rounded to their floor or ceiling; where the family is nested, and invariants with it, rounding is proven optimal.
    """
    if parent.shape != targets.shape[1:] or np.any(parent < 0):
        raise ParameterError("parent", parent.shape, f"{targets.shape[1]} counts of at least 0")
    return _solve(parent, targets, precision, impossible, invariants, family)


def solve_root(
    targets: Floats,
    precision: Precision,
    *,
    impossible: Bools | None = None,
    invariants: Sequence[Invariant] = (),
    family: Sequence[Query] = (),
) -> Solution:
    """Return the counts of the whole, which has no parent: as `solve_children`, with targets of a single row.

    Where no invariant gives its total, the certificate needs that each cell weighs on the total with a precision above
    0: it is infinite otherwise.
    """
    if len(targets) != 1:
        raise ParameterError("targets", targets.shape, "one row of cells")
    return _solve(None, targets, precision, impossible, invariants, family)


def _solve(
    parent: Ints | None,
    targets: Floats,
    precision: Precision,
    impossible: Bools | None,
    invariants: Sequence[Invariant],
    family: Sequence[Query],
) -> Solution:
    zeros = np.broadcast_to(np.False_ if impossible is None else impossible, targets.shape)
    for each in invariants:
        if each.values.shape != (len(targets), each.query.size) or each.query.schema.cells != targets.shape[1]:
            raise ParameterError(f"invariants.{each.name}", each.values.shape, "a row of answers for each child")
    allowed = shut_cells(~zeros, invariants)
    if parent is None:
        cells = np.flatnonzero(allowed[0])
        people = None
    else:
        cells = np.flatnonzero(parent)
        people = parent[cells]
        allowed[:, (parent > 0) & ~allowed.any(axis=0)] = True
    region = describe_region(targets, parent, allowed, invariants, cells)
    minimum, counts = _minimise(region, _write_objective(targets, precision, cells))
    groups = [np.zeros(len(cells), dtype=np.int64), *(query.places[cells] for query in family if query.size > 1)]
    rounded = round_counts(counts, people, invariants, groups, cells) or round_relaxed(counts, people, region, groups)
    continuous, whole = np.zeros(targets.shape), np.zeros(targets.shape, dtype=np.int64)
    continuous[:, cells], whole[:, cells] = counts, rounded.counts
    return Solution(whole, continuous, minimum, rounded, list_violations(whole, zeros, invariants))


def _write_objective(targets: Floats, precision: Precision, cells: Ints) -> QuadraticObjective:
    """Return the objective in the cells that are left, those outside being 0: their estimates still count."""
    outside = -targets
    outside[:, cells] = 0.0
    weighed = precision.apply(outside)
    kept = restrict_precision(precision, cells, targets.shape[1])
    return QuadraticObjective(kept, 2 * weighed[:, cells], float((outside * weighed).sum()))


def _minimise(region: Region, objective: QuadraticObjective) -> tuple[Minimum, Floats]:
    """Return the nearest point of the region and its counts; an empty region is relaxed first."""
    if not region.low.shape[1]:
        return Minimum(np.zeros(region.low.shape), objective.constant, 0.0, 0), np.zeros(region.low.shape)
    try:
        minimum = minimise(region, objective)
    except EmptyRegionError:
        minimum = _minimise_relaxed(region, objective)
    return minimum, region.count(minimum.deviations)


def _minimise_relaxed(region: Region, objective: QuadraticObjective) -> Minimum:
    """Return the nearest point of a region whose rows are relaxed; where none is found, one without a certificate."""
    relaxed, inside = relax(region)
    try:
        return minimise(relaxed, objective)
    except EmptyRegionError:
        return Minimum(inside, objective.evaluate(inside, objective.find_gradient(inside)), np.inf, 1)
