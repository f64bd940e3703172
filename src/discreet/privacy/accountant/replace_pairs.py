"""Dominating pairs of sampled releases under replace neighbours: both directions have one curve.

A curve h on epsilon >= 0 that bounds both directions is that of a pair whose law is h's own above 0 and mirrored
below: Pr_P[L < -x] = Pr_Q[L > x]. What is left over has loss 0 (Zhu, Dong, Wang 2022, Propositions 8 and 9).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.privacy.accountant.pairs import HUGE, SAMPLED_ERROR, DominatingPair, Tails
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled, sample_loss, unsample_loss

special = Later("scipy.special")

TailFunction = Callable[[Floats], Tails]

MOST_KINKS = 4096
"""The most points that a curve is known at; between them it is a straight line, which lies above it."""


def make_fixed_size_sampled(pair: DominatingPair, rate: float) -> DominatingPair:
    """Return the pair of a sample of fixed size, replace neighbours, from one that dominates the base under replace.

    On epsilon >= 0 both directions have at most the curve of ((1 - rate) Q + rate P, Q) (Balle, Barthe, Gaboardi
    2018, Theorems 2 and 9).
    """
    remove, _ = make_poisson_sampled(pair, rate)
    return mirror_pair(remove)


def mirror_pair(pair: DominatingPair) -> DominatingPair:
    """Return the pair that has this one's curve on epsilon >= 0 in both directions."""
    chosen = pair.atoms[0] > 0
    atoms, masses = pair.atoms[0, chosen], pair.masses[0, chosen]
    mirrored = masses * np.exp(-atoms)
    above = pair.above
    start = Tails(*(np.zeros(1),) * 3) if above is None else above(np.zeros(1))
    held = float(start.p.ravel()[0] + start.q.ravel()[0]) + float(masses.sum() + mirrored.sum()) + pair.infinite
    every = np.concatenate([-atoms, [0.0], atoms])[None, :]
    weights = np.concatenate([mirrored, [max(0.0, 1 - held)], masses])[None, :]
    if above is None:
        return DominatingPair(None, None, atoms=every, masses=weights, infinite=pair.infinite)
    over, under = _mirror_tails(above, start)
    return DominatingPair(
        over,
        under,
        -pair.high,
        pair.high,
        atoms=every,
        masses=weights,
        infinite=pair.infinite,
        error=max(pair.error, SAMPLED_ERROR),
        contrast=pair.contrast,
    )


def _mirror_tails(above: TailFunction, start: Tails) -> tuple[TailFunction, TailFunction]:
    """Return the tails above and below of a law that is given above 0, and mirrored below; `start` is all above 0."""
    p, q, _ = (float(side.ravel()[0]) for side in start)

    def find_above(x: Floats) -> Tails:
        tails = Tails(*(side.ravel() for side in above(np.abs(x))))
        right = x >= 0
        return Tails(np.where(right, tails.p, p + q - tails.q), np.where(right, tails.q, p + q - tails.p), tails.excess)

    def find_below(x: Floats) -> Tails:
        tails = Tails(*(side.ravel() for side in above(np.abs(x))))
        left = x < 0
        return Tails(np.where(left, tails.q, p + q - tails.p), np.where(left, tails.p, p + q - tails.q), -tails.excess)

    return find_above, find_below


