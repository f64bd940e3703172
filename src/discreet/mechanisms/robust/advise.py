"""Which mechanism for a quantile: the error that each is expected to have, from public facts alone.

Nothing here looks at data, and no guarantee rests on it. Values near the quantile are taken to be `gap` apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import DiscreetError
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothNoise, SmoothStudent
from discreet.mechanisms.robust.sorted_values import check_bounds, check_share

SURE = 0.05
"""How often, at most, propose-test-release may refuse: its proposal is chosen for that."""


@dataclass(frozen=True)
class ExpectedError:
    """A mechanism by name, and its mean absolute error."""

    mechanism: str
    error: float


@dataclass(frozen=True)
class QuantileFacts:
    """What is public of a quantile: the share, bounds, about how many values there are, and how far apart.

    `gap` is the distance of neighbouring values near the quantile that one expects: for a normal population of standard
    deviation s it is 2.5 s / size around the median.
    """

    share: Fraction
    low: int
    high: int
    size: int
    gap: float
    rows: int = 1

    def __post_init__(self) -> None:
        low, high = check_bounds(self.low, self.high)
        object.__setattr__(self, "share", check_share("share", self.share))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "size", check.integer("size", self.size, least=1))
        object.__setattr__(self, "gap", float(check.positive("gap", self.gap)))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))

    @property
    def span(self) -> int:
        """The distance of the bounds."""
        return self.high - self.low


def advise_quantile(facts: QuantileFacts, epsilon: float, delta: float) -> list[ExpectedError]:
    """Return the mean absolute error of each mechanism at (epsilon, delta), the best one first.

    The Quantile's noise is on ranks, and does not know the bounds; those with a smooth bound pay for the widest of
    their discounted gaps; propose-test-release pays for as many gaps as its threshold is high; plain Laplace noise pays
    for the bounds. Mechanisms that this guarantee leaves no room for are left out.
    """
    ranks = expect_rank_error(facts, epsilon)
    listed = [
        ExpectedError("inverse sensitivity", min(float(facts.span), max(ranks * facts.gap, 0.25))),
        ExpectedError("Laplace", facts.span / float(check.positive("epsilon", epsilon))),
    ]
    try:
        student, laplace = (
            SmoothStudent.calibrate(epsilon, facts.rows),
            SmoothLaplace.calibrate(epsilon, delta, facts.rows),
        )
        listed += [
            ExpectedError("propose-test-release", expect_proposal_error(facts, epsilon, delta)),
            ExpectedError("smooth Student's t", expect_smooth_error(facts, student)),
            ExpectedError("smooth Laplace", expect_smooth_error(facts, laplace)),
        ]
    except DiscreetError:
        pass
    return sorted(listed, key=lambda each: each.error)


def expect_rank_error(facts: QuantileFacts, epsilon: float) -> float:
    """Return by how many ranks `Quantile` is off on average: a two-sided exponential of its scale in ranks."""
    made = Quantile(facts.share, facts.span + 1, epsilon, facts.rows)
    factor = 2 * (2 if facts.share in (0, 1) else facts.share.denominator)
    return float(made.depth + Fraction(made.main.scale) / factor)


def expect_smooth_error(facts: QuantileFacts, noise: SmoothNoise) -> float:
    """Return the mean of |noise| for data that are a gap apart up to the nearer bound."""
    rate = -math.log(noise.base)
    width = max(float(facts.rows), 1 / rate)
    near = facts.gap * width * math.exp(-rate * (width - facts.rows))
    reach = min(facts.share, 1 - facts.share) * facts.size
    far = facts.span * math.exp(-rate * max(0.0, float(reach) - facts.rows))
    return _mean_of(noise) * max(near, far) / noise.shift


def _mean_of(noise: SmoothNoise) -> float:
    if not isinstance(noise, SmoothStudent):
        return 1.0
    d = noise.degrees
    if d == 1:
        return math.inf
    return 2 * math.sqrt(d / math.pi) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2)) / (d - 1)


def expect_proposal_error(facts: QuantileFacts, epsilon: float, delta: float) -> float:
    """Return the mean of |noise| at the least proposal that data so dense have refused at most once in twenty times."""
    made = ProposeTestRelease.calibrate(epsilon, delta, 1)
    distance = made.threshold
    while made.find_refusal(distance) > SURE:
        distance += 1
    widest = facts.gap * facts.rows * (distance + 1)
    return float(min(max(1.0, widest), facts.span)) / made.epsilon
