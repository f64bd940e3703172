"""Expected errors of mechanisms for a quantile: near what is measured, and in the right order."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import Quantile
from discreet.mechanisms.robust.advise import QuantileFacts, advise_quantile
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothNoise, SmoothStudent

HALF = Fraction(1, 2)
VALUES = np.clip(np.random.default_rng(3).normal(500_000, 40_000, 2_000).astype(int), 0, 10**6)
FACTS = QuantileFacts(HALF, 0, 10**6, 2_000, 2.5066 * 40_000 / 2_000)
MEDIAN = OrderStatistic(HALF, 0, 10**6)


def _expected(epsilon: float) -> dict[str, float]:
    return {each.mechanism: each.error for each in advise_quantile(FACTS, epsilon, 1e-6)}


def test_the_order_is_that_of_the_prototype() -> None:
    told = advise_quantile(FACTS, 1.0, 1e-6)
    assert [each.mechanism for each in told] == [
        "inverse sensitivity",
        "smooth Student's t",
        "smooth Laplace",
        "propose-test-release",
        "Laplace",
    ]
    found = _expected(1.0)
    assert found["inverse sensitivity"] < 0.4 * found["smooth Student's t"]
    assert found["inverse sensitivity"] < 0.1 * found["propose-test-release"]


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_expected_errors_are_near_those_measured(epsilon: float) -> None:
    found, truth = _expected(epsilon), MEDIAN.point(VALUES)
    cells = Counter(VALUES.tolist())
    drawn = {"inverse sensitivity": [Quantile(HALF, 10**6 + 1, epsilon).release(cells).value for _ in range(100)]}
    noises: dict[str, SmoothNoise] = {
        "smooth Student's t": SmoothStudent.calibrate(epsilon),
        "smooth Laplace": SmoothLaplace.calibrate(epsilon, 1e-6),
    }
    for name, made in noises.items():
        scale = made.scale(MEDIAN.find_smooth(VALUES, made.base))
        drawn[name] = [made._draw(Fraction(truth), scale) for _ in range(100)]
    for name, told in drawn.items():
        measured = float(np.mean(np.abs(np.array(told) - truth)))
        assert found[name] / 2.5 < measured < 2.5 * found[name], name


def test_a_proposal_for_these_facts_is_rarely_refused() -> None:
    half = _expected(1.0)["propose-test-release"] * 0.5
    made = ProposeTestRelease.calibrate(1.0, 1e-6, round(2 * half))
    assert sum(made.release(MEDIAN, VALUES) is None for _ in range(40)) < 15


def test_few_values_leave_little_to_choose() -> None:
    facts = QuantileFacts(HALF, 0, 10**6, 20, 5_000.0)
    told = {each.mechanism: each.error for each in advise_quantile(facts, 0.1, 1e-6)}
    assert told["smooth Student's t"] > 10**6, "the bounds are ten changes away, and hardly discounted"
    assert told["inverse sensitivity"] <= 10**6


def test_extremes_and_many_rows_cost_more() -> None:
    def best(facts: QuantileFacts) -> float:
        return advise_quantile(facts, 1.0, 1e-6)[0].error

    assert best(QuantileFacts(Fraction(0), 0, 10**6, 2_000, 50.0)) > best(FACTS)
    assert best(QuantileFacts(HALF, 0, 10**6, 2_000, 50.0, rows=5)) == pytest.approx(5 * best(FACTS), rel=0.02)


@pytest.mark.parametrize("gap", [0, -1.0, float("nan")])
def test_senseless_facts_are_refused(gap: float) -> None:
    with pytest.raises(ParameterError, match=r"^gap must be"):
        QuantileFacts(HALF, 0, 10, 5, gap)
