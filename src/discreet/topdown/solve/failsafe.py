"""What is done where rules contradict one another: as few of them as possible are broken, and which is told.

Public numbers that contradict one another are named before anything is charged. What is left are invariants of several
queries at once that agree in the parent and not in the children, which no program that fixes parents first can rule
out (`spec.propagation` has an example). The parent's counts hold even then, and so do whole and non-negative numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.solve.region import Region, find_bounds
from discreet.topdown.solve.rounding import MIP_GAP, MIP_SECONDS, Rounded, measure_distance
from discreet.topdown.spec.invariants import Invariant

PRICE = 1000.0
"""What one person too many or too few in an invariant costs, beside one in a count."""


@dataclass(frozen=True)
class Violation:
    """An answer of a child that is outside its public bounds; of the rule `zeros`, a cell that nobody can be in."""

    rule: str
    child: int
    answer: int
    low: int
    high: int
    given: int


def list_violations(counts: Ints, impossible: Bools, invariants: Sequence[Invariant]) -> tuple[Violation, ...]:
    """Return all rules that whole counts break: children in rows, all cells in columns."""
    found = [
        Violation("zeros", int(child), int(cell), 0, 0, int(counts[child, cell]))
        for child, cell in np.argwhere(impossible & (counts != 0))
    ]
    for each in invariants:
        low, high = find_bounds(each)
        given = each.query.answer(counts)
        found += [
            Violation(each.name, int(child), int(answer), *(int(part[child, answer]) for part in (low, high, given)))
            for child, answer in np.argwhere((given < low) | (given > high))
        ]
    return tuple(found)


def relax(region: Region) -> tuple[Region, Floats]:
    """Return a region that is not empty, and a point of it: the rows' numbers changed as little in sum as can be."""
    columns = np.nonzero(region.allowed)[1]
    rows = _write_rows(region)
    slack = sparse.eye_array(len(region.rows))
    wanted = find_wanted(region)
    matrix = sparse.hstack([rows, slack, -slack], format="csr")
    constraints = [LinearConstraint(matrix, wanted, np.where(region.rows.exact, wanted, np.inf))]
    if region.people is not None:
        constraints.append(_write_sums(region.people, columns, matrix.shape[1]))
    cost = np.concatenate([np.zeros(len(columns)), np.ones(2 * len(wanted))])
    solved = milp(cost, bounds=Bounds(0, np.inf), constraints=constraints)
    given = rows @ solved.x[: len(columns)]
    kept = np.where(region.rows.exact, given, np.minimum(wanted, given))
    inside = region.low.copy()
    inside[region.allowed] += solved.x[: len(columns)]
    return region.retarget(kept + region.rows.add_up(region.low), slack=1e-6), inside


def find_wanted(region: Region) -> Floats:
    """Return the numbers that the rows must have, in people."""
    return np.asarray(np.rint(region.rows.targets - region.rows.add_up(region.low)))


def round_relaxed(counts: Floats, people: Ints | None, region: Region, family: Sequence[Ints]) -> Rounded:
    """Return whole counts that add up to the parent and keep the rows of a region as well as they can.

    Every count is at most one below its floor or above its ceiling, at the price of its distance; a row that misses
    its number costs `PRICE` for each person. Where even this takes too long, the largest remainders of each cell are
    rounded up.
    """
    children, columns = np.nonzero(region.allowed)
    near, rows, wanted = counts[children, columns], _write_rows(region), find_wanted(region)
    width, height = len(near), len(wanted)
    one, slack = sparse.eye_array(width), sparse.eye_array(height)
    matrix = sparse.block_array([[one, -one, None, None], [one, one, None, None], [rows, None, slack, -slack]])
    lower = np.concatenate([np.full(width, -np.inf), near, wanted])
    upper = np.concatenate([near, np.full(width, np.inf), np.where(region.rows.exact, wanted, np.inf)])
    constraints = [LinearConstraint(matrix.tocsr(), lower, upper)]
    if people is not None:
        constraints.append(_write_sums(people, columns, 2 * (width + height)))
    rest = np.zeros(width + 2 * height)
    solved = milp(
        np.concatenate([np.zeros(width), np.ones(width), np.full(2 * height, PRICE)]),
        integrality=np.concatenate([np.ones(width), rest]),
        bounds=Bounds(
            np.concatenate([np.maximum(np.floor(near) - 1, 0), rest]),
            np.concatenate([np.ceil(near) + 1, rest + np.inf]),
        ),
        constraints=constraints,
        options={"mip_rel_gap": MIP_GAP, "time_limit": MIP_SECONDS},
    )
    found = np.zeros(counts.shape, dtype=np.int64)
    if solved.x is not None:
        found[children, columns] = np.rint(solved.x[:width]).astype(np.int64)
    if solved.x is None or (people is not None and not np.array_equal(found.sum(axis=0), people)):
        found = _round_remainders(counts, people)
    return Rounded(found, measure_distance(found, counts, family), "failsafe", float(solved.mip_gap or 0.0))


def _round_remainders(counts: Floats, people: Ints | None) -> Ints:
    """Return floors, and ceilings of as many largest remainders in each cell as its sum needs."""
    if people is None:
        return np.rint(counts).astype(np.int64)
    floors = np.floor(counts + 1e-9).astype(np.int64)
    order = np.argsort(np.argsort(floors - counts, axis=0, kind="stable"), axis=0)
    return np.asarray(floors + (order < people - floors.sum(axis=0)))


def _write_rows(region: Region) -> sparse.csr_array:
    """Return the rows as a matrix with a column for each child and cell that may be."""
    width = int(region.allowed.sum())
    columns = np.zeros(region.allowed.shape, dtype=np.int64)
    columns[region.allowed] = np.arange(width)
    rows, cells = np.nonzero(region.rows.members)
    places = rows, columns[region.rows.children[rows], cells]
    return sparse.csr_array((region.rows.members[rows, cells], places), shape=(len(region.rows), width))


def _write_sums(people: Ints | Floats, columns: Ints, width: int) -> LinearConstraint:
    """Return the rule that children add up to the parent; counts come first in a program of so many columns."""
    places = columns, np.arange(len(columns))
    return LinearConstraint(
        sparse.csr_array((np.ones(len(columns)), places), shape=(len(people), width)), people, people
    )
