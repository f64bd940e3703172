"""Totals err as the sum of their noises does."""

from __future__ import annotations

import pytest

from discreet.curator.estimates.totals import bound_total
from discreet.mechanisms import Gaussian, Laplace


@pytest.mark.parametrize("noise", [Laplace(4.0), Gaussian(5.0)])
def test_totals_are_bounded_as_their_law_is(noise: Laplace | Gaussian) -> None:
    found = [bound_total(noise, count, 0.05) for count in (0, 1, 2, 4, 16, 17, 64, 1000)]
    assert found == sorted(found)
    assert found[0] == 0
    assert found[1] == noise.interval(0.95)
    spread = 5.0 if isinstance(noise, Gaussian) else 4.0 * 2**0.5
    slack = 500 if isinstance(noise, Gaussian) else 0
    assert 1.9 < (found[-1] - slack) / (spread * 1000**0.5) < 2.1
