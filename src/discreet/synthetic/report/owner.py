"""How near a model comes to the true rows. NOT PRIVATE: all of this is for the owner's eyes, and is never released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import CellTable, RowTable
from discreet.query.placed_columns import Places
from discreet.query.placing import locate_values, take_table
from discreet.synthetic.model import SyntheticModel
from discreet.synthetic.report.association import MOST_COLUMNS, find_associations
from discreet.synthetic.report.floor import choose_sets, project_small

MOST_TRAINED = 20_000
"""Rows that a classifier learns from, and is tested on."""

MOST_COMPARED = 1000
"""Rows whose closest record is looked for."""

MOST_TARGETS, MOST_FEATURES = 8, 400


@dataclass(frozen=True, slots=True)
class Distances:
    """Total variation distances of tables of so many columns: of the model, and of sampled rows, from the truth."""

    order: int
    sets: tuple[tuple[int, ...], ...]
    model: Floats
    rows: Floats


@dataclass(frozen=True, slots=True)
class Learned:
    """How often a classifier for one value of a column is right on true rows that it never saw."""

    column: str
    value: str
    from_true: float
    from_synthetic: float
    always: float
    """How often one is right who always says what is more frequent."""


@dataclass(frozen=True)
class Comparison:
    """A model beside the true rows."""

    model: SyntheticModel
    truth: RowTable

    @classmethod
    def of(cls, model: SyntheticModel, table: pa.Table) -> Comparison:
        """Return the comparison with a table that has all of the model's columns, in any order."""
        table = take_table("owner", table)
        missing = [each.name for each in model.transcript.columns if each.name not in table.column_names]
        if missing:
            raise ParameterError("owner", missing[0], "a table with all columns of the model")
        if table.num_rows == 0:
            raise ParameterError("owner", "a table without rows", "a table with rows")
        places = tuple(locate_values(each, table[each.name]) for each in model.transcript.columns)
        return cls(model, RowTable(model.transcript.domain, places))

    @cached_property
    def synthetic(self) -> RowTable:
        """Synthetic rows, as many as there are true ones."""
        rows = self.model.fit.sample(self.truth.rows, np.random.default_rng(0))
        return RowTable(self.truth.domain, tuple(rows.T))

    def find_distances(self, orders: Sequence[int] = (1, 2, 3)) -> list[Distances]:
        """Return total variation distances of all tables of so many columns, or of some where they are many."""
        random = np.random.default_rng(0)
        found = []
        for order in orders:
            sets = choose_sets(len(self.truth.domain.sizes), order, random)
            tables = {each: table for each in sets if (table := project_small(self.model.fit, each)) is not None}
            if tables:
                model = [_find_variation(self.truth.project(each), table) for each, table in tables.items()]
                rows = [_find_variation(self.truth.project(each), self.synthetic.project(each)) for each in tables]
                found.append(Distances(order, tuple(tables), np.array(model), np.array(rows)))
        return found

    def find_associations(self) -> tuple[Floats, Floats]:
        """Return Cramer's V of every pair of columns: of the true rows, and of the synthetic ones."""
        count = min(len(self.truth.values), MOST_COLUMNS)
        return find_associations(self.truth, count), find_associations(self.synthetic, count)

    def learn(self) -> list[Learned]:
        """Train a classifier on synthetic rows and one on half of the true ones; test both on the other half."""
        random = np.random.default_rng(0)
        order = random.permutation(self.truth.rows)
        half = len(order) // 2
        taught, tested = order[:half][:MOST_TRAINED], order[half:][:MOST_TRAINED]
        synthetic = random.permutation(self.synthetic.rows)[: len(taught)]
        found = []
        for place in self._choose_targets():
            column = self.model.transcript.columns[place]
            value = int(np.argmax(self.model.fit.project((place,))))
            wanted = self.truth.values[place][tested] == value
            features = [_encode(self.truth, rows, place) for rows in (taught, tested)]
            answers = self.truth.values[place][taught] == value
            own = _train(features[0], answers)
            copy = _train(_encode(self.synthetic, synthetic, place), self.synthetic.values[place][synthetic] == value)
            right, copied = (float(np.mean((features[1] @ weights > 0) == wanted)) for weights in (own, copy))
            often = float(np.mean(wanted))
            found.append(Learned(column.name, column.describe_places()[value], right, copied, max(often, 1 - often)))
        return found

    def _choose_targets(self) -> list[int]:
        """Return columns whose most frequent value is neither nearly always nor nearly never there."""
        found = []
        for place in range(len(self.truth.domain.sizes)):
            shares = self.model.fit.project((place,))
            most = float(shares.max() / shares.sum()) if shares.sum() > 0 else 1.0
            if 0.15 <= most <= 0.9 and len(self.truth.domain.sizes) > 1 and self.truth.rows >= 20:
                found.append((abs(most - 0.5), place))
        return [place for _, place in sorted(found)[:MOST_TARGETS]]

    def find_closest(self) -> tuple[Places, Places]:
        """Return in how many columns some rows differ from the closest true one: synthetic rows, and true ones.

        A true row is compared with all others. No privacy guarantee follows from these numbers, whatever they are.
        """
        random = np.random.default_rng(0)
        rows = np.stack(self.truth.values, axis=1).astype(np.int32)
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        some = random.permutation(len(rows))[:MOST_COMPARED]
        synthetic = np.stack(self.synthetic.values, axis=1).astype(np.int32)[:MOST_COMPARED]
        return _find_closest(synthetic, distinct, None), _find_closest(rows[some], distinct, counts)


