"""Path lengths, and draws by them: exact loss on all small neighbours."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.inverse_sensitivity import InverseSensitivity, MostFrequent, find_mode_lengths
from discreet.privacy import BoundedRangeLoss, PureLoss
from support import laws
from support.laws import at_most
from support.sampling import ALARM, chi_square_p
from support.small_data import RELATIONS, Values, count_changes, list_data, list_pairs, see_pairs

DOMAIN = (0, 1, 2)
CASES = [(1, 6), (2, 4)]


def _counts(values: Values) -> tuple[int, ...]:
    return tuple(Counter(values)[each] for each in DOMAIN)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), CASES)
@pytest.mark.parametrize("pure", [True, False])
def test_theorem_modes_lose_no_more_than_is_charged(relation: str, rows: int, most: int, pure: bool) -> None:
    made, worst = MostFrequent(1.2, rows, relation, pure), 0.0
    law = cache(lambda counts: (laws.permute_and_flip if pure else laws.softmax)(counts, made.draw.scale))
    assert isinstance(made.loss(), PureLoss if pure else BoundedRangeLoss)
    assert made.loss().pure <= 1.2
    for pair in see_pairs(list_pairs(DOMAIN, most, relation, rows), _counts):
        lost = laws.worst_loss(law(pair[0]), law(pair[1]))
        assert at_most(lost, 1.2)
        worst = max(worst, float(lost))
    assert worst > 0.5 * 1.2


@pytest.mark.parametrize("relation", RELATIONS)
def test_path_lengths_are_the_least_numbers_of_changes(relation: str) -> None:
    everything = list_data(DOMAIN, 7)
    for values in list_data(DOMAIN, 3):
        found = find_mode_lengths(_counts(values), relation)
        for place, length in enumerate(found):
            modes = [x for x in everything if _counts(x)[place] == max(_counts(x))]
            near = [x for x in modes if relation == "add-remove" or len(x) == len(values)]
            assert length == min(count_changes(values, x, relation) for x in near)


@pytest.mark.parametrize("relation", RELATIONS)
def test_theorem_draws_by_path_length_lose_no_more_than_is_charged(relation: str) -> None:
    made = InverseSensitivity(0.9)
    assert isinstance(made.loss(), BoundedRangeLoss)
    assert made.loss().pure <= 0.9
    pairs = list_pairs(DOMAIN, 5, relation, fixed=True)
    for near, far in see_pairs(pairs, lambda values: tuple(find_mode_lengths(_counts(values), relation))):
        assert all(abs(a - b) <= 1 for a, b in zip(near, far, strict=True))
        first, second = (laws.softmax([-length for length in each], made.draw.scale) for each in (near, far))
        assert at_most(laws.worst_loss(first, second), 0.9)


def test_under_replace_counts_are_at_least_as_sharp_as_path_lengths() -> None:
    for values in list_data(DOMAIN, 6):
        counts = _counts(values)
        by_count = laws.softmax(counts, MostFrequent(1.0, 1, "replace", False).draw.scale)
        lengths = find_mode_lengths(counts, "replace")
        by_length = laws.softmax([-length for length in lengths], InverseSensitivity(1.0).draw.scale)
        top = int(np.argmax(counts))
        assert float(by_count[top]) >= float(by_length[top]) * (1 - 1e-12)


def test_sampler_draws_these_probabilities_and_not_those_of_an_epsilon_off() -> None:
    made = InverseSensitivity(1.0)
    seen = np.bincount([made.release([0, 3, 1, 5]) for _ in range(3_000)], minlength=4)
    for epsilon, fits in ((1.0, True), (1.4, False), (0.7, False)):
        law = np.array([float(p) for p in laws.softmax([0, -3, -1, -5], 2 / epsilon)])
        assert (chi_square_p(seen, law) > ALARM) is fits
    drawn = [made.release_from([0, 10, 20, 1000], [9, 0, 400]) for _ in range(300)]
    assert all(0 <= each < 20 for each in drawn)
    assert sum(10 <= each < 20 for each in drawn) > 250


def test_the_most_frequent_category_is_found() -> None:
    assert [MostFrequent(1.0).release([3, 90, 20]) for _ in range(50)] == [1] * 50


@pytest.mark.parametrize("lengths", [3, [1.5], [[1]], "ab"])
def test_other_lengths_are_refused(lengths: Any) -> None:
    with pytest.raises(ParameterError, match=r"^lengths must be"):
        InverseSensitivity(1.0).release(lengths)


def test_senseless_parameters_are_refused() -> None:
    for make in (lambda: InverseSensitivity(0), lambda: MostFrequent(-1), lambda: MostFrequent(1.0, 0)):
        with pytest.raises(ParameterError):
            make()
    with pytest.raises(ParameterError, match=r"^neighbours must be"):
        MostFrequent(1.0, 1, "swap")
