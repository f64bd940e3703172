"""Dominating pairs of sampled releases, from the pair of the release on whatever was taken."""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.privacy.accountant.pairs import SAMPLED_ERROR, DominatingPair, Tails


def make_poisson_sampled(pair: DominatingPair, rate: float) -> tuple[DominatingPair, DominatingPair]:
    """Return Poisson sampling's two pairs: (mixture, Q) for remove and (Q, mixture) for add.

    The mixture is (1 - rate) Q + rate P, so its ratio to Q is 1 - rate + rate e^L (Zhu, Dong, Wang 2022, Theorem 11),
    and mixture minus Q is rate (P - Q): that keeps its digits however small the rate is.
    """
    atoms, atoms_mixed, atoms_q = _sample_atoms(pair, rate)
    above, below = pair.above, pair.below
    if above is None or below is None:
        remove = DominatingPair(None, None, atoms=atoms, masses=atoms_mixed, infinite=rate * pair.infinite)
        return remove, DominatingPair(None, None, atoms=-atoms, masses=atoms_q)

    def mix(tails: Tails) -> Tails:
        return Tails(rate * tails.p + (1 - rate) * tails.q, tails.q, rate * tails.excess)

    def mix_swapped(tails: Tails) -> Tails:
        return Tails(tails.q, rate * tails.p + (1 - rate) * tails.q, -rate * tails.excess)

    low, high = (float(sample_loss(np.array(end), rate)) for end in (pair.low, pair.high))
    contrast = rate * pair.contrast
    remove = DominatingPair(
        lambda x: mix(above(unsample_loss(x, rate))),
        lambda x: mix(below(unsample_loss(x, rate))),
        *(low, high, atoms, atoms_mixed, rate * pair.infinite, None, SAMPLED_ERROR, contrast),
    )
    add = DominatingPair(
        lambda x: mix_swapped(below(unsample_loss(-x, rate))),
        lambda x: mix_swapped(above(unsample_loss(-x, rate))),
        *(-high, -low, -atoms, atoms_q, 0.0, None, SAMPLED_ERROR, contrast),
    )
    return remove, add


def sample_loss(x: Floats, rate: float) -> Floats:
    """Return ln(1 - rate + rate e^x), also where e^x leaves the floats."""
    grown = rate * np.expm1(np.minimum(x, 600))
    with np.errstate(divide="ignore"):
        small = np.log((1 - rate) + rate * np.exp(np.minimum(x, 0)))  # 1 + grown would cancel at rates near 1
    return np.where(x > 600, x + np.log(rate), np.where(grown < -0.5, small, np.log1p(np.maximum(grown, -0.5))))


def unsample_loss(x: Floats, rate: float) -> Floats:
    """Undo `sample_loss`; -infinity at and below its least value, ln(1 - rate)."""
    inside = np.expm1(np.minimum(x, 600)) / rate
    with np.errstate(divide="ignore"):
        small = np.log(np.maximum(np.exp(np.minimum(x, 0)) - (1 - rate), 0.0) / rate)
        large = np.where(x > 600, x - np.log(rate), np.log1p(np.maximum(inside, -1.0)))
    return np.where(x < -1, small, large)  # there the rate is large, and 1 + inside would cancel


def _sample_atoms(pair: DominatingPair, rate: float) -> tuple[Floats, Floats, Floats]:
    """Return the atoms' losses after sampling, their masses in the mixture, and those under Q."""
    atoms = sample_loss(pair.atoms, rate)
    with np.errstate(divide="ignore"):
        atoms_q = np.exp(np.log(pair.masses) - pair.atoms)
    atoms_mixed = rate * pair.masses + (1 - rate) * atoms_q
    # Where P has none, Q has as much mass as P has where Q has none (the pair is symmetric), or what the atoms leave.
    alone = 1 - float(atoms_q.sum()) if pair.above is None else 0.0
    if abs(alone - pair.infinite) < 1e-12:  # but for round-off: the exact number is known
        alone = pair.infinite
    if alone > 0:
        atoms = np.append(atoms, [[np.log1p(-rate)]], axis=1)
        atoms_q = np.append(atoms_q, [[alone]], axis=1)
        atoms_mixed = np.append(atoms_mixed, [[(1 - rate) * alone]], axis=1)
    return atoms, atoms_mixed, atoms_q
