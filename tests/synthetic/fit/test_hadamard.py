"""Walsh-Hadamard transforms, against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.synthetic.fit.hadamard import transform


@pytest.mark.parametrize("bits", [0, 1, 3, 5, 6, 9])
def test_the_transform_is_the_sum_with_signs_and_its_own_inverse(bits: int) -> None:
    table = np.random.default_rng(bits).normal(size=1 << bits)
    cells = np.arange(1 << bits)
    shared = np.bitwise_count(cells[:, None] & cells)
    before = table.copy()
    assert transform(table) == pytest.approx((1 - 2 * (shared % 2).astype(int)) @ table)
    assert transform(transform(table)) == pytest.approx(table * (1 << bits))
    assert np.array_equal(table, before), "what was given stays as it is"
