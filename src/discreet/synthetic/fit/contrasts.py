"""Marginals rewritten as contrasts: the same information in fewer numbers that say nothing twice.

Let h be an orthogonal s x s matrix whose first line is constant, scaled so that h h^T = s I. On columns A, products of
such lines turn a marginal's answers into one number for each choice of a line per column: its *contrasts*, one for
every subset T of A (the columns whose line is not the constant one) and every choice of other lines on T. The transform
is orthogonal up to the factor sqrt(cells of A), so white noise of variance v stays white, of variance v * cells:

    sum over cells of A of (y - N p)^2 / (2 v)  =  sum over contrasts of (c(y) - N c(p))^2 / (2 v cells)

A contrast of T is the same question in every A that holds T. Several independent measurements of one number are worth
one, with the inverse variances added: up to a constant the objective stays what it was, with as many terms as its
questions have rank. On columns of two values contrasts are the parities. The contrast of no columns is the total, which
no distribution can change: it is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod

import numpy as np
from scipy.linalg import helmert

from discreet.base.grid import Floats
from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.synthetic.fit.objective import Measured

MOST_COLUMNS = 8
"""Marginals of more columns stay as they are: they have 2^columns subsets."""

MOST_CONTRASTS = 256
MOST_PARITIES = 1500
"""Contrasts up to which marginals are rewritten, on any columns and on bits: where covariances are written out.
Beyond, conjugate gradients do better on cells, each scaled by its own share, than on contrasts that mix full and empty
cells."""

LARGE_SHARE = 4
"""Marginals with more than one in this many of all cells stay as they are: they are hardly redundant."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """All contrasts of one set of columns, with their measured values, and one variance for each of them."""

    domain: Domain
    columns: ColumnSet
    answers: Floats
    variance: float

    @property
    def key(self) -> ColumnSet:
        """What this group is known by when a later fit starts from an earlier one."""
        return self.columns

    def answer(self, table: CellTable) -> Floats:
        """Return the contrasts of the table of these columns."""
        return _transform(table, [_write_lines(size) for size in table.shape]).ravel()

    def spread_back(self, values: Floats) -> CellTable:
        """Return the transpose."""
        sizes = tuple(self.domain.sizes[place] for place in self.columns)
        cube = values.reshape(tuple(size - 1 for size in sizes))
        return _transform(cube, [_write_lines(size).T for size in sizes])

    def answer_squares(self, table: CellTable) -> Floats:
        """Return what the squares of the contrasts are on this table."""
        return _transform(table, [_write_lines(size) ** 2 for size in table.shape]).ravel()

    def list_rows(self) -> Floats:
        """Return the contrasts by the cells of these columns, written out."""
        lines: Floats = np.ones((1, 1))
        for place in self.columns:
            lines = np.asarray(np.kron(lines, _write_lines(self.domain.sizes[place])))
        return lines


def rewrite_marginals(
    domain: Domain, measured: Sequence[Measured], places: Sequence[int]
) -> tuple[list[Contrast], list[int]]:
    """Return the contrasts that marginals and parities at these places hold, if not too many, and the other places."""
    sums: dict[ColumnSet, Floats] = {}
    weights: dict[ColumnSet, float] = {}
    others, rewritten = [], False

    def add(chosen: ColumnSet, part: Floats, variance: float) -> None:
        sums[chosen] = sums.get(chosen, 0.0) + part.ravel() / variance
        weights[chosen] = weights.get(chosen, 0.0) + 1 / variance

    for position in places:
        each = measured[position]
        kind = recognise(domain, each)
        sizes = tuple(domain.sizes[place] for place in each.columns)
        answers = np.asarray(each.answers, dtype=np.float64)
        if kind == "marginal":
            rewritten = True
            lines = [np.vstack([np.ones((1, size)), _write_lines(size)]) for size in sizes]
            cube = _transform(answers.reshape(sizes), lines)
            for chosen in list_subsets(tuple(place for place in each.columns if domain.sizes[place] > 1)):
                part = cube[tuple(slice(1, None) if place in chosen else 0 for place in each.columns)]
                add(chosen, part, each.variance * prod(sizes))
        elif kind == "parity":
            add(each.columns, answers, each.variance)
        else:
            others.append(position)
    found = [Contrast(domain, chosen, sums[chosen] / weights[chosen], 1 / weights[chosen]) for chosen in sorted(sums)]
    most = MOST_PARITIES if set(domain.sizes) == {2} else MOST_CONTRASTS
    if rewritten and sum(len(each.answers) for each in found) > most:
        return [], list(places)
    return found, others


def recognise(domain: Domain, measured: Measured) -> str:
    """Say whether the answers are a "marginal" to be rewritten, the "parity" of bits, or "other"."""
    part = tuple(domain.sizes[place] for place in measured.columns)
    if not 0 < len(part) <= MOST_COLUMNS:
        return "other"
    if len(measured.answers) > 1:
        large = prod(part) * LARGE_SHARE > domain.cells and set(domain.sizes) != {2}
        return "other" if large or not measured.is_marginal() else "marginal"
    trial = np.random.default_rng(len(part)).integers(1 << 50, size=part)
    signs = 1 - 2 * (np.indices(part).sum(axis=0) % 2)
    parity = set(part) == {2} and int(measured.family.answer(measured.group, trial)[0]) == int((signs * trial).sum())
    return "parity" if parity else "other"


def list_subsets(columns: ColumnSet) -> list[ColumnSet]:
    """Return all subsets of columns but the empty one."""
    return [chosen for size in range(1, len(columns) + 1) for chosen in combinations(columns, size)]


@lru_cache(maxsize=256)
def _write_lines(size: int) -> Floats:
    """Return the lines of h that are not constant: for two values +1 and -1."""
    return np.array([[1.0, -1.0]]) if size == 2 else np.asarray(helmert(size) * np.sqrt(size))


def _transform(table: CellTable, matrices: Sequence[Floats]) -> Floats:
    """Return a table with a matrix applied along each axis: a product takes the first axis and adds one at the end."""
    part = np.asarray(table, dtype=np.float64)
    for matrix in matrices:
        part = np.tensordot(part, matrix, axes=(0, 1))
    return part
