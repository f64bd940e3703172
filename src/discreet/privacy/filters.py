"""Filters and odometers: may this analyst ask one more, having seen all earlier answers?

A filter is an immutable value. Each one cites the theorem that keeps it valid when the analyst chooses the next loss
after seeing every earlier answer. Bounds on privacy-loss distributions or trade-off curves have no such theorem and
are refused.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Self

from flint import arb

from discreet.base import check
from discreet.base.errors import BudgetError, DiscreetError
from discreet.base.rounding import ball, float_down, float_up, rounded_down, rounded_up
from discreet.base.search import least_float
from discreet.privacy.composed import ComposedLoss
from discreet.privacy.guarantees import ApproximateLoss, ZcdpLoss
from discreet.privacy.loss import Loss
from discreet.privacy.noises import GaussianLoss

Sums = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Charge:
    """What a loss costs in the currencies of filters: pure epsilon or infinity, rho, and a delta beside them."""

    epsilon: float
    rho: float
    delta: float = 0.0


@lru_cache(maxsize=1 << 16)
def charge_of(loss: Loss) -> Charge:
    """Return the charge of a loss: (epsilon, delta) is delta-approximate (epsilon^2 / 2)-zCDP (Bun, Steinke 2016)."""
    if isinstance(loss, ApproximateLoss):
        promised = loss.epsilon_
        return Charge(promised, rounded_up(lambda: ball(promised) ** 2 / 2), loss.delta_)
    if isinstance(loss, ComposedLoss):
        charges = [(charge_of(part), count) for part, count in loss.parts]
        epsilon, rho, delta = (
            _total([(getattr(charge, name), count) for charge, count in charges])
            for name in ("epsilon", "rho", "delta")
        )
        return Charge(epsilon, rho, delta)
    return Charge(loss.pure, loss.zcdp())


def _total(terms: list[tuple[float, int]]) -> float:
    total = 0.0
    for value, count in terms:
        total = _add_up(total, value if count == 1 else _times_up(value, count))
    return total


def _times_up(a: float, b: float) -> float:
    """Return a * b, rounded up."""
    return float_up(Fraction(a) * Fraction(b)) if math.isfinite(a) else a


def _add_up(a: float, b: float) -> float:
    """Return the least float that is at least a + b (the sign of its error is exact: Knuth's two-sum)."""
    total = a + b
    part = total - a
    return math.nextafter(total, math.inf) if (a - (total - part)) + (b - part) > 0 else total


@dataclass(frozen=True)
class Filter(ABC):
    """Says whether the next loss still fits, whatever the analyst learnt so far. `spent` holds the sums so far."""

    spent: Sums = field(default=(), kw_only=True)
    """The sums that the theorem is about, rounded up."""

    @abstractmethod
    def _cost(self, loss: Loss) -> Sums:
        """Return what a loss adds to the sums."""

    @abstractmethod
    def _share(self, sums: Sums) -> float:
        """Return the share of the budget that these sums take: within it while at most 1."""

    def admits(self, loss: Loss) -> bool:
        """Say whether this loss still fits."""
        return self._share(self._with(loss)) <= 1

    def spend(self, loss: Loss) -> Self:
        """Return the filter with this loss spent, or raise if it does not fit."""
        sums = self._with(loss)
        if self._share(sums) > 1:
            raise BudgetError(f"{loss!r} does not fit into what is left of the budget, {self.remaining():.2%}")
        return replace(self, spent=sums)

    def remaining(self) -> float:
        """Return the share of the budget that is left, from 1 to 0."""
        return max(0.0, 1 - self._share(self.spent))

    def fits(self, loss: Loss, most: int = 10**9) -> int:
        """Return how many more such losses fit, up to `most`."""
        low, high = 0, 1
        while high <= most and self.admits(loss * high):
            low, high = high, 2 * high
        high = min(high, most + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.admits(loss * middle) else (low, middle)
        return low

    def _with(self, loss: Loss) -> Sums:
        return tuple([_add_up(a, b) for a, b in zip(self.spent, self._cost(loss), strict=True)])


@dataclass(frozen=True)
class PureFilter(Filter):
    """Sum of epsilons at most `epsilon` (Rogers, Roth, Ullman, Vadhan 2016): pointwise, so adaptivity cannot hurt."""

    epsilon: float
    spent: Sums = field(default=(0.0,), kw_only=True)

    def __post_init__(self) -> None:
        check.positive("epsilon", self.epsilon)

    def _cost(self, loss: Loss) -> Sums:
        return (loss.pure,)

    def _share(self, sums: Sums) -> float:
        return _part(sums[0], self.epsilon)


@dataclass(frozen=True)
class ZcdpFilter(Filter):
    """delta-approximate rho-zCDP: sums of rho and of delta (Whitehouse, Ramdas, Rogers, Wu 2023, Theorem 1)."""

    rho: float
    delta: float = 0.0
    spent: Sums = field(default=(0.0, 0.0), kw_only=True)

    def __post_init__(self) -> None:
        check.positive("rho", self.rho)
        check.delta("delta", self.delta)

    def _cost(self, loss: Loss) -> Sums:
        charge = charge_of(loss)
        return charge.rho, charge.delta

    def _share(self, sums: Sums) -> float:
        return max(_part(sums[0], self.rho), _part(sums[1], self.delta))


@dataclass(frozen=True)
class RenyiFilter(Filter):
    """Sum of Renyi divergences of one order, fixed in advance (Feldman, Zrnic 2021, Theorem 4.3)."""

    alpha: float
    divergence: float
    spent: Sums = field(default=(0.0,), kw_only=True)

    def __post_init__(self) -> None:
        check.real("alpha", self.alpha, above=1)
        check.positive("divergence", self.divergence)

    def _cost(self, loss: Loss) -> Sums:
        return (_renyi(loss, self.alpha),)

    def _share(self, sums: Sums) -> float:
        return _part(sums[0], self.divergence)


@lru_cache(maxsize=1 << 16)
def _renyi(loss: Loss, alpha: float) -> float:
    return loss.renyi(alpha)


@dataclass(frozen=True)
class GaussianFilter(Filter):
    """Sum of mu^2 at most mu^2, for Gaussian losses only (Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2023)."""

    mu: float
    spent: Sums = field(default=(0.0,), kw_only=True)

    cap: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cap", float_down(Fraction(check.positive("mu", self.mu)) ** 2))

    def _cost(self, loss: Loss) -> Sums:
        return (_square(loss),)

    def _share(self, sums: Sums) -> float:
        return _part(sums[0], self.cap)


@lru_cache(maxsize=1 << 16)
def _square(loss: Loss) -> float:
    squares = []
    for part, count in loss.parts if isinstance(loss, ComposedLoss) else ((loss, 1),):
        if not isinstance(part, GaussianLoss) and part.pure > 0:
            raise DiscreetError(f"a Gaussian filter admits Gaussian losses only, not {part!r}")
        mu = part.mu if isinstance(part, GaussianLoss) else 0.0
        squares.append((_times_up(mu, mu), count))
    return _total(squares)


@dataclass(frozen=True)
class ApproximateFilter(Filter):
    """(epsilon, delta) spent by (epsilon_i, delta_i) releases (Whitehouse, Ramdas, Rogers, Wu 2023, Theorem 3).

    Half of delta is for the sum of the delta_i, half is delta' in sqrt(2 ln(1/delta') S) + S/2 <= epsilon, where S is
    the sum of epsilon_i^2.
    """

    epsilon: float
    delta: float
    spent: Sums = field(default=(0.0, 0.0), kw_only=True)
    cap: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.positive("epsilon", self.epsilon)
        check.real("delta", self.delta, above=0, below=1)
        object.__setattr__(self, "cap", _square_cap(self.epsilon, self.delta / 2))

    def _cost(self, loss: Loss) -> Sums:
        charge = charge_of(loss)
        if math.isinf(charge.epsilon):
            raise DiscreetError(f"this filter takes (epsilon, delta) losses, and {loss!r} has no epsilon of its own")
        return _epsilon_squares(loss), charge.delta

    def _share(self, sums: Sums) -> float:
        return max(_part(sums[0], self.cap), _part(sums[1], self.delta / 2))


@lru_cache(maxsize=1 << 16)
def _epsilon_squares(loss: Loss) -> float:
    parts = loss.parts if isinstance(loss, ComposedLoss) else ((loss, 1),)
    return _total([(_times_up(charge_of(part).epsilon, charge_of(part).epsilon), count) for part, count in parts])


@lru_cache(maxsize=1024)
def _square_cap(epsilon: float, delta: float) -> float:
    """Return the largest S with sqrt(2 ln(1/delta) S) + S/2 <= epsilon, rounded down: a quadratic in sqrt(S)."""

    def root() -> arb:
        log = -2 * ball(delta).log()
        return ((log + 2 * ball(epsilon)).sqrt() - log.sqrt()) ** 2

    return rounded_down(root)


@dataclass(frozen=True)
class BudgetFilter(Filter):
    """The budget's own filter, (E, D): admits while the deltas fit and one of two sums does.

    Half of D is for the sum of the charges' deltas, half for conversion. Admitted iff the deltas fit and (A) the sum of
    epsilons is at most E, or (B) the sum of rho is at most R, where R-zCDP implies (E, D/2)-differential privacy. With
    D = 0 only (A).

    Theorem. Whatever the analyst does, the transcript is (E, D)-differentially private.

    Proof. Let the deltas be 0 first. The transcript shows which charges were made, so it shows whether (A) holds at
    its end. Let S be a set of transcripts, S_A those of S that end with (A) true. Each of them has likelihood ratio
    at most e^(sum of its epsilons) <= e^E, so Pr[S_A] <= e^E Pr'[S_A]. Now run the same analyst against filter (B)
    alone. On a transcript that ends with (A) false, the last charges were admitted by (B); sums only grow, so (B)
    held at every earlier charge too, and this transcript has the same probability there. That filter is R-zCDP
    against every adaptive analyst (Whitehouse, Ramdas, Rogers, Wu 2023, Theorem 1), so Pr[S - S_A] <= e^E Pr'[S -
    S_A] + D/2. Add both lines. With deltas, each charge is, except with probability its delta, a charge as above
    (approximate DP and approximate zCDP are that by
    definition), and these exceptions add up to at most D/2 along every transcript.
    """

    epsilon: float
    delta: float = 0.0
    spent: Sums = field(default=(0.0, 0.0, 0.0), kw_only=True)
    cap: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.positive("epsilon", self.epsilon)
        check.delta("delta", self.delta)
        object.__setattr__(self, "cap", rho_cap(self.epsilon, self.delta / 2) if self.delta else 0.0)

    def _cost(self, loss: Loss) -> Sums:
        charge = charge_of(loss)
        return charge.epsilon, charge.rho, charge.delta

    def _share(self, sums: Sums) -> float:
        epsilon, rho, delta = sums
        return max(min(_part(epsilon, self.epsilon), _part(rho, self.cap)), _part(delta, self.delta / 2))


@lru_cache(maxsize=1024)
def rho_cap(epsilon: float, delta: float) -> float:
    """Return the largest rho, rounded down, that is proven to imply (epsilon, delta)-differential privacy."""
    return least_float(lambda rho: rho > 0 and ZcdpLoss(rho).delta(epsilon).high > delta)[0]


@dataclass(frozen=True)
class Odometer:
    """A running bound on what was spent, valid at every time at once (Whitehouse, Ramdas, Rogers, Wu 2023, section 5).

    Levels of rho double from `first`. While the sum of rho is at most level j, the privacy loss exceeds rho_j + 2
    sqrt(rho_j ln(1 / delta_j)) at any time with probability at most delta_j (Ville's inequality for the loss's
    supermartingale); the delta_j = delta / ((j + 1)(j + 2)) add up to delta over all levels.
    """

    delta: float
    first: float = 1e-4
    spent: Sums = field(default=(0.0, 0.0), kw_only=True)

    def __post_init__(self) -> None:
        check.real("delta", self.delta, above=0, below=1)
        check.positive("first", self.first)

    def spend(self, loss: Loss) -> Odometer:
        """Return the odometer after one more loss; there is no budget, so everything fits."""
        charge = charge_of(loss)
        return replace(self, spent=(_add_up(self.spent[0], charge.rho), _add_up(self.spent[1], charge.delta)))

    def reading(self) -> ApproximateLoss:
        """Return the (epsilon, delta) that all releases so far keep, read as often as one likes."""
        rho, delta = self.spent
        if not math.isfinite(rho):
            raise DiscreetError("a loss without a rho was spent: no epsilon bounds it")
        if rho == 0:
            return ApproximateLoss(0.0, delta)
        level = 0
        while self.first * 2.0**level < rho:
            level += 1
        top, miss = self.first * 2.0**level, self.delta / ((level + 1) * (level + 2))
        epsilon = rounded_up(lambda: ball(top) + 2 * (ball(top) * -ball(miss).log()).sqrt())
        return ApproximateLoss(epsilon, _add_up(self.delta, delta))


def filter_over(accounting: str, **budget: float) -> Filter:
    """Return the filter of that name: "pure", "zcdp", "renyi", "gaussian", "approximate" or "budget".

    Filters over privacy-loss distributions ("pld") or trade-off curves ("f-dp") are refused: those bounds hold for
    losses fixed in advance, and an analyst who picks the next loss by the last answer can exceed them.
    """
    if accounting in ("pld", "f-dp", "tradeoff", "accountant"):
        raise DiscreetError(
            f"no filter over {accounting!r} is valid: its bounds hold for losses fixed in advance, not for an analyst "
            "who picks the next one after seeing answers; use filter_over('budget', epsilon=..., delta=...)"
        )
    kinds: dict[str, Callable[..., Filter]] = {
        "pure": PureFilter,
        "zcdp": ZcdpFilter,
        "renyi": RenyiFilter,
        "gaussian": GaussianFilter,
        "approximate": ApproximateFilter,
        "budget": BudgetFilter,
    }
    return kinds[check.choice("accounting", accounting, tuple(kinds))](**budget)


def _part(spent: float, cap: float) -> float:
    """Return spent / cap, above 1 exactly when spent is above cap."""
    if spent <= cap:
        return min(1.0, spent / cap) if cap else 0.0
    return max(1.0 + 2.0**-52, spent / cap) if cap else math.inf
