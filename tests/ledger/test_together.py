"""Eight processes at once: one budget, one answer, enough charges a second, and nobody starves."""

from __future__ import annotations

import os
import time

import pytest

from discreet.base.errors import BudgetError
from discreet.ledger import Ledger
from support.ledger import PROCESSES, TENTH, Home, ask, at_once, facts, kinds, place, question


def test_the_same_question_asked_at_once_is_paid_once_and_has_one_answer(home: Home) -> None:
    with Ledger.create(place(home), facts()) as ledger:
        told = at_once(lambda number: ask(ledger, answer=os.urandom(8)))
        assert len(set(told)) == 1
        assert kinds(ledger) == ["CREATE", "CHARGE", "RECORD"]


def test_the_same_budget_is_never_spent_twice(home: Home) -> None:
    with Ledger.create(place(home), facts(epsilon=5)) as ledger:

        def until_refused(number: int) -> int:
            for turn in range(100):
                try:
                    ask(ledger, f"{number}.{turn}")
                except BudgetError:
                    return turn
            return 100

        assert sum(at_once(until_refused)) == 50
        assert ledger.spent().spent[0] == 5
        assert ledger.verify().ok


@pytest.mark.slow
def test_charges_are_many_a_second_and_none_waits_long(home: Home) -> None:
    """The goal is 200 a second and 1 s (bench/ledger.py). Here, whatever the disk: a tenth of what one does alone."""
    with Ledger.create(place(home), facts(epsilon=10**6)) as ledger:

        def charge_forty(number: int) -> float:
            longest = 0.0
            for turn in range(40):
                start = time.perf_counter()
                ledger.charge(question(f"{number}.{turn}"), TENTH)
                longest = max(longest, time.perf_counter() - start)
            return longest

        start = time.perf_counter()
        charge_forty(PROCESSES)
        alone = 40 / (time.perf_counter() - start)
        start = time.perf_counter()
        longest = max(at_once(charge_forty))
        rate = 40 * PROCESSES / (time.perf_counter() - start)
        print(f"\n{rate:.0f} durable charges a second from {PROCESSES} processes, longest wait {longest:.3f} s")
        assert rate > alone / 10
        assert longest < 60
        assert ledger.spent().spent[0] == 4 * (PROCESSES + 1)
