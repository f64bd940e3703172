"""Models of generated tables, made without a curator: nobody's rows are in them."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.base.types import Type
from discreet.families.domain import Domain, RowTable
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.query.placed_columns import BinnedColumn, ListedColumn, ListedWhole, PlacedColumn
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import TableCounter
from discreet.synthetic.model import SyntheticModel
from discreet.synthetic.reading import Reading
from discreet.synthetic.transcript import Transcript

COLUMNS: tuple[PlacedColumn, ...] = (
    ListedColumn("sex", Type.TEXT, ("f", "m")),
    ListedWhole.between("age", 0, 9),
    BinnedColumn("cost", Type.FLOAT, (Fraction(0), Fraction(1, 2), Fraction(3), Fraction(10))),
    BinnedColumn("day", Type.DATE, (dt.date(2024, 1, 1), dt.date(2024, 7, 1), dt.date(2024, 12, 31))),
    ListedColumn("sick", Type.BOOLEAN, (False, True)),
)


def make_rows(columns: tuple[PlacedColumn, ...] = COLUMNS, rows: int = 2000, seed: int = 0) -> RowTable:
    """Return rows whose columns depend on each other: each is near a hidden number that they share."""
    random = np.random.default_rng(seed)
    hidden = random.random(rows)
    values = []
    for column in columns:
        near = np.clip(hidden + random.normal(0, 0.25, rows), 0, 0.999)
        values.append(np.where(random.random(rows) < 0.03, 0, np.floor(near * column.size)).astype(np.int64))
    return RowTable(Domain(tuple(column.size for column in columns)), tuple(values))


def measure(counter: TableCounter, family: Family, amount: Fraction, currency: Any = "epsilon") -> list[Reading]:
    """Return a reading of each group, each for this amount."""
    return [counter.count(family, group, Allowance(currency, amount)) for group in range(family.groups)]


def make_model(
    columns: tuple[PlacedColumn, ...] = COLUMNS,
    rows: RowTable | None = None,
    sets: tuple[tuple[int, ...], ...] = ((0, 1), (1, 2), (2, 3)),
    amount: Fraction = Fraction(1, 2),
    currency: Any = "epsilon",
) -> SyntheticModel:
    """Return a model from the total, then all columns, then some sets: in three steps."""
    table = make_rows(columns) if rows is None else rows
    counter = TableCounter(table)
    domain = table.domain
    total = measure(counter, Marginals(domain, ((),)), amount, currency)
    ones = measure(counter, Marginals.of_order(domain, 1), amount, currency)
    chosen = measure(counter, Marginals(domain, sets), amount, currency) if sets else []
    batches = tuple(len(each) for each in (total, ones, chosen) if each)
    reason = "for tests: the total, every column, and some pairs"
    made = Transcript("visits", columns, (*total, *ones, *chosen), "pairs", reason, 1, False, batches)
    return SyntheticModel(made)
