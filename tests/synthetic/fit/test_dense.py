"""Dense fits: the optimum of the objective, whatever the noise, the order of measurements and the start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.base.errors import ParameterError
from discreet.families.domain import CellTable, DenseTable, Domain
from discreet.synthetic.fit import dense
from discreet.synthetic.fit.dense import DenseFit, fit_dense
from discreet.synthetic.fit.objective import Measured
from synthetic.support.tiny import TinyLines, TinyMarginals, list_sets, measure, write_parities

MIXED = Domain((2, 3, 4))
SETS = ((0,), (0, 1), (1, 2))


def draw_counts(domain: Domain, total: int, seed: int, concentration: float = 0.3) -> CellTable:
    generator = np.random.default_rng(seed)
    shares = generator.dirichlet(np.full(domain.cells, concentration))
    return generator.multinomial(total, shares).reshape(domain.sizes)


def value(shares: CellTable, measured: Sequence[Measured], total: float, kappa: float, prior: CellTable) -> float:
    """Return the objective, as it is written in the words of the docstring."""
    inside = shares > 0
    found = kappa * float((shares[inside] * np.log(shares[inside] / prior[inside])).sum())
    for each in measured:
        table = DenseTable(each.family.domain, shares).project(each.columns)
        gap = each.answers - total * each.family.answer(each.group, table)
        found += float((gap**2).sum()) / (2 * each.variance)
    return found


def search_by_brute_force(measured: Sequence[Measured], total: float, kappa: float, prior: CellTable) -> CellTable:
    """Return the optimum by a general method over the logarithms of the shares."""

    def shares_of(logits: CellTable) -> CellTable:
        powers = np.exp(logits - logits.max())
        return np.asarray((powers / powers.sum()).reshape(prior.shape))

    best = minimize(
        lambda logits: value(shares_of(logits), measured, total, kappa, prior),
        np.log(prior).ravel(),
        method="BFGS",
        options={"gtol": 1e-7, "maxiter": 5000},
    )
    return shares_of(best.x)


def uniform(domain: Domain) -> CellTable:
    return np.full(domain.sizes, 1 / domain.cells)


@pytest.mark.parametrize("deviation", [3.0, 30.0, 3000.0])
@pytest.mark.parametrize("kappa", [0.5, 20.0])
def test_the_fit_is_the_optimum_over_all_distributions(deviation: float, kappa: float) -> None:
    domain = Domain((2, 3, 2))
    measured = measure(TinyMarginals(domain, ((0, 1), (1, 2))), draw_counts(domain, 200, 1), deviation, 2)
    fitted = fit_dense(domain, measured, 200.0, kappa, tolerance=1e-6)
    expected = search_by_brute_force(measured, 200.0, kappa, uniform(domain))
    assert value(fitted.shares, measured, 200.0, kappa, uniform(domain)) <= (
        value(expected, measured, 200.0, kappa, uniform(domain)) + 1e-7
    )
    assert np.abs(fitted.shares - expected).max() < 1e-4


def test_the_fit_is_the_optimum_where_every_cell_was_measured_too() -> None:
    domain = Domain((2, 3))
    measured = measure(TinyMarginals(domain, ((0, 1), (1,), (0, 1))), draw_counts(domain, 300, 4), 12.0, 5)
    prior = np.array([[3.0, 1, 1], [1, 2, 2]]) / 10
    fitted = fit_dense(domain, measured, 290.0, 4.0, prior=prior * 7, tolerance=1e-6)
    expected = search_by_brute_force(measured, 290.0, 4.0, prior)
    assert np.abs(fitted.shares - expected).max() < 1e-5


def test_the_reported_gap_bounds_how_far_a_fit_is_from_the_optimum() -> None:
    measured = measure(TinyMarginals(MIXED, SETS), draw_counts(MIXED, 1000, 6), 20.0, 7)
    rough = fit_dense(MIXED, measured, 1000.0, 3.0, tolerance=2.0)
    exact = fit_dense(MIXED, measured, 1000.0, 3.0, tolerance=1e-9)
    excess = value(rough.shares, measured, 1000.0, 3.0, uniform(MIXED)) - value(
        exact.shares, measured, 1000.0, 3.0, uniform(MIXED)
    )
    assert 1e-6 < excess <= rough.report.gap
    assert exact.report.gap < 1e-12


def test_no_measurements_give_the_prior() -> None:
    weights = np.array([[1.0, 0.0], [2.0, 5.0]])
    fitted = fit_dense(Domain((2, 2)), [], 100.0, 1.0, prior=weights)
    assert np.allclose(fitted.shares, weights / 8)
    assert fitted.report.converged
    assert fitted.report.steps == 0
    assert np.allclose(fit_dense(MIXED, [], 100.0, 1.0).shares, uniform(MIXED))
    assert np.allclose(fit_dense(MIXED, [], 100.0, 1.0).project((1,)), 100 / 3)


def test_cells_without_a_prior_stay_empty() -> None:
    domain = Domain((2, 2))
    prior = np.array([[1.0, 0.0], [1.0, 1.0]])
    for sets in (((0,), (1,)), ((0, 1),)):
        measured = measure(TinyMarginals(domain, sets), np.array([[5, 90], [5, 0]]), 1.0, 1)
        fitted = fit_dense(domain, measured, 100.0, 1.0, prior=prior)
        assert fitted.shares[0, 1] == 0
        assert fitted.report.converged


@pytest.mark.parametrize("parities", [False, True])
def test_the_order_of_measurements_does_not_matter(parities: bool) -> None:
    domain = Domain((2, 2, 2, 2)) if parities else MIXED
    family = write_parities(4, list_sets(4, 2)) if parities else TinyMarginals(MIXED, SETS)
    measured = measure(family, draw_counts(domain, 500, 8), 8.0, 9)
    forward = fit_dense(domain, measured, 500.0, 2.0, tolerance=1e-8)
    backward = fit_dense(domain, measured[::-1], 500.0, 2.0, tolerance=1e-8)
    assert np.abs(forward.shares - backward.shares).max() < 1e-9


def test_a_warm_start_reaches_the_same_optimum_in_fewer_steps() -> None:
    measured = measure(TinyMarginals(MIXED, (*SETS, (0, 2))), draw_counts(MIXED, 10**5, 10), 10.0, 11)
    earlier = fit_dense(MIXED, measured[:3], 1e5, 2.0)
    warm = fit_dense(MIXED, measured, 1e5, 2.0, start=earlier.theta, tolerance=1e-6)
    cold = fit_dense(MIXED, measured, 1e5, 2.0, tolerance=1e-6)
    assert np.abs(warm.shares - cold.shares).max() < 1e-8
    assert warm.report.steps < cold.report.steps
    again = fit_dense(MIXED, measured, 1e5, 2.0, start=cold.theta, tolerance=1e-6)
    assert again.report.steps == 0


def fit_by(monkeypatch: pytest.MonkeyPatch, work: int, domain: Domain, measured: list[Measured]) -> DenseFit:
    monkeypatch.setattr(dense, "MOST_WORK", work)
    return fit_dense(domain, measured, 5000.0, 4.0, tolerance=1e-6)


def test_conjugate_gradients_and_written_out_hessians_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = TinyLines(MIXED, ((0, 2), (1,)), (((1,) * 8, (0, 1, 2, 3, 0, 1, 2, 3)), ((1, 0, -1), (1, 1, 0))))
    counts = draw_counts(MIXED, 5000, 12)
    measured = measure(TinyMarginals(MIXED, SETS), counts, 9.0, 13) + measure(lines, counts, 9.0, 14)
    whole = fit_by(monkeypatch, 1 << 28, MIXED, measured)
    free = fit_by(monkeypatch, 0, MIXED, measured)
    assert whole.report.products == 0 < free.report.products
    assert whole.report.converged
    assert free.report.converged
    assert np.abs(whole.shares - free.shares).max() < 1e-8


@pytest.mark.parametrize("work", [0, 1 << 28])
@pytest.mark.parametrize("total", [1, 1000, 10**9])
@pytest.mark.parametrize("variance", [1e-3, 1.0, 1e4, 1e12])
def test_every_fit_converges(monkeypatch: pytest.MonkeyPatch, work: int, total: int, variance: float) -> None:
    monkeypatch.setattr(dense, "MOST_WORK", work)
    counts = np.zeros(MIXED.sizes, dtype=np.int64)
    counts[1, 2, 3] = total
    for sets in (((0, 1), (1, 2), (0, 2)), ((0, 1, 2), (0,), (1,))):
        measured = measure(TinyMarginals(MIXED, sets), counts, variance**0.5, 15)
        fitted = fit_dense(MIXED, measured, float(total), 3.0)
        assert fitted.report.converged, fitted.report
        assert fitted.report.residual < 1e-2
        assert np.isfinite(fitted.shares).all()
        assert fitted.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("work", [0, 1 << 28])
def test_precise_and_rough_measurements_of_the_same_table_converge_together(
    monkeypatch: pytest.MonkeyPatch, work: int
) -> None:
    monkeypatch.setattr(dense, "MOST_WORK", work)
    counts = np.zeros(MIXED.sizes, dtype=np.int64)
    counts[0, 0, 0], counts[1, 1, 1] = 10**9, 3
    rough = measure(TinyMarginals(MIXED, ((0, 1), (1, 2))), counts, 1e6, 16)
    precise = measure(TinyMarginals(MIXED, ((0, 2), (0,))), counts, 0.03, 17)
    fitted = fit_dense(MIXED, rough + precise, 1e9 + 3, 3.0)
    assert fitted.report.converged
    assert fitted.project((0,)) == pytest.approx([1e9, 3], abs=0.5)


@pytest.mark.parametrize("total", [0.0, -1e6, 1e-300, 1.0])
def test_a_total_below_one_is_taken_as_one(total: float) -> None:
    measured = measure(TinyMarginals(MIXED, SETS), draw_counts(MIXED, 0, 18), 50.0, 19)
    fitted = fit_dense(MIXED, measured, total, 1.0)
    assert fitted.report.total == 1
    assert fitted.report.converged
    assert np.abs(fitted.shares - uniform(MIXED)).max() < 0.01, "noise of 50 rows says nothing about one row"


def test_answers_far_outside_of_the_table_are_fine() -> None:
    family = TinyMarginals(MIXED, ((0,), (1,)))
    for answers in (np.array([-5000, 90000]), np.array([10**40, -(10**40)], dtype=object)):
        measured = [Measured(family, 0, answers, 1.0), Measured(family, 1, np.array([0, 7, 3]), 1.0)]
        fitted = fit_dense(MIXED, measured, 10.0, 1.0)
        assert fitted.report.converged
        assert fitted.shares.sum() == pytest.approx(1)


def test_what_cannot_be_fitted_is_refused_with_sizes() -> None:
    with pytest.raises(ParameterError, match=r"134,217,728 cells are more than 67,108,864"):
        fit_dense(Domain((2,) * 27), [], 1.0, 1.0)
    with pytest.raises(ParameterError, match="prior"):
        fit_dense(MIXED, [], 1.0, 1.0, prior=np.zeros(MIXED.sizes))
    with pytest.raises(ParameterError, match="families of"):
        fit_dense(MIXED, measure(TinyMarginals(Domain((2,)), ((0,),)), np.array([1, 2]), 1.0, 0), 1.0, 1.0)
    with pytest.raises(ParameterError, match="kappa"):
        fit_dense(MIXED, [], 1.0, 0.0)


@pytest.mark.parametrize("deviation", [3.0, 30.0, 300.0])
def test_sparse_tables_with_large_marginals_converge(deviation: float) -> None:
    domain = Domain((16, 10, 7, 8))
    generator = np.random.default_rng(20)
    weights = generator.gamma(0.02, size=domain.cells)
    counts = generator.multinomial(50_000, weights / weights.sum()).reshape(domain.sizes)
    measured = measure(TinyMarginals(domain, ((0, 1, 2), (2, 3), (0, 3))), counts, deviation, 21)
    fitted = fit_dense(domain, measured, 5e4, 10.0)
    assert fitted.report.converged
    assert fitted.report.products < 3000
