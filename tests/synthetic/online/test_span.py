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
