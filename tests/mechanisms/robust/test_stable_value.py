"""Values told exactly where they are stable: exact loss on all small neighbours."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from flint import arb

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.stable_value import StableValue, measure_mode
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, chi_square_p
from support.small_data import RELATIONS, Values, list_pairs, see_pairs

DOMAIN = (0, 1, 2)
CASES = [(1, 6), (2, 4)]


def _counts(values: Values) -> dict[int, int]:
    """Return the counts of the keys that are there, the smaller keys first."""
    return dict(sorted(Counter(values).items()))


@cache
@exactly
def _shown(made: StableValue, distance: int) -> arb:
    noise = laws.laplace(made.test.scale)
    start = max(made.threshold - distance + 1, -noise.reach)
    return sum((noise.at(z) for z in range(start, noise.reach + 1)), arb(0))


@exactly
def _law(made: StableValue, value: int | None, distance: int) -> laws.Law:
    """Return the probabilities of a refusal and of each key."""
    shown = _shown(made, distance)
    return [1 - shown, *(shown if key == value else arb(0) for key in (None, *DOMAIN))]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), CASES)
def test_theorem_modes_lose_no_more_than_is_charged(relation: str, rows: int, most: int) -> None:
    made, worst = StableValue(0.7, 0.05), 0.0
    pairs = list_pairs(DOMAIN, most, relation, rows)
    for here, there in see_pairs(pairs, lambda values: measure_mode(_counts(values), rows, relation)):
        assert abs(here[1] - there[1]) <= 1
        assert here[0] == there[0] or here[1] == there[1] == 0
        found = laws.hockey_stick(_law(made, *here), _law(made, *there), 0.7)
        assert at_most(found, 0.05)
        worst = max(worst, float(found))
    assert worst > 0.5 * 0.05
    loss = made.loss()
    assert loss.delta(0.7).high == pytest.approx(0.05)
    assert loss.epsilon(0.05).high <= 0.7 * (1 + 1e-12)


def test_a_key_far_ahead_is_told_and_a_tie_refused() -> None:
    made = StableValue(1.0, 1e-6)
    assert made.threshold == 13
    assert {made.release_mode({"flu": 900, "cold": 100}) for _ in range(30)} == {"flu"}
    assert {made.release_mode({"flu": 100, "cold": 100}) for _ in range(30)} == {None}
    assert {made.release_mode({}) for _ in range(30)} == {None}
    assert measure_mode({"flu": 50}) == ("flu", 49)
    assert measure_mode({"flu": 50, "cold": 8}, rows=5) == ("flu", 8)
    assert measure_mode({"flu": 50, "cold": 8}, neighbours="replace") == ("flu", 20)


def test_sampler_refuses_as_often_as_the_law_says() -> None:
    made = StableValue(0.5, 0.1)
    told = [made.decide("x", made.threshold + 2) for _ in range(3_000)]
    seen = np.array([told.count(None), told.count("x")])
    for epsilon, fits in ((0.5, True), (0.8, False)):
        other = StableValue(epsilon, 0.1)
        shown = float(_shown(other, other.threshold + 2))
        assert (chi_square_p(seen, np.array([1 - shown, shown])) > ALARM) is fits


@pytest.mark.parametrize(("name", "given"), [("epsilon", (0, 0.1)), ("delta", (1.0, 0)), ("delta", (1.0, 0.5))])
def test_senseless_parameters_are_refused(name: str, given: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        StableValue(*given)