def _find_variation(one: CellTable, other: CellTable) -> float:
    """Return half of the L1 distance of two tables, as shares."""
    shares = [np.asarray(table, dtype=np.float64) / max(float(table.sum()), 1e-300) for table in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum()) / 2


def _encode(table: RowTable, rows: Places, target: int) -> csr_array:
    """Return a line for each row: a 1, and for each value of the other columns whether the row has it.

    A line has as many ones as columns, and nothing else is kept of it.
    """
    ones, count = [np.zeros(len(rows), dtype=np.int64)], 1
    for place, size in enumerate(table.domain.sizes):
        if place != target and count + min(size, 64) <= MOST_FEATURES:
            width = -(-size // 64)
            ones.append(count + table.values[place][rows] // width)
            count += -(-size // width)
    places = np.stack(ones, axis=1)
    starts = np.arange(len(rows) + 1) * places.shape[1]
    return csr_array((np.ones(places.size), places.ravel(), starts), shape=(len(rows), count))


def _train(features: csr_array, answers: NDArray[np.bool_]) -> Floats:
    """Return the weights of a logistic regression with a small penalty."""
    signs = np.where(answers, 1.0, -1.0)
    columns = features.T.tocsr()

    def measure(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (features @ weights)
        small = np.exp(-np.abs(margins))
        misses = np.where(margins > 0, small, 1.0) / (1 + small)
        loss = float(np.log1p(small).sum() - np.minimum(margins, 0.0).sum()) + float(weights @ weights) / 2
        return loss, weights - columns @ (signs * misses)

    found: Floats = minimize(
        measure, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 80}
    ).x
    return found


def _find_closest(rows: NDArray[np.int32], distinct: NDArray[np.int32], counts: Places | None) -> Places:
    """Return in how many columns each row differs from the closest; with counts, itself is taken out once."""
    found = np.empty(len(rows), dtype=np.int64)
    columns = [np.ascontiguousarray(column) for column in distinct.T]
    apart: NDArray[Any] = np.empty(len(distinct), dtype=np.uint8 if len(columns) < 256 else np.uint32)
    differs = np.empty(len(distinct), dtype=bool)
    for at, row in enumerate(rows):
        apart[:] = 0
        for column, value in zip(columns, row, strict=True):
            np.not_equal(column, value, out=differs)
            apart += differs.view(np.uint8)
        if counts is not None:
            apart[(apart == 0) & (counts == 1)] = len(row)
        found[at] = apart.min()
    return found
