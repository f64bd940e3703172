"""One question of every kind that robust statistics ask, and how to see its operation without asking it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet import robust
from discreet.curator import Curator
from discreet.curator.door.operation import Operation
from discreet.curator.session import Session

RobustQuestion = Callable[[Curator, float], Any]
"""From a curator and what is spent to the result."""

DELTA = 1e-10
DAYS = "DATE_DIFF('day', DATE '2025-01-01', day)"
OLD: dict[str, Any] = {"by": "age > 64", "between": [True, False]}

QUESTIONS: dict[str, RobustQuestion] = {
    "mean interval": lambda c, e: robust.mean_interval(c, "visits", "cost", epsilon=e),
    "proportion interval": lambda c, e: robust.proportion_interval(c, "visits", "cost > 500", epsilon=e),
    "difference interval": lambda c, e: robust.difference_interval(c, "visits", "cost", epsilon=e, **OLD),
    "median interval": lambda c, e: robust.median_interval(c, "visits", "cost", epsilon=e),
    "quantile interval by rho": lambda c, e: robust.quantile_interval(c, "visits", "cost", share=0.9, rho=e),
    "chi-square test": lambda c, e: robust.chi_square_test(
        c, "visits", "ward", epsilon=e, by="age > 64", by_values=[True, False]
    ),
    "anova": lambda c, e: robust.anova(c, "visits", "cost", by="age // 30", groups=[0, 1, 2], epsilon=e),
    "Mann-Whitney test": lambda c, e: robust.mann_whitney_test(c, "visits", "cost", cuts=[200, 400], epsilon=e, **OLD),
    "Wilcoxon test": lambda c, e: robust.wilcoxon_test(c, "visits", "cost - 500", cuts=[-100, 0, 100], epsilon=e),
    "survival curve": lambda c, e: robust.survival_curve(c, "visits", DAYS, "cost > 700", times=[100, 400], epsilon=e),
    "clipped sum": lambda c, e: robust.clipped_sum(c, "visits", "cost", epsilon=e),
    "clipped mean": lambda c, e: robust.clipped_mean(c, "visits", "cost", epsilon=e),
    "median": lambda c, e: robust.median(c, "visits", "cost", epsilon=e),
    "median with a delta": lambda c, e: robust.median(c, "visits", "cost", epsilon=e, delta=DELTA),
    "median with a proposal": lambda c, e: robust.median(c, "visits", "cost", epsilon=e, delta=DELTA, proposal=50),
    "median by rho": lambda c, e: robust.median(c, "visits", "cost", rho=e),
    "trimmed mean": lambda c, e: robust.trimmed_mean(c, "visits", "cost", epsilon=e),
    "unbounded mean": lambda c, e: robust.unbounded_mean(c, "visits", "cost", step=0.01, epsilon=e),
    "interquartile range": lambda c, e: robust.interquartile_range(c, "visits", "cost", step=0.01, epsilon=e),
    "universal mean": lambda c, e: robust.unbounded_mean(c, "visits", "cost", step=0.01, method="universal", epsilon=e),
    "universal variance": lambda c, e: robust.unbounded_variance(c, "visits", "cost", step=0.01, epsilon=e),
    "universal quartiles": lambda c, e: robust.interquartile_range(
        c, "visits", "cost", step=0.01, method="universal", epsilon=e
    ),
    "any function": lambda c, e: robust.aggregate(
        c, "visits", ["cost"], find_deviation, name="deviation", groups=20, bounds=(0, 2000), epsilon=e
    ),
    "multivariate mean": lambda c, e: robust.multivariate_mean(c, "visits", {"age": 25, "cost": 400}, rho=e),
    "ratio": lambda c, e: robust.ratio_interval(c, "visits", "cost", "age", epsilon=e, delta=DELTA, resamples=20),
    "regression": lambda c, e: robust.regression_interval(
        c, "visits", "cost", ["age", "quantity"], epsilon=e, delta=DELTA, resamples=20
    ),
}


def find_deviation(rows: Any) -> float:
    return float(np.std(rows[:, 0]))


class _SeenError(Exception):
    """Carries an operation out of the call that would have performed it."""


def see_operation(curator: Curator, name: str, spent: float, monkeypatch: pytest.MonkeyPatch) -> Operation[Any]:
    """Return the operation that a question would perform; nothing is charged."""

    def see(self: Session, operation: Operation[Any], *_: Any, **__: Any) -> Any:
        raise _SeenError(operation)

    with monkeypatch.context() as patched:
        patched.setattr(Session, "perform", see)
        with pytest.raises(_SeenError) as seen:
            QUESTIONS[name](curator, spent)
    operation: Operation[Any] = seen.value.args[0]
    return operation
