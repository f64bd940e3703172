"""The theorem of every mechanism over texts, words, numbers and records: its exact law, report by report."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from discreet.local.client import HybridMean, NumberMechanism, OneBitMean, PiecewiseMean, Randomised
from discreet.local.client.kinds import CODES
from support.enumerated_coins import find_law
from support.local_cases import EPSILONS, NUMBERS, Case, make_cases

CASES = [case for epsilon in EPSILONS for case in make_cases(epsilon)]


@cache
def find_laws(case: Case) -> list[dict[Randomised, Fraction]]:
    """Return the law of every value, without what never happens."""
    laws = [find_law(lambda coins, value=value: case.mechanism.randomise(value, coins)) for value in case.values]  # type: ignore[misc]
    return [{told: chance for told, chance in law.items() if chance} for law in laws]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_report_is_likelier_by_more_than_epsilon(case: Case) -> None:
    laws, mechanism = find_laws(case), case.mechanism
    assert all(set(first) == set(second) for first, second in pairwise(laws))
    worst = max(max(law[told] for law in laws) / min(law[told] for law in laws) for told in laws[0])
    assert math.log(worst) <= mechanism.epsilon <= math.log(worst) + 1e-9
    assert {len(report.payload) for report in laws[0]} == {mechanism.payload_size}
    assert all(0 <= report.seed < mechanism.seeds for report in laws[0])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_seeds_say_nothing_of_the_value(case: Case) -> None:
    seeds = []
    for law in find_laws(case):
        found: dict[int, Fraction] = {}
        for report, chance in law.items():
            found[report.seed] = found.get(report.seed, Fraction(0)) + chance
        seeds.append(found)
    assert all(first == second for first, second in pairwise(seeds))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_calibrated_mechanisms_use_the_epsilon_that_they_were_given(epsilon: float) -> None:
    for case in make_cases(epsilon):
        assert epsilon - 1e-9 < case.mechanism.epsilon <= epsilon


def test_every_mechanism_that_is_not_over_items_is_among_the_cases() -> None:
    held = {type(case.mechanism) for case in CASES}
    assert {kind for code, kind in CODES.items() if 10 <= code < 18} <= held


@pytest.mark.parametrize("case", [case for case in CASES if isinstance(case.mechanism, NumberMechanism)], ids=str)
def test_outputs_stand_for_a_number_without_bias_and_with_the_stated_variance(case: Case) -> None:
    mechanism = case.mechanism
    assert isinstance(mechanism, NumberMechanism)
    for value in NUMBERS:
        law = find_law(lambda coins, value=value: mechanism.tell(value, coins))  # type: ignore[misc]
        mean = sum(chance * mechanism.find_value(told) for told, chance in law.items())
        square = sum(chance * mechanism.find_value(told) ** 2 for told, chance in law.items())
        assert mean == value
        assert square - mean**2 == mechanism.variance(value)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0, 8.0])
def test_the_piecewise_variance_is_that_of_the_continuous_form(epsilon: float) -> None:
    """Wang et al. 2019: x^2 / (e^(epsilon/2) - 1) + (e^(epsilon/2) + 3) / (3 (e^(epsilon/2) - 1)^2)."""
    grown = math.exp(epsilon / 2)
    for value in (Fraction(0), Fraction(1, 2), Fraction(1)):
        ideal = float(value) ** 2 / (grown - 1) + (grown + 3) / (3 * (grown - 1) ** 2)
        assert float(PiecewiseMean.calibrate(epsilon).variance(value)) == pytest.approx(ideal, rel=0.005)


@pytest.mark.parametrize("epsilon", [0.5, 0.8, 1.0, 2.0, 4.0])
def test_the_worst_variance_of_the_hybrid_is_the_least(epsilon: float) -> None:
    """Above an epsilon of .61 it is the same for every number; below, the hybrid is the single bit."""
    ends = (Fraction(0), Fraction(1, 2), Fraction(1))
    hybrid = [float(HybridMean.calibrate(epsilon).variance(value)) for value in ends]
    wide, narrow = PiecewiseMean.calibrate(epsilon), OneBitMean.calibrate(epsilon)
    others = [max(float(each.variance(value)) for value in ends) for each in (wide, narrow)]
    assert max(hybrid) <= min(others) * (1 + 1e-9)
    if epsilon > 0.61:
        assert max(hybrid) - min(hybrid) < 1e-3 * max(hybrid)
    else:
        assert HybridMean.calibrate(epsilon).share == 0
