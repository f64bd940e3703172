"""The numbers behind the pictures, each against what it should be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from discreet.answers.drawing import choose_ticks, cut, measure, safe, write_number
from discreet.query.placed_columns import ListedWhole
from discreet.synthetic.report.association import find_association
from discreet.synthetic.report.floor import choose_sets, expect_errors, find_floors
from discreet.synthetic.report.owner import Comparison
from discreet.synthetic.report.residuals import find_residuals
from synthetic.support.models import make_model, make_rows

QUIET = Fraction(600)
"""An epsilon at which there is no noise to speak of."""


def test_association_is_nothing_for_independent_columns_and_one_for_equal_ones() -> None:
    assert find_association(np.outer([1, 2, 3], [4, 5])) == pytest.approx(0, abs=1e-7)
    assert find_association(np.diag([1, 2, 3])) == pytest.approx(1)
    assert find_association(np.diag([1, 2, 0])) == pytest.approx(1), "values that no row has do not count"
    assert find_association(np.array([[30, 10], [10, 30]])) == pytest.approx(0.5)
    assert find_association(np.zeros((2, 2))) == 0
    assert find_association(np.array([[1, 2]])) == 0


@pytest.mark.parametrize("rows", [1, 7, 200])
def test_expected_errors_of_independent_rows_are_exact(rows: int) -> None:
    shares = np.array([0.0, 0.01, 0.3, 0.5, 0.99])
    whole = np.arange(rows + 1)
    wanted = [float(np.abs(whole - rows * share) @ binom.pmf(whole, rows, share)) for share in shares]
    assert expect_errors(shares, rows) == pytest.approx(wanted, abs=1e-9)


def test_dealt_rows_add_less_error_than_drawn_ones() -> None:
    model = make_model()
    for each in find_floors(model.fit, 2000):
        assert 0 < each.dealt < each.drawn
    assert find_floors(model.fit, 0) == []


def test_sets_are_all_or_some() -> None:
    random = np.random.default_rng(0)
    assert choose_sets(4, 2, random) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert choose_sets(2, 3, random) == []
    for columns in (20, 200):
        some = choose_sets(columns, 3, random)
        assert len(set(some)) == len(some) <= 60
        assert all(len(set(each)) == 3 for each in some)


def test_residuals_are_in_deviations_of_the_noise() -> None:
    model = make_model(amount=Fraction(1, 10))
    for reading in model.transcript.readings:
        expected = model.fit.project(reading.columns).ravel()
        found = find_residuals(model.fit, reading) * reading.variance**0.5
        assert found == pytest.approx(reading.answers - expected)


def test_a_model_without_noise_is_near_the_truth_and_learns_as_well() -> None:
    columns = tuple(ListedWhole.between(name, 0, 2) for name in "abcd")
    rows = make_rows(columns, 4000)
    pairs = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    comparison = Comparison(make_model(columns, rows, pairs, QUIET), rows)
    distances = comparison.find_distances()
    assert [len(each.sets) for each in distances] == [4, 6, 4]
    assert distances[0].model.max() < 0.005
    assert distances[1].model.max() < 0.01
    assert distances[2].model.max() < 0.1
    true, synthetic = comparison.find_associations()
    assert np.abs(true - synthetic).max() < 0.03
    learned = comparison.learn()
    assert learned
    for each in learned:
        assert each.from_synthetic == pytest.approx(each.from_true, abs=0.05)
        assert each.from_true >= each.always - 0.03


def test_the_closest_record_of_a_true_row_is_another_one() -> None:
    columns = tuple(ListedWhole.between(name, 0, 9) for name in "abc")
    rows = make_rows(columns, 300)
    comparison = Comparison(make_model(columns, rows, ()), rows)
    synthetic, true = comparison.find_closest()
    lines = np.stack(rows.values, axis=1)
    apart = (lines[:, None, :] != lines[None, :, :]).sum(axis=2) + 99 * np.eye(300, dtype=int)
    assert sorted(true) == sorted(apart.min(axis=1))
    assert len(synthetic) == 300
    assert synthetic.min() >= 0


def test_texts_are_cut_to_their_room_and_escaped() -> None:
    assert safe('<b a="1">\n') == "&lt;b a=&quot;1&quot;&gt;\\n"
    for text in ("short", "a very long name of a ward", "漢字" * 20, "mmmmmmmmmmmmmmm"):
        assert measure(cut(text, 80)) <= 92
    assert cut("short", 80) == "short"


def test_numbers_and_ticks_are_round() -> None:
    assert [write_number(each) for each in (0, 12345.6, 0.26, 25e6, -3)] == ["0", "12,346", "0.3", "25M", "-3"]
    assert choose_ticks(0) == [0.0]
    for most in (0.013, 1, 7, 99, 12345):
        ticks = choose_ticks(most)
        assert 3 <= len(ticks) <= 9
        assert ticks[-1] <= most
