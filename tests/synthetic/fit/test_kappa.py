"""The weight of the prior: what the answers make most likely, near the best in hindsight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from discreet.families.domain import CellTable, Domain
from discreet.synthetic.fit.dense import DenseFit, fit_dense
from discreet.synthetic.fit.kappa import FIRST_KAPPA, NEAR, settle
from discreet.synthetic.fit.quotient import fit_quotient
from synthetic.support.tiny import TinyMarginals, list_sets, measure

BITS = Domain((2,) * 6)
PAIRS = TinyMarginals(BITS, list_sets(6, 2)[6:])


def asked_for(fitted: DenseFit) -> float:
    return (fitted.determined + 1) / (2 * fitted.distance + 1 / FIRST_KAPPA)


def draw(kind: str, total: int) -> CellTable:
    generator = np.random.default_rng(5)
    shares = np.full(64, 1 / 64) if kind == "uniform" else generator.dirichlet(np.full(64, 0.05))
    return generator.multinomial(total, shares).reshape(BITS.sizes)


@pytest.mark.parametrize("kind", ["uniform", "sparse"])
@pytest.mark.parametrize("deviation", [2.0, 50.0])
def test_the_kappa_found_is_the_one_that_its_fit_asks_for(kind: str, deviation: float) -> None:
    fitted = fit_dense(BITS, measure(PAIRS, draw(kind, 2000), deviation, 1), 2000.0)
    assert fitted.report.converged
    assert fitted.report.kappa == pytest.approx(asked_for(fitted), rel=NEAR - 1 + 0.01)


def test_data_near_the_prior_get_a_larger_kappa_than_sparse_data() -> None:
    kappas = [
        fit_dense(BITS, measure(PAIRS, draw(kind, 2000), 20.0, 1), 2000.0).report.kappa
        for kind in ("uniform", "sparse")
    ]
    assert kappas[0] > 10 * kappas[1]


@pytest.mark.many
@pytest.mark.parametrize("sets", [PAIRS.sets, (tuple(range(6)),)])
@pytest.mark.parametrize("kind", ["uniform", "sparse"])
@pytest.mark.parametrize("deviation", [2.0, 15.0, 100.0])
def test_it_is_never_far_from_the_best_constant(sets: tuple[tuple[int, ...], ...], kind: str, deviation: float) -> None:
    counts = draw(kind, 2000)

    def find_error(kappa: float | None) -> float:
        errors = []
        for seed in range(4):
            measured = measure(TinyMarginals(BITS, sets), counts, deviation, seed)
            errors.append(np.abs(fit_dense(BITS, measured, 2000.0, kappa).shares - counts / 2000).sum())
        return float(np.mean(errors))

    allowed = 1.8 if kind == "uniform" else 1.3
    assert find_error(None) <= allowed * min(find_error(kappa) for kappa in (0.3, 3.0, 30.0, 300.0, 3000.0)) + 0.01


def test_without_answers_it_is_what_was_believed_before() -> None:
    assert fit_dense(BITS, [], 2000.0).report.kappa == FIRST_KAPPA
    assert fit_quotient(6, [], np.array([]), [], 2000.0).report.kappa == FIRST_KAPPA


def test_the_quotient_and_the_table_find_the_same() -> None:
    counts = draw("sparse", 2000)
    masks = [sum(1 << (5 - place) for place in each) for each in PAIRS.sets]
    signs = [1 - 2 * (np.indices(BITS.sizes)[list(each)].sum(axis=0) % 2) for each in PAIRS.sets]
    answers = np.array([(sign * counts).sum() for sign in signs])
    quotient = fit_quotient(6, masks, answers, [900.0] * len(masks), 2000.0)
    again = fit_quotient(6, masks, answers, [900.0] * len(masks), 2000.0, kappa=quotient.report.kappa)
    assert again.determined == pytest.approx(quotient.determined, rel=1e-3)
    assert 0 < quotient.determined < len(masks)
    assert quotient.report.kappa == pytest.approx(
        (quotient.determined + 1) / (2 * quotient.distance + 1 / FIRST_KAPPA), rel=NEAR - 1 + 0.01
    )


@dataclass(frozen=True)
class Asking:
    kappa: float
    determined: float
    distance: float


@pytest.mark.parametrize("target", [0.01, 3.0, 20.0, 40_000.0])
@pytest.mark.parametrize("power", [-3.0, -0.5, 0.0, 0.5])
def test_the_search_settles_where_what_is_asked_for_crosses_what_is_given(target: float, power: float) -> None:
    """However steeply what is asked for falls or rises with kappa."""

    def attempt(kappa: float, earlier: Asking | None) -> Asking:
        wanted = target * (kappa / target) ** power
        return Asking(kappa, max(wanted / FIRST_KAPPA - 1, 0), max((1 / wanted - 1 / FIRST_KAPPA) / 2, 0))

    assert settle(attempt).kappa == pytest.approx(target, rel=0.35)
