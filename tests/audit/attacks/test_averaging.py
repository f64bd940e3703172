"""Averaging: without a ledger noise averages out; with one there is one answer, and new ones end with the budget."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.attacks.averaging import Averaging, average, follow_mean, write_total
from discreet.base.errors import ParameterError


@pytest.fixture(scope="module")
def found() -> Averaging:
    return average(times=10_000, asked=100, seed=1)


def test_noise_that_nobody_counts_averages_out(found: Averaging) -> None:
    assert len(found.uncounted) == 10_000
    assert found.uncounted_error < 5 * np.sqrt(2) * 10 / 100


def test_the_curator_gives_one_answer_for_one_charge(found: Averaging) -> None:
    assert len(found.recorded) == 100
    assert len(set(found.recorded.tolist())) == 1
    assert found.spent == pytest.approx(0.1)


def test_new_answers_end_with_the_budget(found: Averaging) -> None:
    assert len(found.fresh) == 10
    assert len(set(found.fresh.tolist())) > 1
    assert "does not fit" in found.refusal


def test_it_is_told_and_written(found: Averaging) -> None:
    assert "asked 100 times, it gave 1 different answer" in str(found)
    assert found.to_dict()["fresh_answers"] == 10


@pytest.mark.long
def test_ten_thousand_askings_of_a_curator_give_one_answer() -> None:
    found = average(times=10_000)
    print(found)
    assert len(found.recorded) == 10_000
    assert len(set(found.recorded.tolist())) == 1
    assert found.spent == pytest.approx(0.1)


def test_means_are_followed() -> None:
    assert follow_mean(np.array([4, 0, 2])).tolist() == [4.0, 2.0, 2.0]


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="budget"):
        average(epsilon=2.0, budget=1.0)
    with pytest.raises(ParameterError, match="times"):
        average(times=0)


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(0.4, "0.4-differentially private"), (1000.0, "1,000-differentially private, which is nothing")],
)
def test_what_all_answers_promise_together_is_told(epsilon: float, words: str) -> None:
    assert write_total(epsilon) == words
