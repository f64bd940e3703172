"""Candidates: lists and ranges of them, in one order, and the common step of their scores."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from discreet.query.candidates import CandidateRange, find_common_step, find_type, list_candidates, show_candidate

DAY = dt.date(2026, 3, 1)


@pytest.mark.parametrize(
    ("given", "listed", "kind"),
    [
        ([3, 1, 2, 3], (1, 2, 3), Type.INTEGER),
        ([1.5, 1, Fraction(3, 2)], (Decimal(1), Fraction(3, 2)), Type.FLOAT),
        (np.array([0.2, 0.1]), (0.1, 0.2), Type.FLOAT),
        (np.array([2, 1]), (1, 2), Type.INTEGER),
        (("b", "a"), ("a", "b"), Type.TEXT),
        ([DAY + dt.timedelta(1), DAY], (DAY, DAY + dt.timedelta(1)), Type.DATE),
    ],
)
def test_candidates_are_sorted_and_each_once(given: Any, listed: tuple[object, ...], kind: Type) -> None:
    assert list_candidates(given) == listed
    assert find_type(list_candidates(given)) is kind


@pytest.mark.parametrize("given", [[], "abc", 3, None, [None], [True], [1, "a"], [DAY, 3], [float("nan")]])
def test_what_is_no_list_of_candidates_is_refused(given: Any) -> None:
    with pytest.raises(DiscreetError):
        list_candidates(given)


def test_ranges_hold_both_ends() -> None:
    cents = CandidateRange(0, 10, 0.01)
    assert (len(cents), cents.value(0), cents.value(401), cents.value(1000)) == (1001, 0.0, 4.01, 10.0)
    assert CandidateRange.of(range(10, 0, -3)) == CandidateRange(1, 10, 3)
    assert len(CandidateRange(0, Fraction(1, 2), Fraction(1, 3))) == 2
    for wrong in ((1, 0, 1), (0, 1, 0), (0, 1, -1), ("a", 1, 1), (0, True, 1), (0, float("inf"), 1)):
        with pytest.raises(DiscreetError):
            CandidateRange(*wrong)
    with pytest.raises(ParameterError):
        CandidateRange.of(range(0))


@given(st.lists(st.fractions(), min_size=1))
def test_all_are_whole_multiples_of_the_common_step(worth: list[Fraction]) -> None:
    step = find_common_step(worth)
    assert step > 0
    assert all((each / step).denominator == 1 for each in worth)


def test_candidates_are_shown_as_answers_hold_them() -> None:
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    assert show_candidate(noon, Type.TIMESTAMP) == dt.datetime(2026, 3, 1, 12)
    assert show_candidate(Decimal("4.01"), Type.FLOAT) == 4.01
    assert show_candidate("a", Type.TEXT) == "a"
