"""Precisions in all their forms are the same matrices."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.solve.precision import GroupPrecision, MarginalPrecision, restrict_precision
from topdown.solve.written_out import CELLS, QUERIES, SCHEMA, check_parts, write_out


def add_up(weights: Floats) -> Floats:
    """Return the matrices by their definition."""
    grams = []
    for query in QUERIES:
        answers = query.answer(np.eye(SCHEMA.cells)).astype(np.float64)
        grams.append(answers @ answers.T)
    return np.asarray(np.einsum("cq,qij->cij", weights, np.array(grams)))


def test_measured_queries_add_up() -> None:
    weights = np.random.default_rng(1).uniform(0.1, 2, (4, 5))
    precision = MarginalPrecision(QUERIES, weights)
    assert write_out(precision, 4, SCHEMA.cells) == pytest.approx(add_up(weights))
    check_parts(precision, add_up(weights), CELLS)


def test_queries_that_group_some_cells_alike_are_one() -> None:
    weights = np.random.default_rng(2).uniform(0.1, 2, (2, 5))
    few = np.array([0, 29])
    part = MarginalPrecision(QUERIES, weights).restrict(few)
    assert isinstance(part, GroupPrecision)
    assert len(part.groups) == 2, "the total, and each cell of its own"
    assert write_out(part, 2, 2) == pytest.approx(add_up(weights)[:, few][:, :, few])


def test_all_cells_are_the_precision_itself() -> None:
    precision = MarginalPrecision(QUERIES, np.ones((2, 5)))
    assert restrict_precision(precision, np.arange(SCHEMA.cells), SCHEMA.cells) is precision


def test_a_precision_that_is_only_applied_is_looked_at_through_a_window() -> None:
    class Plain:
        lipschitz = np.full(2, 1e3)

        def apply(self, values: Floats) -> Floats:
            return np.asarray(np.einsum("cij,cj->ci", matrices, values))

    matrices = add_up(np.ones((2, 5)))
    check_parts(Plain(), matrices, CELLS)
