"""A bit that changes seldom: the law of all reports of a lifetime, and what they add up to."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.changing import count_changes, estimate_history, find_node
from discreet.local.client import ChangingBit, ChangingReport, ClientError, Coins, SystemCoins
from support.enumerated_coins import find_law


def run_life(protocol: ChangingBit, history: tuple[bool, ...], coins: Coins) -> tuple[ChangingReport, ...]:
    person = protocol.start(coins)
    told = [person.observe(bit, coins) for bit in history]
    return tuple(report for report in told if report is not None)


@pytest.mark.parametrize(("periods", "changes"), [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2)])
def test_no_two_histories_are_told_apart_by_more_than_epsilon(periods: int, changes: int) -> None:
    """For all pairs of histories, also those with more changes than were declared."""
    protocol = ChangingBit.calibrate(1.5, periods, changes)
    laws = [
        find_law(lambda coins, bits=bits: run_life(protocol, bits, coins))  # type: ignore[misc]
        for bits in product([False, True], repeat=periods)
    ]
    worst = max(first[told] / second[told] for first in laws for second in laws for told in first)
    assert math.log(worst) <= protocol.epsilon <= 1.5
    if periods == changes == 1:
        assert protocol.epsilon > 1.5 - 1e-9


def test_when_something_is_sent_does_not_depend_on_the_history() -> None:
    protocol = ChangingBit.calibrate(1.0, 8, 2)
    for level in range(protocol.levels):
        for history in ((False,) * 8, (True, False) * 4):
            person = protocol.start(SystemCoins())
            person.level = level
            sent = [person.observe(bit, SystemCoins()) is not None for bit in history]
            assert sent == [(period + 1) % (1 << level) == 0 for period in range(8)]


def test_the_history_of_a_crowd_is_estimated_within_its_errors() -> None:
    protocol, people, coins = ChangingBit.calibrate(4.0, 4, 2), 6000, SystemCoins()
    histories = [(False, True, True, number % 3 == 0) for number in range(people // 2)]
    histories += [(True, True, True, True)] * (people // 2)
    reports = [report for history in histories for report in run_life(protocol, history, coins)]
    found = estimate_history(protocol, count_changes(protocol, reports))
    true = np.array(histories).mean(axis=0)
    assert (np.abs(found.fractions - true) < 5.5 * found.errors).all()
    assert found.errors.max() < 0.2


def test_counts_of_parts_add_up_and_reports_of_no_interval_count_as_nothing() -> None:
    protocol, coins = ChangingBit.calibrate(1.0, 4, 1), SystemCoins()
    reports = [each for _ in range(50) for each in run_life(protocol, (True,) * 4, coins)]
    parts = count_changes(protocol, reports[:20]) + count_changes(protocol, reports[20:])
    assert (parts == count_changes(protocol, reports)).all()
    wrong = [
        ChangingReport(3, 0, True),
        ChangingReport(-1, 0, True),
        ChangingReport(0, 4, True),
        ChangingReport(1, -1, False),
    ]
    assert not count_changes(protocol, wrong).any()
    assert [find_node(protocol, *place) for place in ((0, 0), (0, 3), (1, 0), (2, 0))] == [0, 3, 4, 6]


def test_what_cannot_be_run_or_estimated_is_refused() -> None:
    for wrong in ((3, 1), (0, 1), (4, 5), (4, 0)):
        with pytest.raises(ClientError):
            ChangingBit.calibrate(1.0, *wrong)
    with pytest.raises(ClientError, match="one half"):
        ChangingBit(4, 1, 1 << 63)
    protocol = ChangingBit.calibrate(1.0, 2, 1)
    person = protocol.start(SystemCoins())
    person.observe(True, SystemCoins())
    person.observe(True, SystemCoins())
    with pytest.raises(ClientError, match="periods are over"):
        person.observe(True, SystemCoins())
    with pytest.raises(ParameterError, match="every interval"):
        estimate_history(protocol, np.zeros((3, 2), dtype=np.int64))
    with pytest.raises(ParameterError, match="line of two"):
        estimate_history(protocol, np.zeros((4, 2), dtype=np.int64))
