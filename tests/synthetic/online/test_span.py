"""The span of sets of cells: what is a sum of others with factors is in it, and nothing else."""

from __future__ import annotations

import numpy as np

from discreet.synthetic.online.span import CellSpan


def test_sums_and_differences_are_in_the_span_and_others_are_not() -> None:
    rng = np.random.default_rng(3)
    for _ in range(6):
        rows = rng.integers(0, 2, (6, 9)).astype(bool)
        span = CellSpan(9)
        for row in rows:
            span.add(row)
        assert span.rank == np.linalg.matrix_rank(rows.astype(float))
        for bits in range(1, 512, 7):
            wanted = np.array([bits >> place & 1 for place in range(9)], dtype=bool)
            inside = np.linalg.matrix_rank(np.vstack([rows, wanted]).astype(float)) == span.rank
            assert span.holds(wanted) is bool(inside)


def test_sets_of_many_cells_are_told_apart_also_where_few_cells_are_looked_at_first() -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 2, (30, 1000)).astype(bool)
    span = CellSpan(1000)
    for row in rows:
        span.add(row)
    assert span.rank == 30
    assert all(span.holds(row) for row in rows)
    for cell in (0, 7, 15, 999):
        near = rows[3].copy()
        near[cell] ^= True
        assert not span.holds(near), "it differs in a single cell"
