"""Which candidates explain the rates, and which rows none explains."""

from __future__ import annotations

import numpy as np

from discreet.local.client import Rappor
from discreet.local.rappor.candidates import Candidates, hash_candidates
from discreet.local.rappor.model import Design
from discreet.local.rappor.rates import estimate_rates
from discreet.local.rappor.selection import choose_model, run_lasso
from support.rappor_counts import draw_counts, fall

MECHANISM = Rappor.take(64, 2, 8, 0.5, 0.75, 0)
FEW = hash_candidates(MECHANISM, [f"word {number}" for number in range(100)])
MANY = hash_candidates(MECHANISM, [f"word {number}" for number in range(2000)])


def draw_design(candidates: Candidates, mass: float = 1.0) -> Design:
    frequencies = fall(len(candidates), 12, mass)
    counts = draw_counts(candidates, frequencies, 1_000_000, np.random.default_rng(3))
    return Design.build(candidates, estimate_rates(MECHANISM, counts))


def test_all_candidates_are_fitted_where_rows_are_plenty() -> None:
    fit = choose_model(draw_design(FEW))
    assert (fit.chosen == np.arange(100)).all()
    assert fit.kept.all()


def test_those_that_are_there_are_selected_from_more_than_there_are_rows() -> None:
    fit = choose_model(draw_design(MANY))
    assert set(range(10)) <= set(fit.chosen)
    assert len(fit.chosen) <= 16
    assert fit.kept.all()


def test_rows_of_a_frequent_text_that_is_not_listed_are_left_out() -> None:
    """It has 16 rows, less those where hashes meet or others are as frequent."""
    fit = choose_model(draw_design(MANY, 0.8))
    assert 14 <= (~fit.kept).sum() <= 16
    assert set(range(9)) <= set(fit.chosen)
    assert len(fit.chosen) <= 14
    assert abs(fit.estimates[-1] - 0.2) < 0.05


def test_the_lasso_lets_in_what_is_there_and_hardly_a_row_always_the_same() -> None:
    design = draw_design(MANY)
    chosen, kept = run_lasso(design, 3.0, 4.0, 500)
    again, _ = run_lasso(design, 3.0, 4.0, 500)
    assert (chosen == again).all()
    assert set(range(10)) <= set(chosen)
    assert kept.mean() > 0.99


def test_at_most_as_many_are_let_in_as_asked() -> None:
    chosen, _ = run_lasso(draw_design(MANY), 1.0, 4.0, 20)
    assert len(chosen) <= 20
