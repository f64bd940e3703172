"""Whole counts next to real ones: every count its floor or its ceiling, every sum right.

Let x be counts of children that add up to whole X in each cell. Sought are whole n, n = x where x is whole, else the
floor or the ceiling, that add up to X, keep all invariants, and whose answers to each query of a family (totals always)
are the floor or the ceiling of those of x. Among all such n the sum of |n - x| over counts, and of |Q n - Q x| over the
answers of the family, is least: the L1 distance over all tables that are published of them.

With n = floor(x) + y all of this is linear in y and in s, which says for each answer whether it is the ceiling. Where
the answers are nested within each child (`laminar`) it is totally unimodular: the vertex that the simplex method ends
at is whole, and the optimum. Otherwise it is a mixed-integer program, with a stated gap and a time limit.

It always has a solution where it is unimodular. For whole right hand sides Farkas' multipliers are -1, 0 and 1, so a
program without solutions misses by at least 1 in sum, while x itself misses by nothing but the rounding of floats.
Whatever comes back is checked here in integers before it is believed; what fails goes to `failsafe`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve.laminar import find_crossing
from discreet.topdown.solve.region import find_bounds
from discreet.topdown.spec.invariants import Invariant

WHOLE = 1e-7
"""What is nearer than this to a whole number is that number: more than floats lose in a solve, far less than counts."""

MIP_GAP = 1e-4
MIP_SECONDS = 20.0


@dataclass(frozen=True, eq=False)
class Rounded:
    """Whole counts, and how they were found."""

    counts: Ints
    distance: float
    """The sum of |n - x| over counts and over the family's answers."""
    method: str
    """`linear program`: proven to be optimal. `mixed-integer program`: up to `gap`. `failsafe`: rules were relaxed."""
    gap: float = 0.0


