"""What people tell over a lifetime: of published deployments, and of one's own metrics.

A report's epsilon says little where reports go on for ever. Apple told how much one report and one day tell, and
renewed the allowance every day; Tang et al. (2017) read the rest out of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.answers.numbers import format_price
from discreet.base import check
from discreet.base.rounding import float_up
from discreet.local.client import MemoisedMechanism, Metric, Rappor, RapporStrings
from discreet.privacy import PureLoss

DELTA = 1e-9
DAYS = (1, 30, 365)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A collection whose parameters were published: what a report tells, and how many there are in a day."""

    name: str
    epsilon: float
    daily: int
    source: str


APPLE = "Apple, Differential Privacy Overview (2017)"
TANG = "Tang, Korolova, Bai, Wang, Wang (2017)"

PUBLISHED = (
    Deployment("Emoji", 4.0, 1, APPLE),
    Deployment("Lookup hints", 4.0, 2, APPLE),
    Deployment("QuickType words", 8.0, 2, APPLE),
    Deployment("Health types", 2.0, 1, APPLE),
    Deployment("Safari energy draining domains", 4.0, 2, APPLE),
    Deployment("Safari autoplay intent", 8.0, 2, APPLE),
    Deployment("macOS 10.12, all four together", 1.0, 16, TANG),
)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """What reports tell after some days: added up, and as the accountant certifies it at a small delta."""

    name: str
    one: float
    days: tuple[int, ...]
    summed: tuple[float, ...]
    certified: tuple[float, ...]
    """Epsilons at `DELTA`, rounded up: never above the sums."""
    note: str


def tabulate_published(days: Sequence[int] = DAYS) -> list[Lifetime]:
    """Return what published deployments tell after some days, if everything allowed is sent.

    Reports of 2 count as two of 1: Tang et al. found both, and 16 a day for four applications.
    """
    return [
        _accumulate(each.name, each.epsilon, [each.daily * day for day in check_days(days)], days, each.source)
        for each in PUBLISHED
    ]


def tabulate_metric(metric: Metric, daily: int, days: Sequence[int] = DAYS) -> Lifetime:
    """Return what reports of a metric would tell after some days, were it not for its own cap.

    Of mechanisms that remember their noise this is the bound for all pairs of sequences of values. Beside it stands
    what a value that never changes tells.
    """
    check.integer("daily", daily, least=1)
    counts = [daily * day for day in check_days(days)]
    mechanism = metric.mechanism
    note = f"its cap is {format_price(metric.lifetime)}: what would tell more is not sent"
    if not isinstance(mechanism, MemoisedMechanism | Rappor | RapporStrings):
        return _accumulate(metric.name, mechanism.epsilon, counts, days, note)
    summed = tuple(mechanism.bound_lifetime(count) for count in counts)
    constant = format_price(mechanism.constant)
    note += f"; a value that never changes tells {constant} in all its reports; several values tell"
    note += f" {constant} each of which they are, and not when they changed"
    return Lifetime(metric.name, mechanism.epsilon, tuple(days), summed, summed, note)


def check_days(days: Sequence[int]) -> Sequence[int]:
    """Return numbers of days, each at least one."""
    for day in days:
        check.integer("days", day, least=1, most=100_000)
    return days


def _accumulate(name: str, epsilon: float, counts: Sequence[int], days: Sequence[int], note: str) -> Lifetime:
    """Add up equal reports, up: no private report tells more than `PureLoss` does (Kairouz, Oh, Viswanath 2017)."""
    one = Fraction(epsilon)
    summed = tuple(float_up(one * count) for count in counts)
    proven = ((PureLoss(one) * count).epsilon(DELTA).high for count in counts)
    certified = tuple(min(pair) for pair in zip(summed, proven, strict=True))
    return Lifetime(name, epsilon, tuple(days), summed, certified, note)
