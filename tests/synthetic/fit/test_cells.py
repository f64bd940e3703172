"""Every cell measured: shares in closed form that solve their equation."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.families.domain import Domain
from discreet.synthetic.fit.cells import MeasuredCells, take_cells
from synthetic.support.tiny import TinyMarginals, measure


@pytest.mark.parametrize("slack", [1e-12, 1e-4, 1.0, 1e9])
@pytest.mark.parametrize("spread", [0.0, 1.0, 3000.0])
def test_shares_solve_their_equation(slack: float, spread: float) -> None:
    generator = np.random.default_rng(1)
    shares = generator.dirichlet(np.full(30, 0.3)) + generator.normal(0, 0.01, 30)
    exponents = generator.normal(0, 1, 30) * spread
    found, slopes, _ = MeasuredCells(shares, slack).tilt(exponents)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    assert slopes == pytest.approx(found * slack / (found + slack), rel=1e-6, abs=1e-300)
    inside = found > 1e-200
    levels = (shares - found)[inside] / slack + exponents[inside] - np.log(found[inside])
    assert np.ptp(levels) <= 1e-9 * (1 + np.abs(levels).max() + 1 / slack * 1e-5), "one number makes all cells agree"


def test_phi_grows_with_the_exponents_as_the_shares_say() -> None:
    generator = np.random.default_rng(2)
    cells = MeasuredCells(generator.dirichlet(np.ones(12)), 0.02)
    exponents, direction = generator.normal(size=12), generator.normal(size=12)
    found, slopes, _ = cells.tilt(exponents)
    ahead, behind = (cells.tilt(exponents + sign * 1e-4 * direction) for sign in (1, -1))
    assert (ahead[2] - behind[2]) / 2e-4 == pytest.approx(float(found @ direction), rel=1e-6)
    centred = direction - float(slopes @ direction) / float(slopes.sum())
    assert (ahead[0] - behind[0]) / 2e-4 == pytest.approx(slopes * centred, rel=1e-4, abs=1e-7)


def test_only_measurements_of_every_cell_are_taken_and_merged() -> None:
    domain = Domain((2, 3))
    measured = measure(TinyMarginals(domain, ((0, 1), (0,), (0, 1))), np.ones(domain.sizes, dtype=int) * 10, 2.0, 3)
    cells, others = take_cells(domain, measured, 60.0, 5.0)
    assert others == [1]
    assert cells is not None
    assert cells.shares.ravel() == pytest.approx((measured[0].answers + measured[2].answers) / 120)
    assert cells.slack == pytest.approx(5.0 * 2.0 / 3600)
    assert take_cells(domain, measured[1:2], 60.0, 5.0) == (None, [0])
