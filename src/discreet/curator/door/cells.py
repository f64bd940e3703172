"""Counts by cell: answers of linear families over a plan's rows, and choices among their groups. For the desk alone.

Rows whose columns are all whole numbers between public bounds are a table by cell (`families/`). Each unit has at most
`plan.rows` of them, so how far it moves a group's answers follows from the longest vector of one row (`RowBound`): no
caller states it, and that of a family which somebody wrote is computed from its public matrix.

Choosing by gaps. The score of group g is w_g |t_g - e_g|_1 - c_g: how far its true answers t are from a model's public
estimates e, weighed, less a public constant. A unit moves t by at most d_g in L1 (`RowBound.bound_l1`), so by the
triangle inequality it moves the score by at most w_g d_g, up or down, and two scores apart by at most the sum of
theirs: the spread, on which the cost of a choice depends (`query/cost.py`). Scores are whole numbers: estimates are
whole numbers of a public grain of a row, and so are the gaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.engines.result import ExactRows
from discreet.families.closed_list import check_family
from discreet.families.domain import Domain, RowTable
from discreet.families.family import Family, Vector
from discreet.plan.rows_plan import RowsPlan
from discreet.query.choices import PickNoise, check_pick

FINEST = 1 << 20
"""Grains of a row, times the L1 norm of a row's vector: with fewer than 2^40 rows nothing leaves 64 bits."""

LARGEST_ROW = 1 << 22
"""The L1 norm of a row's vector at most: so with fewer than 2^40 rows sums are 64-bit numbers, however many there are,
and how long they take does not depend on one row."""


class CountedUnit(Protocol):
    """Whose rows are counted: a plan, or what stands for one in a simulation."""

    @property
    def rows(self) -> int:
        """How many rows one unit has at most."""

    @property
    def factor(self) -> int:
        """2 under replace neighbours, else 1."""


def find_domain(plan: RowsPlan) -> Domain:
    """Return how many values each column of a plan has, or refuse one that is not of whole numbers."""
    if any(column.grid.step != 1 for column in plan.columns):
        raise OperationError("cells are counted by columns of whole numbers: SELECT CASE WHEN ... THEN 0 ELSE 1 END")
    return Domain(tuple(column.grid.upper - column.grid.lower + 1 for column in plan.columns))


def count_rows(plan: RowsPlan, exact: ExactRows) -> RowTable:
    """Return the rows of all units by the place of their value in each column, in as few bytes as these need."""
    domain = find_domain(plan)
    values = tuple(
        (exact.points[:, place] - column.grid.lower).astype(np.min_scalar_type(size - 1))
        for place, (column, size) in enumerate(zip(plan.columns, domain.sizes, strict=True))
    )
    return RowTable(domain, values)


def check_group(plan: RowsPlan, family: Family, group: int) -> Family:
    """Return the family, with a proven bound, or refuse one of another domain, or a group that it does not have."""
    known = _check_family(plan, family)
    if type(group) is not int or not 0 <= group < known.groups:
        raise OperationError(f"groups of this family are numbered from 0 to {known.groups - 1}")
    if known.bound_row(group).l1 > LARGEST_ROW:
        raise OperationError(f"the numbers of a row add up to at most {LARGEST_ROW:,}, in magnitude")
    return known


def _check_family(plan: RowsPlan, family: Family) -> Family:
    if not isinstance(family, Family) or family.domain != find_domain(plan):
        raise OperationError("a family is of the plan's own domain: the numbers of values of its columns")
    return check_family(family)


@dataclass(frozen=True, slots=True, eq=False)
class GapScore:
    """Scores groups of a family by how far their answers are from a model's estimates.

    `estimates[i]` are those of group `groups[i]`: whole numbers of 1 / `grain` of a row each. `weights` and `constants`
    are public whole numbers, one for each group.
    """

    family: Family
    groups: tuple[int, ...]
    estimates: tuple[NDArray[np.int64], ...]
    weights: tuple[int, ...]
    constants: tuple[int, ...]
    grain: int = 1

    def __post_init__(self) -> None:
        """Keep plain copies: what is priced is then what is used, and no code of a caller meets an exact number."""
        object.__setattr__(self, "family", check_family(self.family))
        for name in ("groups", "weights", "constants"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "estimates", tuple(_copy_whole(each) for each in self.estimates))
        lists: tuple[tuple[Any, ...], ...] = (self.groups, self.estimates, self.weights, self.constants)
        if not all(type(each) is int for each in self.groups):
            raise OperationError("groups are whole numbers")
        if not self.groups or len({len(each) for each in lists}) != 1 or len(set(self.groups)) != len(self.groups):
            raise OperationError("give different groups, and estimates, a weight and a constant for each")
        if not all(type(each) is int and each >= 0 for each in self.weights) or not any(self.weights):
            raise OperationError("weights are whole numbers, none below 0 and not all of them 0")
        if not all(type(each) is int for each in self.constants):
            raise OperationError("constants are whole numbers")
        longest = max(self.family.bound_row(group).l1 for group in self.groups)
        if type(self.grain) is not int or not 1 <= self.grain * longest <= FINEST:
            raise OperationError(f"a grain is from 1 to {FINEST // longest:,} parts of a row")
        for group, found in zip(self.groups, self.estimates, strict=True):
            if found.shape != (self.family.count_answers(group),):
                raise OperationError("estimates are 64-bit whole numbers, one for each answer of their group")
            if float(np.abs(found.astype(np.float64)).sum()) > 2.0**61:
                raise OperationError("estimates are too large: their sum must stay below 2^61")

    def describe(self) -> Json:
        """Return the form of the scores, without the estimates.

        They come from a fit in floats, which another computer may round otherwise. A run that died and is run again
        gets what was chosen by its first estimates: nothing is drawn anew, and what it costs does not depend on them.
        """
        return {
            "family": self.family.describe(),
            "groups": list(self.groups),
            "weights": list(self.weights),
            "grain": self.grain,
        }

    def bound_spread(self, unit: CountedUnit) -> int:
        """Return how far apart one unit moves two scores."""
        moves = [
            weight * self.grain * self.family.bound_row(group).bound_l1(unit.rows, unit.factor)
            for group, weight in zip(self.groups, self.weights, strict=True)
        ]
        return sum(nlargest(2, moves))

    def rate(self, truth: list[Vector]) -> list[int]:
        """Return the scores, from the exact answers of all groups of the family."""
        gaps = (
            int(np.abs(truth[group] * self.grain - found).sum())
            for group, found in zip(self.groups, self.estimates, strict=True)
        )
        return [
            weight * gap - constant for weight, gap, constant in zip(self.weights, gaps, self.constants, strict=True)
        ]


def _copy_whole(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a plain array of the same numbers that nobody else holds."""
    copied = np.array(numbers, copy=True, subok=False)
    if copied.dtype != np.int64:
        raise OperationError("estimates are 64-bit whole numbers, one for each answer of their group")
    copied.flags.writeable = False
    return copied


def check_gaps(plan: RowsPlan, score: GapScore, pick: PickNoise) -> None:
    """Refuse scores of another domain than the plan's, and what chooses by no score."""
    if type(score) is not GapScore:
        raise OperationError("a group is chosen by a GapScore: how far its answers are from a model's estimates")
    _check_family(plan, score.family)
    check_pick(pick)


def bound_counts(unit: CountedUnit, family: Family, group: int) -> tuple[int, int]:
    """Return how far one unit moves a group's answers: in L1, and the square in L2."""
    bound = family.bound_row(group)
    return bound.bound_l1(unit.rows, unit.factor), bound.bound_l2_squared(unit.rows, unit.factor)
