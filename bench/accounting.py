"""The certified accountant beside Google's dp_accounting, in one run: time, and what each reports.

Run by `make bench`; alone: `.venv-peers/bin/python bench/accounting.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dp_accounting import dp_event
from dp_accounting.pld import pld_privacy_accountant

from discreet.privacy import BudgetFilter, Certified, GaussianLoss, LaplaceLoss, Loss, SampledLoss
from discreet.privacy.accountant.bracket import bracket_epsilon
from discreet.privacy.accountant.pairs import make_gaussian
from discreet.privacy.losses.composed import compose
from timing import alternate, markdown

DELTA = 1e-6


def sampled_gaussian() -> tuple[Callable[[], Loss], Callable[[], Any]]:
    event = dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0))
    return lambda: SampledLoss(GaussianLoss(1.0), 0.01) * 100_000, lambda: dp_event.SelfComposedDpEvent(event, 100_000)


def many_laplace() -> tuple[Callable[[], Loss], Callable[[], Any]]:
    return lambda: LaplaceLoss(1e-3) * 10**6, lambda: dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(1e3), 10**6)


def distinct_laplace(count: int) -> tuple[Callable[[], Loss], Callable[[], Any]]:
    scales = [10 + 0.1 * i for i in range(count)]
    return (
        lambda: compose([(LaplaceLoss(1 / scale), 1) for scale in scales]),
        lambda: dp_event.ComposedDpEvent([dp_event.LaplaceDpEvent(scale) for scale in scales]),
    )


def asked(loss: Callable[[], Loss]) -> Callable[[], Certified]:
    return lambda: loss().epsilon(DELTA)


def theirs(event: Callable[[], Any]) -> Callable[[], float]:
    def run() -> float:
        accountant = pld_privacy_accountant.PLDAccountant(value_discretization_interval=1e-4)
        accountant.compose(event())
        return float(accountant.get_epsilon(DELTA))

    return run


def speed() -> str:
    """Compare times at delta = 1e-6; ours gives both bounds."""
    rows = []
    cases = {
        "sampled Gaussian, q = .01, sigma = 1, k = 1e5": sampled_gaussian(),
        "Laplace, scale sqrt(k), k = 1e6": many_laplace(),
        "200 distinct Laplace": distinct_laplace(200),
    }
    base = 0.0
    for name, (loss, event) in cases.items():
        ours, peer = asked(loss), theirs(event)
        bracket, reported = ours(), peer()
        seconds = alternate({"ours": ours, "peer": peer})
        ratio = seconds["peer"] / seconds["ours"]
        base = seconds["peer"]
        rows.append(
            [
                name,
                f"{seconds['ours'] * 1e3:.0f} ms",
                f"{seconds['peer'] * 1e3:.0f} ms",
                f"**{ratio:.1f} x**",
                f"5 x: {'met' if ratio >= 5 else 'MISSED'}",
                f"{bracket.low:.5f} .. {bracket.high:.5f}",
                f"{reported:.5f}",
            ]
        )
    loss, _ = distinct_laplace(1000)
    seconds = alternate({"ours": asked(loss)})
    bracket = loss().epsilon(DELTA)
    ratio = base / seconds["ours"]
    rows.append(
        [
            "1000 distinct Laplace (ours) beside 200 (theirs)",
            f"{seconds['ours'] * 1e3:.0f} ms",
            f"{base * 1e3:.0f} ms",
            f"**{ratio:.1f} x**",
            f"5 x: {'met' if ratio >= 5 else 'MISSED'}",
            f"{bracket.low:.5f} .. {bracket.high:.5f}",
            "",
        ]
    )
    return markdown(
        ["composition", "discreet", "dp_accounting", "ratio", "asked", "our bracket", "their epsilon"], rows
    )


def truth() -> str:
    """Compare with the truth: k Gaussians of sigma sqrt(k) are one of mu = 1, closed forms switched off in ours."""
    rows = []
    for count in (1_000, 10_000, 1_000_000):
        for delta in (1e-5, 1e-12, 1e-14, 1e-20):
            exact = GaussianLoss(1.0).epsilon(delta).high
            found = bracket_epsilon([[(make_gaussian(1 / math.sqrt(count)), count)]], delta)
            event = dp_event.PoissonSampledDpEvent(1.0, dp_event.GaussianDpEvent(math.sqrt(count)))
            peer = pld_privacy_accountant.PLDAccountant(value_discretization_interval=1e-4)
            peer.compose(dp_event.SelfComposedDpEvent(event, count))
            reported = float(peer.get_epsilon(delta))
            rows.append(
                [
                    f"{count:,}",
                    f"{delta:g}",
                    f"{exact:.6f}",
                    f"{found.low - exact:+.1e}",
                    f"{found.high - exact:+.1e}",
                    f"{reported - exact:+.1e}",
                ]
            )
    return markdown(["k", "delta", "true epsilon", "our low", "our high", "dp_accounting"], rows)


def filters() -> str:
    """Time the budget's filter."""
    budget, loss = BudgetFilter(3.0, 1e-9), GaussianLoss(1e-3)

    def ask() -> None:
        for _ in range(100_000):
            budget.admits(loss)

    seconds = alternate({"admits": ask})["admits"]
    met = "met" if seconds <= 1 else "MISSED"
    return f"`BudgetFilter.admits`: {100_000 / seconds:,.0f} a second (asked: 100,000 a second, {met})."


def report() -> str:
    """Return this file's part of the results."""
    return (
        "## Accounting\n\n"
        "`dp_accounting`: `PLDAccountant(value_discretization_interval=1e-4)`, composing the event named; `discreet`:\n"
        "`loss.epsilon(1e-6)`, which computes a lower and an upper bound. Medians of 5 alternating rounds.\n\n"
        f"{speed()}\n\nDistance from the truth (a negative number in the last two columns is an under-report):\n\n"
        f"{truth()}\n\n{filters()}\n"
    )


if __name__ == "__main__":
    print(report())
