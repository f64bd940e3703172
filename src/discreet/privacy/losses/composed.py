"""Composition: several losses on the same data, as one loss."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.rounding import float_down, float_up
from discreet.privacy.certified import Certified
from discreet.privacy.loss import Loss, register_composer
from discreet.privacy.losses.composed_bounds import (
    LossCounts,
    add_up,
    bracket_delta_by_accountant,
    bracket_epsilon_by_accountant,
    find_closed_form,
    list_curves,
)
from discreet.privacy.losses.guarantees import PureLoss

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


NARROW = 1.001
"""A bracket no wider than this is not worth another bound: none can lie below its lower end."""


@dataclass(frozen=True, eq=False, repr=False)
class ComposedLoss(Loss):
    """Several releases on the same data, fixed in advance or each chosen from losses in this list.

    Its bounds are certified: `high` is the least of all bounds that apply (see `composed_bounds`), and `low` is below
    the truth for the worst mechanisms that the parts describe.
    """

    kind = "composed"
    parts: LossCounts

    @property
    def pure(self) -> float:
        """The sum of the parts' epsilons (basic composition), rounded up."""
        return self._pure

    @cached_property
    def _pure(self) -> float:
        return _round_up(add_up((loss.pure, count) for loss, count in self.parts))

    @property
    def exact_pure(self) -> Exact:
        """The sum of the parts' epsilons, exactly as they were stated."""
        return add_up((loss.exact_pure, count) for loss, count in self.parts)

    def exact_zcdp(self) -> Exact:
        """Return the sum of the parts' rho (Bun, Steinke 2016, Lemma 2.3), exactly as they were stated."""
        return add_up((loss.exact_zcdp(), count) for loss, count in self.parts)

    def zcdp(self) -> float:
        """Return the sum of the parts' rho, rounded up."""
        return self._rho

    @cached_property
    def _rho(self) -> float:
        return _round_up(add_up((loss.zcdp(), count) for loss, count in self.parts))

    def exact_renyi(self, alpha: Exact) -> Exact:
        """Return the sum of the parts' divergences of this order (Mironov 2017, Proposition 1)."""
        return add_up((loss.exact_renyi(alpha), count) for loss, count in self.parts)

    def _renyi(self, order: Exact) -> float:
        return _round_up(add_up((loss.renyi(order), count) for loss, count in self.parts))

    def _group(self, size: int) -> Loss:
        return compose((loss.group(size), count) for loss, count in self.parts)

    def replace(self) -> Loss:
        """Return the loss under replace neighbours, part by part."""
        return compose((loss.replace(), count) for loss, count in self.parts)

    def epsilon(self, delta: Exact) -> Certified:
        """Return the least epsilon >= 0 that goes with this delta in [0, 1)."""
        target = float_down(check.delta("delta", delta))
        closed = find_closed_form(self.parts)
        if closed is not None:
            above, below = closed
            return Certified(below.epsilon(delta).low, above.epsilon(delta).high)
        if target == 0.0:
            return Certified(self._pure_low() if delta == 0 else 0.0, self.pure)
        found = bracket_epsilon_by_accountant(self.parts, target)
        if found.high <= NARROW * found.low:
            return _take_least(found, [self.pure])
        curves = list_curves(self.parts, accounted=math.isfinite(found.high))
        highs = [curve.find_epsilon(target) for curve in curves]
        return _take_least(found, [self.pure, *highs])

    def _certified_delta(self, epsilon: Exact) -> Certified:
        closed = find_closed_form(self.parts)
        if closed is not None:
            above, below = closed
            return Certified(below._certified_delta(epsilon).low, above._certified_delta(epsilon).high)
        if epsilon >= self.pure:
            return Certified(0.0, 0.0)
        found = bracket_delta_by_accountant(self.parts, float_down(epsilon))
        curves = list_curves(self.parts, accounted=found.high < 1)
        return _take_least(found, [curve.find_delta(epsilon) for curve in curves])

    def _delta(self, epsilon: Exact) -> arb:
        raise AssertionError("a composition has no formula of its own")

    def _pure_low(self) -> float:
        if math.isinf(self.pure):
            return self.pure
        return float_down(sum((Fraction(loss._pure_low()) * count for loss, count in self.parts), Fraction(0)))

    def __repr__(self) -> str:
        return " + ".join(f"{loss!r} * {count}" if count > 1 else repr(loss) for loss, count in self.parts)

    def _write_parameters(self) -> dict[str, Any]:
        return {"parts": [[loss.to_dict(), count] for loss, count in self.parts]}

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        parts = parameters.pop("parts")
        if parameters:
            raise ValueError("a composed loss has parts and nothing else")
        return compose((Loss.from_dict(loss), check.integer("count", count, least=1)) for loss, count in parts)


def _take_least(found: Certified, bounds: list[float]) -> Certified:
    high = min([found.high, *bounds])
    return Certified(min(found.low, high), high, found.note)


def _round_up(total: Exact) -> float:
    return float_up(total) if math.isfinite(total) else math.inf
