"""Filters: may this analyst ask one more, having seen all earlier answers?

A filter is an immutable value. Each one cites the theorem that keeps it valid when the analyst chooses the next loss
after seeing every earlier answer. Bounds on privacy-loss distributions or trade-off curves have no such theorem and
are refused.

Caps and losses are amounts (see `amounts`): what somebody writes as a float is the decimal that it prints as, and sums
of such decimals are exact, so that ten losses of 0.1 fill a cap of 1. What code computed is added as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import DiscreetError
from discreet.base.rounding import ball, rounded_down
from discreet.privacy.amounts import read_decimal
from discreet.privacy.budget import BudgetFilter
from discreet.privacy.charges import charge_of, times_up, total_up
from discreet.privacy.filter import Filter, Sums, find_share
from discreet.privacy.loss import Loss
from discreet.privacy.losses.composed import ComposedLoss
from discreet.privacy.losses.noises import GaussianLoss


@dataclass(frozen=True)
class PureFilter(Filter):
    """Sum of epsilons at most `epsilon` (Rogers, Roth, Ullman, Vadhan 2016): pointwise, so adaptivity cannot hurt."""

    epsilon: float
    spent: Sums = field(default=(0.0,), kw_only=True)

    def __post_init__(self) -> None:
        check.positive("epsilon", self.epsilon)

    def _cost(self, loss: Loss) -> Sums:
        return (loss.exact_pure,)

    def _share(self, sums: Sums) -> float:
        return find_share(sums[0], read_decimal(self.epsilon))

    def _fits(self, sums: Sums) -> bool:
        return sums[0] <= read_decimal(self.epsilon)


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
        return max(find_share(sums[0], read_decimal(self.rho)), find_share(sums[1], read_decimal(self.delta)))

    def _fits(self, sums: Sums) -> bool:
        return sums[0] <= read_decimal(self.rho) and (sums[1] == 0 or sums[1] <= read_decimal(self.delta))


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
        return (_find_renyi(loss, self.alpha),)

    def _share(self, sums: Sums) -> float:
        return find_share(sums[0], read_decimal(self.divergence))

    def _fits(self, sums: Sums) -> bool:
        return sums[0] <= read_decimal(self.divergence)


@lru_cache(maxsize=1 << 16)
def _find_renyi(loss: Loss, alpha: float) -> Exact:
    return loss.exact_renyi(alpha)


@dataclass(frozen=True)
class GaussianFilter(Filter):
    """Sum of mu^2 at most mu^2, for Gaussian losses only (Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2023)."""

    mu: float
    spent: Sums = field(default=(0.0,), kw_only=True)

    def __post_init__(self) -> None:
        check.positive("mu", self.mu)

    def _cost(self, loss: Loss) -> Sums:
        return (_add_squares(loss),)

    def _share(self, sums: Sums) -> float:
        return find_share(sums[0], _find_cap(self.mu))

    def _fits(self, sums: Sums) -> bool:
        return sums[0] <= _find_cap(self.mu)


@lru_cache(maxsize=1024, typed=True)
def _find_cap(mu: Exact) -> Fraction:
    return read_decimal(mu) ** 2


@lru_cache(maxsize=1 << 16)
def _add_squares(loss: Loss) -> Exact:
    squares: list[tuple[Exact, int]] = []
    for part, count in loss.parts if isinstance(loss, ComposedLoss) else ((loss, 1),):
        if not isinstance(part, GaussianLoss) and part.pure > 0:
            raise DiscreetError(f"a Gaussian filter admits Gaussian losses only, not {part!r}")
        squares.append((part.stated**2 if isinstance(part, GaussianLoss) else Fraction(0), count))
    return total_up(squares)


@dataclass(frozen=True)
class ApproximateFilter(Filter):
    """(epsilon, delta) spent by (epsilon_i, delta_i) releases (Whitehouse, Ramdas, Rogers, Wu 2023, Theorem 3).

    Half of delta is for the sum of the delta_i, half is delta' in sqrt(2 ln(1/delta') S) + S/2 <= epsilon, where S is
    the sum of epsilon_i^2.
    """

    epsilon: float
    delta: float
    spent: Sums = field(default=(0.0, 0.0), kw_only=True)
    cap: Fraction = field(init=False, repr=False)
    half: Fraction = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.positive("epsilon", self.epsilon)
        check.real("delta", self.delta, above=0, below=1)
        object.__setattr__(self, "half", read_decimal(self.delta) / 2)
        object.__setattr__(self, "cap", _find_square_cap(read_decimal(self.epsilon), self.half))

    def _cost(self, loss: Loss) -> Sums:
        charge = charge_of(loss)
        if math.isinf(charge.epsilon):
            raise DiscreetError(f"this filter takes (epsilon, delta) losses, and {loss!r} has no epsilon of its own")
        return _add_epsilon_squares(loss), charge.delta

    def _share(self, sums: Sums) -> float:
        return max(find_share(sums[0], self.cap), find_share(sums[1], self.half))

    def _fits(self, sums: Sums) -> bool:
        return sums[0] <= self.cap and sums[1] <= self.half


@lru_cache(maxsize=1 << 16)
def _add_epsilon_squares(loss: Loss) -> Exact:
    parts = loss.parts if isinstance(loss, ComposedLoss) else ((loss, 1),)
    return total_up([(times_up(charge_of(part).epsilon, charge_of(part).epsilon), count) for part, count in parts])


@lru_cache(maxsize=1024)
def _find_square_cap(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest S with sqrt(2 ln(1/delta) S) + S/2 <= epsilon, rounded down: a quadratic in sqrt(S)."""

    def root() -> arb:
        log = -2 * ball(delta).log()
        return ((log + 2 * ball(epsilon)).sqrt() - log.sqrt()) ** 2

    return Fraction(rounded_down(root))


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