@dataclass(frozen=True, eq=False)
class _Program:
    """min cost'y with lower <= matrix y <= upper, 0 <= y <= 1."""

    cost: Floats
    matrix: sparse.csr_array
    lower: Floats
    upper: Floats

    def solve(self, whole: bool) -> tuple[Floats, float] | None:
        """Return the solution and its relative gap; None where there is none, or none was found in time."""
        found = milp(
            self.cost,
            integrality=np.full(len(self.cost), int(whole)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(self.matrix, self.lower, self.upper),
            options={"mip_rel_gap": MIP_GAP, "time_limit": MIP_SECONDS},
        )
        if found.x is None:
            return None
        return found.x, float(found.mip_gap or 0.0)


def round_counts(
    counts: Floats, people: Ints | None, invariants: Sequence[Invariant], family: Sequence[Ints], cells: Ints
) -> Rounded | None:
    """Return whole counts next to real ones, of some cells; None where no rounding keeps all the rules.

    Rows are children. `family` has, for each query whose answers are rounded to their floor or ceiling, the answer that
    each of the cells is counted in; `people` are the parent's counts. The same input gives the same output. Where the
    optimum is unique it does not depend on the order of the children; among several the order decides.
    """
    near = np.rint(counts)
    real = np.where(np.abs(counts - near) <= WHOLE, near, counts)
    base = np.floor(real).astype(np.int64)
    children, columns = np.nonzero(real > base)
    parts: Floats = real[children, columns] - base[children, columns]
    rules = _Rules(base, children, columns, cells)
    if people is not None:
        rules.add_cells(people)
    for places in family:
        rules.add_answers(places, parts)
    for each in invariants:
        rules.add_invariant(each)
    if rules.is_broken:
        return None
    program = rules.write(1 - 2 * parts)
    proven = find_crossing(rules.groupings) is None
    for whole in (False, True) if proven else (True,):
        solved = program.solve(whole) if len(program.cost) else (np.empty(0), 0.0)
        if solved is None:
            continue
        chosen = np.rint(solved[0])
        if np.abs(solved[0] - chosen).max(initial=0.0) > 1e-5 or not _keeps(program, chosen):
            continue
        found = base.copy()
        found[children, columns] += chosen[: len(parts)].astype(np.int64)
        method = "linear program" if proven and not whole else "mixed-integer program"
        return Rounded(found, measure_distance(found, counts, family), method, solved[1])
    return None


def measure_distance(found: Ints, counts: Floats, family: Sequence[Ints]) -> float:
    """Return the sum of |n - x| over counts and over the answers of the family."""
    off = found - counts
    distance = float(np.abs(off).sum())
    for places in family:
        sums = np.zeros((int(places.max(initial=-1)) + 1, len(off)))
        np.add.at(sums, places, off.T)
        distance += float(np.abs(sums).sum())
    return distance


def _keeps(program: _Program, chosen: Floats) -> bool:
    """Whether whole numbers keep all rows: exact, since all numbers here are small and whole."""
    if chosen.min(initial=0.0) < 0 or chosen.max(initial=0.0) > 1:
        return False
    sums = program.matrix @ chosen
    return bool(np.all((program.lower <= sums) & (sums <= program.upper)))


class _Rules:
    """The rows of a program in the making: a column for each count that is not whole."""

    def __init__(self, base: Ints, children: Ints, columns: Ints, cells: Ints) -> None:
        self.base, self.children, self.columns, self.cells = base, children, columns, cells
        self.groupings: list[Ints] = []
        self.is_broken = False
        """Whether a row without a column cannot hold."""
        self._rows: list[tuple[Ints, Ints, Floats, Floats]] = []
        self._ceilings: list[tuple[Ints, Floats]] = []
        self._height = 0

    def add_cells(self, people: Ints) -> None:
        """The children add up to the parent, in each cell."""
        self._add(self.columns, people - self.base.sum(axis=0), people - self.base.sum(axis=0))

    def add_answers(self, places: Ints, parts: Floats) -> None:
        """The answers of a query are the floor or the ceiling of what they were, at the price of the distance."""
        groups = self._group(places)
        sums = np.bincount(groups, parts)
        near = np.rint(sums)
        floors = np.where(np.abs(sums - near) <= WHOLE * 10, near, np.floor(sums))
        split = np.flatnonzero(sums - floors > WHOLE * 10)
        self.groupings.append(groups)
        kept = self._add(groups, floors, floors)
        self._ceilings.append((kept[split], np.asarray(1 - 2 * (sums - floors)[split], dtype=np.float64)))

    def add_invariant(self, invariant: Invariant) -> None:
        """The answers keep their public bounds; rows that hold whatever is chosen are left out."""
        low, high = find_bounds(invariant)
        places = invariant.query.places[self.cells]
        sums = np.zeros(low.shape[::-1], dtype=np.int64)
        np.add.at(sums, places, self.base.T)
        groups = self.children * invariant.query.size + places[self.columns]
        most = np.bincount(groups, minlength=low.size)
        least = (low - sums.T).reshape(-1)
        upper = np.minimum((high - sums.T).reshape(-1), most)
        live = (least > 0) | (upper < most)
        groups = np.where(live[groups], groups, -1)
        self.groupings.append(groups)
        self._add(groups, np.maximum(least, 0), upper)

    def write(self, cost: Floats) -> _Program:
        """Return the program: a column for each count, then one for each answer that may be a ceiling."""
        rows = [rows for rows, _, _, _ in self._rows]
        columns = [columns for _, columns, _, _ in self._rows]
        ceilings = np.concatenate([np.empty(0, dtype=np.int64), *(rows for rows, _ in self._ceilings)])
        width = len(cost) + len(ceilings)
        entries = np.concatenate([np.ones(sum(map(len, rows))), np.full(len(ceilings), -1.0)])
        places = (
            np.concatenate([np.empty(0, dtype=np.int64), *rows, ceilings]),
            np.concatenate([np.empty(0, dtype=np.int64), *columns, np.arange(len(cost), width)]),
        )
        return _Program(
            np.concatenate([cost, *(price for _, price in self._ceilings)]),
            sparse.csr_array((entries, places), shape=(self._height, width)),
            np.concatenate([np.empty(0), *(lower for _, _, lower, _ in self._rows)]),
            np.concatenate([np.empty(0), *(upper for _, _, _, upper in self._rows)]),
        )

    def _group(self, places: Ints) -> Ints:
        """Return the answer that each column is counted in, those of different children apart."""
        return np.asarray(self.children * (int(places.max(initial=-1)) + 1) + places[self.columns])

    def _add(self, groups: Ints, lower: Floats | Ints, upper: Floats | Ints) -> Ints:
        """Add a row for each group that has columns, and return where each group's is; -1 for those that have none."""
        members = np.flatnonzero(groups >= 0)
        used, rows = np.unique(groups[members], return_inverse=True)
        empty = np.ones(len(lower), dtype=bool)
        empty[used] = False
        self.is_broken |= bool(np.any((lower[empty] > 0) | (upper[empty] < 0)))
        self._rows.append(
            (rows + self._height, members, lower[used].astype(np.float64), upper[used].astype(np.float64))
        )
        places = np.full(len(lower), -1, dtype=np.int64)
        places[used] = self._height + np.arange(len(used))
        self._height += len(used)
        return places
