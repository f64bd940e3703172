"""Composition: several losses on the same data, as one loss."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.rounding import ball, float_down, float_up, ratio_up, rounded_down, rounded_up
from discreet.privacy.accountant.bracket import bracket_delta, bracket_epsilon
from discreet.privacy.accountant.pairs import DominatingPair, Releases
from discreet.privacy.certified import Certified
from discreet.privacy.loss import Loss, register_composer
from discreet.privacy.losses.guarantees import ApproximateLoss, PureLoss, ZcdpLoss
from discreet.privacy.losses.noises import GaussianLoss

_SMALLEST = 2**1074
"""Every float is a multiple of the inverse of this."""

NOTHING = PureLoss(0.0)
"""The loss of releasing nothing."""


@register_composer
def compose(parts: Iterable[tuple[Loss, int]]) -> Loss:
    """Return the composition of losses, each with how often it occurs: the same value in whatever order.

    Equal losses are counted together and what costs nothing is left out.
    """
    counts: Counter[Loss] = Counter()
    for loss, count in parts:
        for part, times in loss.parts if isinstance(loss, ComposedLoss) else ((loss, 1),):
            counts[part] += times * count
    kept = [(loss, count) for loss, count in counts.items() if count and loss.pure > 0]
    if not kept:
        return NOTHING
    if len(kept) == 1 and kept[0][1] == 1:
        return kept[0][0]
    return ComposedLoss(tuple(sorted(kept, key=lambda part: part[0].to_json())))


@dataclass(frozen=True, repr=False)
class ComposedLoss(Loss):
    """Several releases on the same data, fixed in advance or each chosen from losses in this list.

    Its bounds are certified: `high` is the least of all bounds that apply (the accountant's, the sum of epsilons, the
    sum of rho), and `low` is below the truth for the worst mechanisms that the parts describe.
    """

    kind = "composed"
    parts: tuple[tuple[Loss, int], ...]

    @property
    def pure(self) -> float:
        """The sum of the parts' epsilons (basic composition)."""
        return _total((loss.pure, count) for loss, count in self.parts)

    def zcdp(self) -> float:
        """Return the sum of the parts' rho."""
        return self._rho

    @cached_property
    def _rho(self) -> float:
        return _total((loss.zcdp(), count) for loss, count in self.parts)

    def _renyi(self, order: Exact) -> float:
        return _total((loss._renyi(order), count) for loss, count in self.parts)

    def _group(self, size: int) -> Loss:
        return compose((loss.group(size), count) for loss, count in self.parts)

    def epsilon(self, delta: Exact) -> Certified:
        """Return the least epsilon >= 0 that goes with this delta in [0, 1)."""
        target = float_down(check.delta("delta", delta))
        closed = self._closed()
        if closed is not None:
            above, below = closed
            return Certified(below.epsilon(delta).low, above.epsilon(delta).high)
        if target == 0.0:
            return Certified(self._pure_low() if delta == 0 else 0.0, self.pure)
        directions, attained = (
            self._directions(lambda loss: loss.list_pairs()),
            self._directions(lambda loss: loss.list_attained_pairs()),
        )
        found = bracket_epsilon(directions, target, attained) if directions else Certified(0.0, math.inf)
        if attained is None:
            found = Certified(0.0, found.high)
        highs = [bound.epsilon(target).high for bound in self._simple()]
        rho, delta_sum = self._approximate_zcdp()
        if math.isfinite(rho) and 0 < delta_sum < target:
            highs.append(ZcdpLoss(rho).epsilon(Fraction(target) - Fraction(delta_sum)).high)
        return _take_least(found, highs)

    def _certified_delta(self, epsilon: Exact) -> Certified:
        closed = self._closed()
        if closed is not None:
            above, below = closed
            return Certified(below._certified_delta(epsilon).low, above._certified_delta(epsilon).high)
        directions, attained = (
            self._directions(lambda loss: loss.list_pairs()),
            self._directions(lambda loss: loss.list_attained_pairs()),
        )
        found = bracket_delta(directions, float_down(epsilon), attained) if directions else Certified(0.0, 1.0)
        if attained is None:
            found = Certified(0.0, found.high)
        highs = [bound._certified_delta(epsilon).high for bound in self._simple()]
        rho, delta_sum = self._approximate_zcdp()
        if math.isfinite(rho) and delta_sum > 0:
            high = Fraction(ZcdpLoss(rho)._certified_delta(epsilon).high) + Fraction(delta_sum)
            highs.append(min(1.0, float_up(high)))
        return _take_least(found, highs)

    def _delta(self, epsilon: Exact) -> arb:
        raise AssertionError("a composition has no formula of its own")

    def _closed(self) -> tuple[Loss, Loss] | None:
        """Return one loss with exactly this curve, where there is one: its parameter rounded up and rounded down."""
        kinds = {type(loss) for loss, _ in self.parts}
        if kinds == {GaussianLoss}:
            return _join_gaussians(self.parts), _join_gaussians(self.parts, rounded_down)
        if kinds == {ZcdpLoss}:
            rho = sum((Fraction(loss.zcdp()) * count for loss, count in self.parts), Fraction(0))
            return ZcdpLoss(self.zcdp()), ZcdpLoss(float_down(rho))
        return None

    def _simple(self) -> list[Loss]:
        """Return losses that bound this one from above: the sum of epsilons, and the sum of rho."""
        bounds: list[Loss] = []
        total = self.pure
        if math.isfinite(total):
            bounds.append(PureLoss(total))
        if math.isfinite(self.zcdp()):
            bounds.append(ZcdpLoss(self.zcdp()))
        return bounds

    def _approximate_zcdp(self) -> tuple[float, float]:
        """Return the sums of rho and delta: (epsilon, delta) is delta-approximate (epsilon^2 / 2)-zCDP."""
        if not any(isinstance(loss, ApproximateLoss) for loss, _ in self.parts):
            return self.zcdp(), 0.0
        pure = [(PureLoss(loss.epsilon_) if isinstance(loss, ApproximateLoss) else loss, n) for loss, n in self.parts]
        deltas = ((loss.delta_ if isinstance(loss, ApproximateLoss) else 0.0, count) for loss, count in self.parts)
        return _total((loss.zcdp(), count) for loss, count in pure), _total(deltas)

    def _pure_low(self) -> float:
        if math.isinf(self.pure):
            return self.pure
        return float_down(sum((Fraction(loss._pure_low()) * count for loss, count in self.parts), Fraction(0)))

    def _directions(self, pairs_of: Callable[[Loss], list[DominatingPair] | None]) -> list[Releases] | None:
        """Return what the accountant composes, for remove and for add; nothing if a part has no pair."""
        gaussians = tuple(part for part in self.parts if isinstance(part[0], GaussianLoss))
        rest = [part for part in self.parts if part not in gaussians]
        if gaussians:
            rest.append((_join_gaussians(gaussians), 1))
        listed = [(pairs_of(loss), count) for loss, count in rest]
        if any(pairs is None for pairs, _ in listed):
            return None
        known = [(pairs, count) for pairs, count in listed if pairs is not None]
        ways = max(len(pairs) for pairs, _ in known)
        return [[(pairs[way % len(pairs)], count) for pairs, count in known] for way in range(ways)]

    def __repr__(self) -> str:
        return " + ".join(f"{loss!r} * {count}" if count > 1 else repr(loss) for loss, count in self.parts)

    def _parameters(self) -> dict[str, Any]:
        return {"parts": [[loss.to_dict(), count] for loss, count in self.parts]}

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        parts = parameters.pop("parts")
        if parameters:
            raise ValueError("a composed loss has parts and nothing else")
        return compose((Loss.from_dict(loss), check.integer("count", count, least=1)) for loss, count in parts)


def _join_gaussians(
    parts: Iterable[tuple[Loss, int]], rounded: Callable[[Callable[[], arb]], float] = rounded_up
) -> GaussianLoss:
    """Return one Gaussian loss with the mu^2 of all (Dong, Roth, Su 2022, Corollary 3.3)."""
    squares = sum(
        (Fraction(loss.mu) ** 2 * count for loss, count in parts if isinstance(loss, GaussianLoss)), Fraction(0)
    )
    return GaussianLoss(rounded(lambda: ball(squares).sqrt()))


def _take_least(found: Certified, bounds: list[float]) -> Certified:
    high = min([found.high, *bounds])
    return Certified(min(found.low, high), high)


def _total(parts: Iterable[tuple[float, int]]) -> float:
    """Return the sum of value * count, exact until it is rounded up once."""
    total = 0
    for value, count in parts:
        if math.isinf(value):
            return math.inf
        above, below = value.as_integer_ratio()
        total += above * (_SMALLEST // below) * count
    return ratio_up(Fraction(total, _SMALLEST), 1)
