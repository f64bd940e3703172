"""All bounds on a composition: the accountant's, and those of curves that are easy to add up.

Each curve is an upper bound on delta(epsilon) of the whole; the least of all is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from discreet.base.check import Exact
from discreet.base.rounding import ball, down, float_down, float_up, precision, up
from discreet.privacy.accountant.bracket import bracket_delta, bracket_epsilon
from discreet.privacy.accountant.limits import explain_atoms, explain_coarse_grid, explain_refusal
from discreet.privacy.accountant.pairs import HUGE, DominatingPair, Releases
from discreet.privacy.amounts import read_decimal, read_down, read_up
from discreet.privacy.certified import Certified
from discreet.privacy.conversions import choose_orders, convert_to_delta, convert_to_epsilon
from discreet.privacy.loss import Loss, combine
from discreet.privacy.losses.concentrated import OffsetZcdpLoss, ZcdpLoss
from discreet.privacy.losses.guarantees import ApproximateLoss, PureLoss
from discreet.privacy.losses.noises import GaussianLoss
from discreet.privacy.losses.renyi import RenyiLoss

LossCounts = tuple[tuple[Loss, int], ...]
"""What is composed: losses, each with how often it occurs."""

SHARES = (Fraction(1, 2), Fraction(9, 10), Fraction(1, 10))
"""How delta is split between two groups of losses that have no other bound in common."""

LARGEST_ORDER = 10_000
"""Renyi divergences of larger orders are not tried; where there are many losses, only smaller ones."""

MOST_RENYI = 1000
"""The most different losses whose Renyi divergences are added up."""


class UpperCurve(Protocol):
    """An upper bound on the curve of a composition."""

    def find_epsilon(self, delta: float) -> float:
        """Return an epsilon that goes with this delta > 0, or infinity."""

    def find_delta(self, epsilon: Exact) -> float:
        """Return a delta that goes with this epsilon, at most 1."""


def find_closed_form(parts: LossCounts) -> tuple[Loss, Loss] | None:
    """Return one loss with exactly this curve, where there is one: its parameters rounded up and rounded down."""
    kinds = {type(loss) for loss, _ in parts}
    if kinds == {GaussianLoss}:
        return join_gaussians(parts)
    if kinds <= {ZcdpLoss, OffsetZcdpLoss}:
        above, below = (_add_zcdp(parts, read) for read in (read_up, read_down))
        return OffsetZcdpLoss(*above), OffsetZcdpLoss(*below)
    return None


def _add_zcdp(parts: LossCounts, read: Callable[[Exact], float]) -> tuple[Fraction, Fraction]:
    """Return the sums of xi and of rho."""
    xi, rho = Fraction(0), Fraction(0)
    for loss, count in parts:
        if isinstance(loss, ZcdpLoss | OffsetZcdpLoss):
            rho += Fraction(read(loss.rho)) * count
        if isinstance(loss, OffsetZcdpLoss):
            xi += Fraction(read(loss.xi)) * count
    return xi, rho


def join_gaussians(parts: LossCounts) -> tuple[GaussianLoss, GaussianLoss]:
    """Return one Gaussian loss with the mu^2 of all, rounded up and down (Dong, Roth, Su 2022, Corollary 3.3)."""
    squares = [
        sum((Fraction(read(loss.mu)) ** 2 * n for loss, n in parts if isinstance(loss, GaussianLoss)), Fraction(0))
        for read in (read_up, read_down)
    ]
    with precision():
        above, below = up(ball(squares[0]).sqrt()), down(ball(squares[1]).sqrt())
    return GaussianLoss(Fraction(above)), GaussianLoss(Fraction(below))


def add_up(terms: Iterable[tuple[Exact, int]]) -> Exact:
    """Return the sum of value * count, exactly."""
    total = Fraction(0)
    for value, count in terms:
        if math.isinf(value):
            return math.inf
        total += Fraction(value) * count
    return total


def bracket_epsilon_by_accountant(parts: LossCounts, delta: float) -> Certified:
    """Bracket epsilon by the accountant; (0, infinity) where it has nothing to say."""
    return _ask_accountant(parts, lambda ways, attained: bracket_epsilon(ways, delta, attained), math.inf)


def bracket_delta_by_accountant(parts: LossCounts, epsilon: float) -> Certified:
    """Bracket delta by the accountant; (0, 1) where it has nothing to say."""
    return _ask_accountant(parts, lambda ways, attained: bracket_delta(ways, epsilon, attained), 1.0)


def _ask_accountant(
    parts: LossCounts, ask: Callable[[list[Releases], list[Releases] | None], Certified], worst: float
) -> Certified:
    """Ask the accountant about what dominates the losses and what attains them: Gaussian ones joined to one."""
    gaussians = tuple(part for part in parts if isinstance(part[0], GaussianLoss))
    rest = [part for part in parts if not isinstance(part[0], GaussianLoss)]
    above, below = join_gaussians(gaussians) if gaussians else (None, None)
    if not all(_is_moderate(loss) for loss, _ in rest):
        return Certified(0.0, worst)
    directions, note = _list_directions(_join(rest, above), lambda loss: loss.list_pairs())
    if directions is None:
        return Certified(0.0, worst, note)
    attained, _ = _list_directions(_join(rest, below), lambda loss: loss.list_attained_pairs())
    found = ask(directions, attained)
    low = found.low if attained is not None else 0.0
    return Certified(low, found.high, note if found.high > 1.01 * low else "")


def _is_moderate(loss: Loss) -> bool:
    """Say whether the loss is not so large that its pair would tell all."""
    return not HUGE < loss.pure < math.inf


def _join(rest: list[tuple[Loss, int]], joined: Loss | None) -> list[tuple[Loss, int]]:
    return rest if joined is None else [*rest, (joined, 1)]


def _list_directions(
    losses: list[tuple[Loss, int]], list_pairs: Callable[[Loss], list[DominatingPair] | None]
) -> tuple[list[Releases] | None, str]:
    """Return what the accountant composes, for remove and for add, or nothing; and what the limits have to say."""
    known: list[tuple[list[DominatingPair], int]] = []
    atoms = 0
    for loss, count in losses:
        pairs = list_pairs(loss)
        if pairs is None:
            too_large = type(loss).list_pairs is not Loss.list_pairs
            return None, f"the accountant was left out: {loss!r} has too many outcomes" if too_large else ""
        known.append((pairs, count))
        atoms += sum(pair.atoms.size for pair in pairs)
        if refusal := explain_atoms(atoms):
            return None, f"the accountant was left out: {refusal}"
    ways = max(len(pairs) for pairs, _ in known)
    directions = [[(pairs[way % len(pairs)], count) for pairs, count in known] for way in range(ways)]
    if refusal := explain_refusal(directions[0]):
        return None, f"the accountant was left out: {refusal}"
    return directions, explain_coarse_grid(directions[0])


def list_curves(parts: LossCounts, accounted: bool) -> Iterator[UpperCurve]:
    """Yield curves that bound the composition of these losses: more of them where the accountant gave no bound."""
    stripped, lost = _strip_deltas(parts)
    rho = add_up((loss.zcdp(), count) for loss, count in stripped)
    if lost < 1 and math.isfinite(rho):
        yield MovedCurve(ZcdpLoss(rho), Fraction(0), lost)
    if accounted or lost >= 1:
        return
    if len(parts) <= MOST_RENYI:
        yield RenyiCurve(stripped, lost)
    huge = {loss for loss, _ in stripped if not _is_moderate(loss)}
    pure = {loss for loss, _ in stripped if math.isfinite(loss.pure)}
    for chosen in (huge, pure) if huge != pure else (pure,):
        rest = tuple(part for part in stripped if part[0] not in chosen)
        if chosen and rest:
            moved = add_up((loss.pure, count) for loss, count in stripped if loss in chosen)
            yield MovedCurve(combine(rest), Fraction(moved), lost)
    with_pairs = tuple(part for part in parts if part[0].has_pairs)
    without = tuple(part for part in parts if not part[0].has_pairs)
    if with_pairs and without and not huge:
        yield SplitCurve(combine(with_pairs), combine(without))


def _strip_deltas(parts: LossCounts) -> tuple[LossCounts, Fraction]:
    """Return the losses without their deltas, and the sum of those.

    (epsilon, delta)-differential privacy is epsilon-differential privacy but for events of probability delta.
    """
    lost = Fraction(0)
    stripped: list[tuple[Loss, int]] = []
    for loss, count in parts:
        if isinstance(loss, ApproximateLoss):
            lost += Fraction(read_up(loss.delta_)) * count
            stripped.append((PureLoss(loss.epsilon_), count))
        else:
            stripped.append((loss, count))
    return tuple(stripped), lost


@dataclass(frozen=True)
class MovedCurve:
    """The curve of a loss, moved by an epsilon and by a delta."""

    loss: Loss
    moved: Fraction
    lost: Fraction

    def find_epsilon(self, delta: float) -> float:
        """Return the loss's epsilon at what is left of delta, and what it is moved by."""
        left = Fraction(delta) - self.lost
        found = self.loss.epsilon(left).high if left > 0 else math.inf
        return float_up(Fraction(found) + self.moved) if math.isfinite(found) else math.inf

    def find_delta(self, epsilon: Exact) -> float:
        """Return the loss's delta at what is left of epsilon, and what was lost."""
        left = Fraction(epsilon) - self.moved
        if left < 0:
            return 1.0
        return min(1.0, float_up(Fraction(self.loss._certified_delta(float_down(left)).high) + self.lost))


