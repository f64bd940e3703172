from __future__ import annotations

import re
from fractions import Fraction

import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import Choices, DirectResponse, MemoisedHashing, Metric, Rappor, Texts
from discreet.local.lifetimes import tabulate_metric, tabulate_published

FRUIT = Choices(("apple", "pear"))


def test_published_allowances_add_up_as_tang_and_others_computed() -> None:
    """16 a day for four applications on macOS 10.12, and the allowance is renewed every day."""
    table = {each.name: each for each in tabulate_published()}
    macos = table["macOS 10.12, all four together"]
    assert macos.summed == (16.0, 480.0, 5840.0)
    assert table["QuickType words"].summed == (16.0, 480.0, 5840.0)
    assert table["Emoji"].summed[0] == 4.0


def test_the_accountant_never_certifies_more_than_the_sum() -> None:
    for each in tabulate_published((1, 100)):
        assert all(proven <= total for proven, total in zip(each.certified, each.summed, strict=True))
    macos = next(each for each in tabulate_published((365,)) if each.name.startswith("macOS"))
    assert macos.certified[0] < 0.75 * macos.summed[0]


def test_a_metric_of_fresh_reports_adds_up_and_one_that_remembers_says_for_what() -> None:
    plain = Metric("fruit", FRUIT, DirectResponse.calibrate(0.5, 3), lifetime=8)
    found = tabulate_metric(plain, 2, (1, 10))
    assert found.summed == pytest.approx((1.0, 10.0))
    assert "cap is 8" in found.note
    memoised = MemoisedHashing.calibrate(2.0, 1.0, 3)
    kept = tabulate_metric(Metric("fruit", FRUIT, memoised, lifetime=8), 1, (1, 10))
    assert kept.summed == (memoised.bound_lifetime(1), memoised.bound_lifetime(10))
    assert "never changes tells 2" in kept.note
    assert "not when they changed" in kept.note


def test_reports_of_rappor_tell_more_than_their_sum_where_texts_change() -> None:
    rappor = Rappor.take(32, 2, 8, 0.5, 0.75, 0.5)
    found = tabulate_metric(Metric("page", Texts(), rappor, lifetime=50), 1, (1, 10))
    assert found.summed == (rappor.epsilon, rappor.bound_lifetime(10))
    assert found.summed[1] > 10 * rappor.epsilon
    assert "never changes tells 4.39" in found.note


def test_sums_and_what_a_constant_value_tells_are_rounded_up() -> None:
    response = DirectResponse.calibrate(0.1, 3)
    metric = Metric("fruit", FRUIT, response, lifetime=8)
    for count in range(1, 60):
        assert tabulate_metric(metric, count, (1,)).summed[0] >= count * Fraction(response.epsilon)
    rappor = Rappor.take(32, 2, 8, 0.5, 0.75, 0.5)
    note = tabulate_metric(Metric("page", Texts(), rappor, lifetime=50), 1, (1,)).note
    assert all(float(each) >= rappor.constant for each in re.findall(r"4[.][0-9]+", note))


@pytest.mark.parametrize("days", [(0,), (-1,), (1.5,), (10**6,)])
def test_days_are_whole_and_positive(days: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="days"):
        tabulate_published(days)
