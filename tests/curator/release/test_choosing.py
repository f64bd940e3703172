"""What is chosen has the law of its mechanism: several keys, parts, and long ranges."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

from discreet.curator.release.choosing import choose
from discreet.engines.result import GroupedSums
from discreet.mechanisms import Exponential, PermuteAndFlip
from discreet.query.choices import Choice
from discreet.query.scores import LargestSum, Side, SmallestSum, ThresholdScore
from support.clinic import open_clinic

DRAWS = 1500


def assert_law(seen: Counter[tuple[int, ...]], law: dict[tuple[int, ...], float]) -> None:
    """Hold frequencies against probabilities, seven deviations wide."""
    assert set(seen) <= set(law)
    for outcome, chance in law.items():
        assert abs(seen[outcome] - DRAWS * chance) < 7 * math.sqrt(DRAWS * chance * (1 - chance)) + 1


def test_several_are_chosen_one_after_the_other(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        plan = curator.prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1).operation.plan
    found = GroupedSums(((0, 30, 60),))
    weights = [math.exp(each) for each in (0, 1, 2)]
    law: dict[tuple[int, ...], float] = {}
    for first in range(3):
        for second in range(3):
            if first != second:
                left = sum(weights) - weights[first]
                law[first, second] = weights[first] / sum(weights) * weights[second] / left
    for score, sums in ((LargestSum(0), found), (SmallestSum(0), GroupedSums(((60, 30, 0),)))):
        choice = Choice(score, Exponential(30.0), 2)
        assert_law(Counter(choose(plan, sums, choice)[0] for _ in range(DRAWS)), law)


def test_every_part_is_chosen_from_by_itself(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        plan = curator.prepare("SELECT age // 60, ward, COUNT(*) FROM visits GROUP BY 1, ward", 1).operation.plan
    found = GroupedSums(((0, 0, 10**9, 10**9, 0, 0),))
    choice = Choice(LargestSum(0), PermuteAndFlip(30.0), parts=2)
    assert choose(plan, found, choice) == ((2,), (3,))


def test_a_long_range_is_drawn_in_pieces(tmp_path: Path) -> None:
    """Four values at 500: 500 thresholds with none below, and as many with four, at a scale of 2."""
    with open_clinic(tmp_path) as curator:
        plan = curator.prepare("SELECT MEDIAN(age) FROM visits", 1).operation.plan
    score = ThresholdScore(0, 1, 1, 1000, Side.LESS, 1, 0)
    choice = Choice(score, Exponential(2.0))
    found = GroupedSums(((),), {0: ({500: 4},)})
    seen = Counter((choose(plan, found, choice)[0][0] >= 500,) for _ in range(DRAWS))
    above = math.exp(2) / (1 + math.exp(2))
    assert_law(Counter({(int(k),): n for (k,), n in seen.items()}), {(1,): above, (0,): 1 - above})
