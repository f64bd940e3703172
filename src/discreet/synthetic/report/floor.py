"""What sampling rows adds to a model's error: rows drawn one by one, and rows dealt as they are here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import gammaln

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import CellSource, CellTable, ColumnSet, RowTable
from discreet.synthetic.fitting import FittedModel

MOST_SETS, MOST_ROWS, MOST_CELLS = 60, 1_000_000, 1 << 20


@dataclass(frozen=True, slots=True)
class Floor:
    """Of tables of so many columns: the mean L1 error of one, as a part of the rows, by how rows are sampled."""

    order: int
    sets: int
    drawn: float
    """Expected, where every row is drawn by itself."""
    dealt: float
    """Measured on rows as `sample` makes them."""


def find_floors(fit: FittedModel, rows: int, orders: tuple[int, ...] = (1, 2, 3)) -> list[Floor]:
    """Return what sampling adds, from all tables of 1, 2 and 3 columns or, where they are many, from some."""
    rows = min(rows, MOST_ROWS)
    if rows < 1:
        return []
    random = np.random.default_rng(0)
    table = RowTable(fit.domain, tuple(fit.sample(rows, random).T))
    found = []
    for order in orders:
        sets = choose_sets(len(fit.domain.sizes), order, random)
        shares = {columns: _scale(each) for columns in sets if (each := project_small(fit, columns)) is not None}
        if shares:
            drawn = [float(expect_errors(each, rows).sum()) / rows for each in shares.values()]
            dealt = [float(np.abs(table.project(columns) / rows - each).sum()) for columns, each in shares.items()]
            found.append(Floor(order, len(shares), float(np.mean(drawn)), float(np.mean(dealt))))
    return found


def project_small(source: CellSource, columns: ColumnSet) -> CellTable | None:
    """Return the table of some columns; None where it is too large to look at, or out of a junction tree's reach."""
    if source.domain.project(columns).cells > MOST_CELLS:
        return None
    try:
        return source.project(columns)
    except ParameterError:
        return None


def choose_sets(columns: int, order: int, random: np.random.Generator, most: int = MOST_SETS) -> list[tuple[int, ...]]:
    """Return all sets of so many columns, or some of them at random."""
    if order > columns:
        return []
    if columns**order <= 100_000:
        every = list(combinations(range(columns), order))
        if len(every) > most:
            every = [every[at] for at in sorted(random.choice(len(every), most, replace=False))]
        return every
    drawn = {tuple(sorted(random.choice(columns, order, replace=False).tolist())) for _ in range(most)}
    return sorted(drawn)


def expect_errors(shares: Floats, rows: int) -> Floats:
    """Return the mean of |count - rows * share| for independent rows: exactly (de Moivre 1730).

    It is 2 (k + 1) C(n, k + 1) p^(k + 1) (1 - p)^(n - k) with k = floor(n p).
    """
    inside = np.clip(shares, 1e-300, 1 - 1e-16)
    k = np.minimum(np.floor(rows * inside), rows - 1)
    logarithm = gammaln(rows + 1) - gammaln(k + 1) - gammaln(rows - k) + (k + 1) * np.log(inside)
    return np.asarray(np.where(shares > 0, 2 * np.exp(logarithm + (rows - k) * np.log1p(-inside)), 0.0))


def _scale(table: Floats) -> Floats:
    total = float(table.sum())
    return np.asarray(table / total if total > 0 else np.full(table.shape, 1 / table.size))