@dataclass(frozen=True)
class RenyiCurve:
    """The sum of Renyi divergences, converted at the best of some orders (Mironov 2017, Proposition 1)."""

    parts: LossCounts
    lost: Fraction

    def _list_divergences(self) -> Iterator[tuple[Fraction, float]]:
        given = [
            [read_decimal(order) for order in loss.orders] for loss, _ in self.parts if isinstance(loss, RenyiLoss)
        ]
        tried = Fraction(min(LARGEST_ORDER, max(64, 200_000 // len(self.parts))))
        most = min([tried, *(orders[-1] for orders in given)])
        whole = combine(self.parts)
        for order in choose_orders([order for orders in given for order in orders], most, len(self.parts) > 20):
            divergence = whole.renyi(order)
            if math.isfinite(divergence):
                yield order, divergence

    def find_epsilon(self, delta: float) -> float:
        """Return the least epsilon of all orders."""
        left = Fraction(delta) - self.lost
        if left <= 0:
            return math.inf
        found = [convert_to_epsilon(order, size, left) for order, size in self._list_divergences()]
        return min(found, default=math.inf)

    def find_delta(self, epsilon: Exact) -> float:
        """Return the least delta of all orders."""
        best = 1.0
        for order, size in self._list_divergences():
            with precision():
                best = min(best, up(convert_to_delta(ball(order), ball(size), ball(epsilon)) + ball(self.lost)))
        return best


@dataclass(frozen=True)
class SplitCurve:
    """Basic composition of two losses: epsilons add up, and so do deltas."""

    first: Loss
    second: Loss

    def find_epsilon(self, delta: float) -> float:
        """Return the least sum of epsilons over some splits of delta."""
        found = math.inf
        for share in SHARES:
            one = self.first.epsilon(share * Fraction(delta)).high
            two = self.second.epsilon((1 - share) * Fraction(delta)).high
            if math.isfinite(one + two):
                found = min(found, float_up(Fraction(one) + Fraction(two)))
        return found

    def find_delta(self, epsilon: Exact) -> float:
        """Return the least sum of deltas over some splits of epsilon."""
        found = 1.0
        for share in SHARES:
            own = float_down(share * Fraction(epsilon))
            one = self.first._certified_delta(own).high
            two = self.second._certified_delta(float_down(Fraction(epsilon) - Fraction(own))).high
            found = min(found, float_up(Fraction(one) + Fraction(two)))
        return found
