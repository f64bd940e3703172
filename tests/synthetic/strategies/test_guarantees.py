"""Every strategy keeps what it promises: what is spent, and how far one unit changes how likely a transcript is."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.families.domain import DenseTable, Domain, RowTable
from discreet.families.explicit import TableFamily, WrittenGroup
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.privacy.charges import Charge
from discreet.query.cost import fits_within
from discreet.synthetic.allowance import Allowance, Currency
from discreet.synthetic.counter import TableCounter
from discreet.synthetic.strategies.choose import ChosenStrategy
from discreet.synthetic.synthesis import bound_spending, spend_allowance
from synthetic.support.scripts import ScriptedCounter, permute_and_flip

SMALL = Domain((2, 3))
BITS = Domain((2, 2, 2))
LINE = Domain((12,))
QUESTIONS = TableFamily(
    SMALL, (WrittenGroup((1,), np.array([[0, 1, 1]])), WrittenGroup((0, 1), np.array([[0, 1, 0, 0, 1, 1]])))
)
CASES: list[tuple[str, Family, int]] = [
    ("whole", Marginals.of_order(SMALL, 1), 0),
    ("each", Marginals.of_order(SMALL, 1), 0),
    ("each", Parities.up_to(BITS, 2), 0),
    ("each", QUESTIONS, 0),
    ("mwem", QUESTIONS, 2),
    ("mwem", Marginals.of_order(SMALL, 1), 3),
    ("mwem", Parities.up_to(BITS, 2), 2),
    ("mwem", Ranges.prefixes(LINE, (0,)), 2),
    ("aim", Marginals.of_order(SMALL, 2), 0),
    ("aim", Marginals.of_order(BITS, 2), 4),
    ("mst", Marginals.of_order(BITS, 2), 0),
    ("mst", Marginals.of_order(LINE, 1), 0),
    ("tree", Ranges.prefixes(LINE, (0,)), 0),
    ("tree", Ranges.prefixes(SMALL, (0, 1)), 0),
]
each_case = pytest.mark.parametrize(("strategy", "workload", "rounds"), CASES, ids=lambda each: str(each)[:40])


def fill(domain: Domain, rows: int, seed: int) -> RowTable:
    random = np.random.default_rng(seed)
    return RowTable(domain, tuple(random.integers(0, size, rows) for size in domain.sizes))


@pytest.mark.many
@each_case
@pytest.mark.parametrize("currency", ["epsilon", "rho"])
@pytest.mark.parametrize(("rows", "factor"), [(1, 1), (1, 2), (3, 1), (3, 2)])
def test_what_is_spent_is_what_was_declared(
    strategy: str, workload: Family, rounds: int, currency: Currency, rows: int, factor: int
) -> None:
    """All of the allowance to the last bits of floats, never more, and in the other currency within the charge."""
    allowance = Allowance(currency, Fraction(3, 10))
    counter = TableCounter(fill(workload.domain, 200, 1), rows, factor)
    spend_allowance(counter, workload, allowance, ChosenStrategy(strategy, ""), rounds)
    declared = bound_spending(workload, allowance, strategy, rounds)
    assert fits_within(counter.spent, declared)
    assert fits_within(declared, allowance.charge)
    spent = counter.spent.epsilon if currency == "epsilon" else counter.spent.rho
    assert math.isclose(spent, Fraction(3, 10), rel_tol=1e-12)


@pytest.mark.parametrize("sizes", [(801, 801, 901), (900, 900, 3), (2, 900, 901, 902)])
def test_pairs_that_are_too_large_to_join_all_columns_are_paid_for_as_what_they_are(sizes: tuple[int, ...]) -> None:
    """Fewer pairs are measured with larger shares each, which cost more rho."""
    workload = Marginals.of_order(Domain(sizes), 1)
    allowance = Allowance("epsilon", Fraction(1))
    counter = TableCounter(fill(workload.domain, 50, 1))
    spend_allowance(counter, workload, allowance, ChosenStrategy("mst", ""))
    declared = bound_spending(workload, allowance, "mst", 0)
    assert fits_within(counter.spent, declared)
    assert math.isclose(counter.spent.rho, declared.rho, rel_tol=1e-9)


@pytest.mark.many
@each_case
@pytest.mark.parametrize("factor", [1, 2])
def test_theorem_no_transcript_is_likelier_on_a_neighbour_than_epsilon_says(
    strategy: str, workload: Family, rounds: int, factor: int
) -> None:
    """The whole run at once: total, choices and counts, on neighbours of a small table, for many transcripts."""
    allowance = Allowance("epsilon", Fraction(1, 2))
    base = np.zeros(workload.domain.sizes, dtype=np.int64)
    base.flat[:: 1 + base.size // 4] = 1
    neighbours = [base.copy() for _ in range(min(base.size, 5))]
    for place, table in enumerate(neighbours):
        table.flat[place * base.size // len(neighbours)] += 1
    pairs = itertools.combinations(neighbours, 2) if factor == 2 else ((base, table) for table in neighbours)
    largest = 0.0
    for place, (one, other) in enumerate(pairs):
        for seed in range(2):
            found = []
            for table in (one, other):
                random = np.random.default_rng([place, seed])
                counter = ScriptedCounter(DenseTable(workload.domain, table), random, 1.0, 1, factor)
                spend_allowance(counter, workload, allowance, ChosenStrategy(strategy, ""), rounds)
                found.append(counter)
            assert found[0].calls == found[1].calls
            largest = max(largest, abs(found[0].log_likelihood - found[1].log_likelihood))
    assert largest <= 0.5 + 1e-9
    assert largest > 0.05


def test_the_exact_chances_of_permute_and_flip_add_up() -> None:
    for scores in ([0, 0], [5, 3, 1], [0, -100], [2, 2, 2, 9]):
        chances = permute_and_flip(scores, 2.0)
        assert math.isclose(sum(chances), 1.0)
        assert chances[scores.index(max(scores))] == max(chances)


@each_case
def test_the_order_of_rows_does_not_matter(strategy: str, workload: Family, rounds: int) -> None:
    table = fill(workload.domain, 50, 2)
    turned = RowTable(workload.domain, tuple(column[::-1].copy() for column in table.values))
    found = []
    for source in (table, turned):
        counter = ScriptedCounter(source, np.random.default_rng(5))
        spend_allowance(counter, workload, Allowance("epsilon", Fraction(1)), ChosenStrategy(strategy, ""), rounds)
        found.append((counter.calls, counter.log_likelihood))
    assert found[0] == found[1]


@each_case
@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_a_table_without_rows_is_measured_too(strategy: str, workload: Family, rounds: int, currency: Currency) -> None:
    counter = TableCounter(fill(workload.domain, 0, 0))
    spent = spend_allowance(counter, workload, Allowance(currency, Fraction(1)), ChosenStrategy(strategy, ""), rounds)
    assert len(spent.readings) == sum(spent.batches) > 1
    assert min(spent.batches) >= 1


def test_pure_parts_are_charged_for_less_rho_than_one_release_of_all() -> None:
    whole = Charge(Fraction(1), Fraction(1, 2), Fraction(0))
    allowance = Allowance("epsilon", Fraction(1))
    assert allowance.charge == whole
    for strategy, workload, rounds in CASES[1:9]:
        declared = bound_spending(workload, allowance, strategy, rounds)
        assert declared.epsilon <= 1
        if strategy != "tree":
            assert declared.rho < Fraction(3, 10)