def make_replace_sampled_gaussian(mu: float, rate: float) -> DominatingPair:
    """Return (1 - rate) N(0, 1) + rate N(mu, 1) against (1 - rate) N(0, 1) + rate N(-mu, 1).

    The log ratio L(x) is odd and grows, and mu x = L / 2 + asinh((1 - rate) / rate e^(mu^2 / 2) sinh(L / 2)).
    """
    factor = (1 - rate) / rate * np.exp(mu * mu / 2)

    def find_place(loss: Floats) -> Floats:
        half = np.clip(loss / 2, -300.0, 300.0)
        place: Floats = (loss / 2 + np.arcsinh(factor * np.sinh(half))) / mu
        return place

    def measure(x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return P, Q and P - Q beyond x."""
        near, plain, far = special.ndtr(mu - x), special.ndtr(-x), special.ndtr(-mu - x)
        return (1 - rate) * plain + rate * near, (1 - rate) * plain + rate * far, rate * (near - far)

    def above(loss: Floats) -> Tails:
        return Tails(*measure(find_place(loss)))

    def below(loss: Floats) -> Tails:
        q, p, lack = measure(find_place(-loss))
        return Tails(p, q, -lack)

    return DominatingPair(above, below, -np.inf, np.inf, error=SAMPLED_ERROR, contrast=rate)


def make_replace_sampled(near: DominatingPair, far: DominatingPair, rate: float) -> DominatingPair:
    """Return the pair of a Poisson sample under replace neighbours.

    `near` dominates the base where a unit is added or removed, `far` where one is replaced. With alpha' = e^epsilon,
    alpha = 1 + (alpha' - 1) / rate and D1, D2 the base's curves, the curve is

    h(alpha') = rate (1 - rate) (1 - 1 / alpha) D1(alpha) + (rate^2 + rate (1 - rate) / alpha) D2(alpha)

    (see `losses.replace_sampled` for the proof). Its slope gives Pr_Q[L > epsilon], and h + alpha' times that is
    Pr_P. Where the base's losses are atoms, h is connected by straight lines between them, which only raises it.
    """
    if near.above is None and far.above is None:
        return mirror_pair(_connect_kinks(near, far, rate))

    atoms, masses = _list_replace_atoms(near, far, rate)
    atoms_q, atoms_excess = masses * np.exp(-atoms), masses * -np.expm1(-atoms)

    def above(x: Floats) -> Tails:
        p, q, excess = _find_replace_tails(near, far, rate, np.maximum(unsample_loss(x.ravel(), rate), 0.0))
        further = atoms[None, :] > x.reshape(-1, 1)
        own_q, own_excess = (further * atoms_q).sum(axis=1), (further * atoms_excess).sum(axis=1)
        return Tails(
            np.maximum(p - own_q - own_excess, 0.0), np.maximum(q - own_q, 0.0), np.maximum(excess - own_excess, 0.0)
        )

    top = float(sample_loss(np.array(max(near.high, far.high)), rate))
    own = DominatingPair(above, above, 0.0, top, atoms[None, :], masses[None, :], 0.0, None, SAMPLED_ERROR, rate)
    return mirror_pair(own)


class _AllTails:
    """The masses of all losses of a pair beyond any x, atoms and infinite loss included."""

    def __init__(self, pair: DominatingPair) -> None:
        order = np.argsort(pair.atoms[0])
        self._pair, self._losses = pair, pair.atoms[0, order]
        masses = pair.masses[0, order]
        with np.errstate(over="ignore"):
            parts = (masses * np.exp(-self._losses), masses * -np.expm1(-self._losses))
        self._q, self._excess = (np.append(np.cumsum(part[::-1])[::-1], 0.0) for part in parts)

    def find(self, x: Floats) -> Tails:
        """Return the masses beyond each x >= 0."""
        place = np.searchsorted(self._losses, x, side="right")
        q, excess = self._q[place], self._excess[place] + self._pair.infinite
        if self._pair.above is None:
            return Tails(q + excess, q, excess)
        tails = self._pair.above(x)
        return Tails(q + excess + tails.p.ravel(), q + tails.q.ravel(), excess + tails.excess.ravel())


def _find_curve(tails: Tails, x: Floats) -> Floats:
    """Return D(e^x) = P - e^x Q of the losses beyond x, where e^x may leave the floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        taken = np.where(tails.q > 0, np.expm1(np.minimum(x, 700.0)) * tails.q, 0.0)
    return np.maximum(tails.excess - taken, 0.0)


def _find_replace_tails(near: DominatingPair, far: DominatingPair, rate: float, x: Floats) -> Tails:
    """Return Pr_P, Pr_Q and their difference beyond the loss that x becomes by sampling."""
    one, two = _AllTails(near).find(x), _AllTails(far).find(x)
    first, second = _find_curve(one, x), _find_curve(two, x)
    inverse = np.exp(-x)
    closer, further = (1 - rate) * -np.expm1(-x), rate + (1 - rate) * inverse
    q = closer * one.q + further * two.q + (1 - rate) * np.maximum(second - first, 0.0) * inverse**2
    curve = rate * (closer * first + further * second)
    with np.errstate(over="ignore", invalid="ignore"):
        grown = np.where(q > 0, rate * np.expm1(np.minimum(x, 700.0)) * q, 0.0)
    excess = curve + grown
    return Tails(q + excess, q, excess)


def _list_replace_atoms(near: DominatingPair, far: DominatingPair, rate: float) -> tuple[Floats, Floats]:
    """Return the losses where the slope of h jumps, and their P-masses."""
    losses, masses = [], []
    for pair, plain, inverse in ((near, 1 - rate, rate - 1), (far, rate, 1 - rate)):
        chosen = pair.atoms[0] > 0
        atoms = pair.atoms[0, chosen]
        after = sample_loss(atoms, rate)
        losses.append(after)
        masses.append((plain + inverse * np.exp(-atoms)) * pair.masses[0, chosen] * np.exp(after - atoms))
    return np.concatenate(losses), np.concatenate(masses)


def _connect_kinks(near: DominatingPair, far: DominatingPair, rate: float) -> DominatingPair:
    """Return the positive half of a pair whose curve is h between straight lines, from 0 over all atoms.

    Beyond the last atom h is below its value there: that much is infinite loss.
    """
    points = np.unique(np.concatenate([[0.0], near.atoms[0], far.atoms[0]]))
    points = points[(points >= 0) & (points <= HUGE)]
    points = points[np.unique(np.linspace(0, len(points) - 1, min(len(points), MOST_KINKS)).astype(np.int64))]
    first, second = (_find_curve(_AllTails(pair).find(points), points) for pair in (near, far))
    curve = rate * ((1 - rate) * -np.expm1(-points) * first + (rate + (1 - rate) * np.exp(-points)) * second)
    after = sample_loss(points, rate)
    curve, after = _take_lower_hull(curve * (1 + SAMPLED_ERROR), after)
    slopes = np.append(-np.diff(curve) / (np.exp(after[:-1]) * np.expm1(np.diff(after))), 0.0)
    q = np.maximum(np.append(np.inf, slopes[:-1]) - slopes, 0.0)[1:]
    masses = q * np.exp(after[1:]) * (1 + SAMPLED_ERROR)
    return DominatingPair(
        None, None, atoms=after[1:][None, :], masses=masses[None, :], infinite=float(curve[-1]), error=SAMPLED_ERROR
    )


def _take_lower_hull(curve: Floats, losses: Floats) -> tuple[Floats, Floats]:
    """Leave out points above the line through their neighbours: a convex curve below all points is below that too."""
    kept: list[int] = []
    for place in range(len(curve)):
        while len(kept) >= 2:
            left, middle = kept[-2], kept[-1]
            width, part = np.expm1(losses[place] - losses[left]), np.expm1(losses[middle] - losses[left])
            if (curve[middle] - curve[left]) * width < (curve[place] - curve[left]) * part:
                break
            kept.pop()
        kept.append(place)
    return curve[kept], losses[kept]
