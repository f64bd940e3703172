"""The theorem of every mechanism over items: its exact law on small domains, report by report."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest

from discreet.local.client import (
    DirectResponse,
    HadamardBit,
    ItemMechanism,
    LocalHashing,
    ProjectiveResponse,
    Randomised,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.local.client.projective import find_point
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch
from support.enumerated_coins import EnumeratedCoins, find_law

EPSILONS = [0.1, 1.0, 3.0]

FINITE: list[ItemMechanism] = [
    mechanism
    for epsilon in EPSILONS
    for mechanism in (
        DirectResponse.calibrate(epsilon, 2),
        DirectResponse.calibrate(epsilon, 8),
        UnaryEncoding.calibrate(epsilon, 5),
        UnaryEncoding.calibrate(epsilon, 5, symmetric=True),
        LocalHashing.calibrate(epsilon, 8, pool=5),
        HadamardBit.calibrate(epsilon, 8),
        SubsetSelection.calibrate(epsilon, 5),
    )
]


def name(mechanism: ItemMechanism) -> str:
    return f"{mechanism.kind}-{mechanism.size}-{mechanism.epsilon:.1f}"


def check_ratio(mechanism: ItemMechanism, laws: list[dict[Randomised, Fraction]]) -> None:
    """The largest ratio of two laws is the claimed epsilon, which is never below it."""
    worst = max(first[told] / second[told] for first, second in permutations(laws, 2) for told in first)
    assert math.log(worst) <= mechanism.epsilon <= math.log(worst) + 1e-12


@pytest.mark.parametrize("mechanism", FINITE, ids=name)
def test_no_report_is_likelier_by_more_than_epsilon(mechanism: ItemMechanism) -> None:
    laws = [find_law(lambda coins, item=item: mechanism.randomise(item, coins)) for item in range(mechanism.size)]  # type: ignore[misc]
    assert all(set(first) == set(second) for first, second in pairwise(laws))
    check_ratio(mechanism, laws)


@pytest.mark.parametrize("mechanism", FINITE, ids=name)
def test_reports_support_items_as_often_as_the_mechanism_says(mechanism: ItemMechanism) -> None:
    law = find_law(lambda coins: mechanism.randomise(1, coins))
    supports = find_expected_supports(mechanism, law)
    assert supports[1] == mechanism.supported
    if not isinstance(mechanism, LocalHashing):
        assert set(supports) == {mechanism.supported, mechanism.strayed}
    assert {len(report.payload) for report in law} == {mechanism.payload_size}
    assert all(0 <= report.seed < mechanism.seeds for report in law)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("size", [2, 7, 12])
def test_a_projective_report_is_even_among_own_points_and_among_others(epsilon: float, size: int) -> None:
    """Its coins fall until a point is found, so its law is that of one round, given what is looked for and found."""
    mechanism = ProjectiveResponse.calibrate(epsilon, size)
    for item in (0, size - 1):
        law: dict[Randomised, Fraction] = {}
        for orthogonal, chance in ((True, mechanism.supported), (False, 1 - mechanism.supported)):
            found = find_one_round(mechanism, item, orthogonal)
            assert len(found) == (mechanism.own if orthogonal else mechanism.points - mechanism.own)
            assert len(set(found.values())) == 1
            law |= {told: chance / len(found) for told in found}
        assert len(law) == mechanism.points
        worst = max(law.values()) / min(law.values())
        assert math.log(worst) <= mechanism.epsilon <= math.log(worst) + 1e-12
        supports = find_expected_supports(mechanism, law)
        assert {each for place, each in enumerate(supports) if place != item} == {mechanism.strayed}
        assert supports[item] == mechanism.supported


def test_any_two_projective_items_have_different_points() -> None:
    mechanism = ProjectiveResponse.calibrate(1.0, 40)
    assert len({tuple(find_point(item, mechanism.prime, mechanism.length)) for item in range(40)}) == 40


class OneRound(EnumeratedCoins):
    """Ends a randomiser that begins a second round."""

    def __init__(self, outcomes: list[int], orthogonal: bool, length: int) -> None:
        super().__init__(outcomes)
        self._orthogonal, self._left = orthogonal, length

    def toss(self, chance: int) -> bool:
        return self._orthogonal

    def choose(self, count: int) -> int:
        if not self._left:
            raise StopIteration
        self._left -= 1
        return super().choose(count)


def find_one_round(mechanism: ProjectiveResponse, item: int, orthogonal: bool) -> dict[Randomised, int]:
    """Return how often each report is found in the first round, over all vectors."""
    found: dict[Randomised, int] = {}
    for drawn in np.ndindex(*(mechanism.prime,) * mechanism.length):
        try:
            told = mechanism.randomise(item, OneRound(list(drawn), orthogonal, mechanism.length))
        except StopIteration:
            continue
        found[told] = found.get(told, 0) + 1
    return found


def find_expected_supports(mechanism: ItemMechanism, law: dict[Randomised, Fraction]) -> list[Fraction]:
    """Return how often each item is supported, as the collector counts reports: one at a time."""
    oracle, total = find_oracle(mechanism), [Fraction(0)] * mechanism.size
    for (seed, payload), chance in law.items():
        counts, good = oracle.count(Batch(np.array([seed]), np.frombuffer(payload, dtype=np.uint8)[None, :]))
        assert good.all()
        for item, supported in enumerate(oracle.find_supports(counts)):  # type: ignore[attr-defined]
            total[item] += chance * int(supported)
    return total


@pytest.mark.parametrize("epsilon", [0.001, 0.3, 5.0, 10.0, 10.9, 20.0])
@pytest.mark.parametrize("size", [2, 50])
def test_what_is_calibrated_tells_as_much_as_was_wished_or_a_little_less(epsilon: float, size: int) -> None:
    made: list[ItemMechanism] = [
        DirectResponse.calibrate(epsilon, size),
        UnaryEncoding.calibrate(epsilon, size),
        UnaryEncoding.calibrate(epsilon, size, symmetric=True),
        HadamardBit.calibrate(epsilon, size),
        SubsetSelection.calibrate(epsilon, size),
    ]
    if epsilon < 11:
        made.append(LocalHashing.calibrate(epsilon, size))
    if epsilon <= 10:
        made.append(ProjectiveResponse.calibrate(epsilon, size))
    for mechanism in made:
        assert epsilon * (1 - 1e-6) <= mechanism.epsilon <= epsilon, mechanism
