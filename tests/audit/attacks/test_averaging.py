"""Averaging: without a ledger noise averages out; with one there is one answer, and new ones end with the budget."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.attacks import averaging
from discreet.audit.attacks.averaging import Averaging, average, follow_mean, write_total
from discreet.audit.attacks.people import Secret
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


def test_the_attack_stops_where_it_was_asked_to_and_says_that_nobody_was_refused() -> None:
    few = average(times=4, epsilon=0.001, budget=1.0)
    assert (len(few.uncounted), len(few.recorded), len(few.fresh)) == (4, 4, 4)
    assert few.refusal == ""
    assert few.fresh_spent == pytest.approx(0.004)
    told = " ".join(str(few).split())
    assert "4 answers took 0.4 % of the budget of epsilon 1" in told
    assert "Nobody asked for more, so the curator did not have to refuse" in told


def test_new_noise_is_not_paid_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(averaging, "MOST_FRESH", 3)
    assert len(average(times=50, asked=1, epsilon=1e-9).fresh) == 3


def test_one_asking_is_told_as_one() -> None:
    told = " ".join(str(average(times=1)).split())
    assert "one answer, at epsilon 0.1: " in told
    assert "asked once, it gave 1 different answer" in told
    assert "1 answer took 10.0 % of the budget of epsilon 1" in told


def test_of_a_table_of_ones_own_it_is_told_whose_eyes_it_is_for() -> None:
    own = average(Secret(np.arange(50) < 20, "ill = yes in people.csv"), times=2, seed=1)
    assert "for the owner's eyes only" in " ".join(str(own).split())
    assert "for the owner's eyes only" in own.to_dict()["for"]
    assert "for" not in average(times=2).to_dict()


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
    with pytest.raises(ParameterError, match="budget must be a finite number"):
        average(budget=1e301)
    with pytest.raises(ParameterError, match="times"):
        average(times=0)
    with pytest.raises(ParameterError, match="<= 100000"):
        average(times=10**9)
    with pytest.raises(ParameterError, match=r"epsilon must be a finite number >= 1e-09 and <= 1e[+]06; got 1e-30"):
        average(epsilon=1e-30)


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(0.4, "0.4-differentially private"), (1000.0, "1,000-differentially private, which is nothing")],
)
def test_what_all_answers_promise_together_is_told(epsilon: float, words: str) -> None:
    assert write_total(epsilon) == words
