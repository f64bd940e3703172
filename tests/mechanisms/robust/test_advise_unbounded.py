"""What is expected of values without bounds: near what mechanisms then do, and from guesses alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet import robust
from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.robust import QuantileFacts, UnboundedFacts

VALUES = np.random.default_rng(3).normal(10**7, 500, 4_000).astype(int)
QUARTERS = np.quantile(VALUES, [0.25, 0.75])

RELEASES: dict[str, dict[str, Callable[[], float]]] = {
    "mean": {
        "usual": lambda: UnboundedMean(1.0).release(VALUES).mean - VALUES.mean(),
        "universal": lambda: UniversalMean(1.0).release(VALUES).mean - VALUES.mean(),
    },
    "variance": {
        "usual": lambda: UnboundedMean(1.0).release(VALUES).variance - VALUES.var(),
        "universal": lambda: UniversalVariance(1.0).release(VALUES).variance - VALUES.var(),
    },
    "interquartile range": {
        "usual": lambda: InterquartileRange(1.0).release(VALUES) - float(QUARTERS[1] - QUARTERS[0]),
        "universal": lambda: UniversalQuartiles(1.0).release(VALUES).width - float(QUARTERS[1] - QUARTERS[0]),
    },
}


@pytest.mark.parametrize("statistic", RELEASES)
def test_what_is_expected_is_near_what_comes_out(statistic: str) -> None:
    """The median of errors of Laplace noise is 0.7 of their mean; runs are few."""
    advised = {each.mechanism: each.error for each in robust.advise(UnboundedFacts(4_000, 500, statistic), 1.0)}
    for name, release in RELEASES[statistic].items():
        middle = np.median([abs(release()) for _ in range(21)])
        assert 0.2 * advised[name] < middle < 2 * advised[name]


def test_the_best_comes_first() -> None:
    best = [robust.advise(UnboundedFacts(4_000, 500, each), 1.0)[0].mechanism for each in RELEASES]
    assert best == ["universal", "universal", "usual"]
    for statistic in ("mean", "variance"):
        narrow, wide = (
            [each.mechanism for each in robust.advise(UnboundedFacts(4_000, 500, statistic, span), 1.0)]
            for span in (2_000, 10**6)
        )
        assert (narrow[0], wide[-1]) == ("Laplace in bounds", "Laplace in bounds")


def test_rows_and_epsilon_scale_the_noise() -> None:
    once = robust.advise(UnboundedFacts(10**6, 500), 1.0)[0].error
    assert robust.advise(UnboundedFacts(10**6, 500, rows=3), 3.0)[0].error == pytest.approx(once)
    assert robust.advise(UnboundedFacts(10**6, 500), 0.1)[0].error > 5 * once


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("statistic", lambda: UnboundedFacts(10, 1, "mode")),
        ("size", lambda: UnboundedFacts(1, 1)),
        ("deviation", lambda: UnboundedFacts(10, 0)),
        ("span", lambda: UnboundedFacts(10, 1, span=0)),
        ("epsilon", lambda: robust.advise(UnboundedFacts(10, 1), 0)),
        ("delta", lambda: robust.advise(UnboundedFacts(10, 1), 1, 1e-6)),
        ("delta", lambda: robust.advise(QuantileFacts(0.5, 0, 9, 10, 1), 1)),  # type: ignore[arg-type]
        ("facts", lambda: robust.advise("mean", 1)),  # type: ignore[arg-type]
    ],
)
def test_senseless_facts_are_refused(name: str, ask: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        ask()
