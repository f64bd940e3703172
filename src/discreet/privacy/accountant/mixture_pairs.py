"""Dominating pairs of mixtures of Gaussians: noise moved by one of several shifts, drawn with known weights."""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.privacy.accountant.pairs import SAMPLED_ERROR, UNIT, DominatingPair, Tails

special = Later("scipy.special")

STEPS = 60
"""How often Newton's method is repeated at most; it converges in far fewer steps."""


def make_gaussian_mixture(shifts: list[float], weights: list[float]) -> tuple[DominatingPair, DominatingPair]:
    """Return the mixture of N(shift, 1) against N(0, 1), for remove, and the swapped pair, for add.

    The log ratio L(x) = ln of the sum of weight e^(shift x - shift^2 / 2) grows with x, since no shift is negative, so
    its tails are those of x. The mixture minus Q is a sum over the positive shifts: that keeps its digits.
    """
    c, w = np.array(shifts)[:, None], np.array(weights)[:, None]
    moved = c.ravel() > 0
    c, w = c[moved], w[moved]
    still = 1 - float(w.sum())

    def find_above(x: Floats) -> Tails:
        q: Floats = special.ndtr(-x)
        excess = (w * (special.ndtr(c - x) - q)).sum(axis=0)
        return Tails(q + excess, q, excess)

    def find_below(x: Floats) -> Tails:
        q: Floats = special.ndtr(x)
        excess = (w * (special.ndtr(x - c) - q)).sum(axis=0)
        return Tails(np.maximum(q + excess, (w * special.ndtr(x - c)).sum(axis=0)), q, excess)

    def swap(tails: Tails) -> Tails:
        return Tails(tails.q, tails.p, -tails.excess)

    low = float(np.log(still)) if still > 1e-15 else -np.inf
    contrast = float(w.sum())
    doubt = 64 * UNIT * contrast * (len(w) + float(c.max()))
    effort = max(1.0, 2.0 * len(w) - 8)
    remove = DominatingPair(
        lambda x: find_above(invert_loss(x.ravel(), c, w)),
        lambda x: find_below(invert_loss(x.ravel(), c, w)),
        *(low, np.inf),
        error=SAMPLED_ERROR,
        contrast=contrast,
        doubt=doubt,
        effort=effort,
    )
    add = DominatingPair(
        lambda x: swap(find_below(invert_loss(-x.ravel(), c, w))),
        lambda x: swap(find_above(invert_loss(-x.ravel(), c, w))),
        *(-np.inf, -low),
        error=SAMPLED_ERROR,
        contrast=contrast,
        doubt=doubt,
        effort=effort,
    )
    return remove, add


def invert_loss(loss: Floats, c: Floats, w: Floats) -> Floats:
    """Return the x with L(x) = loss: -infinity at and below the least loss.

    e^L - 1 is the sum of w (e^(c x - c^2 / 2) - 1). L is convex, so Newton's method from above the root falls to it;
    each shift alone gives a point above: c x - c^2 / 2 + ln w <= L(x).
    """
    wanted = np.expm1(np.minimum(loss, 700.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        x = np.min((loss - np.log(w) + c**2 / 2) / c, axis=0)
        reachable = wanted > -float(w.sum()) * (1 - 1e-15)
        close = False
        for _ in range(STEPS):
            exponents = np.minimum(c * x - c**2 / 2, 690.0)
            parts, found = w * np.exp(exponents), (w * np.expm1(exponents)).sum(axis=0)
            off = np.log1p((found - wanted) / np.maximum(1 + wanted, 1e-300))
            slope = (c * parts).sum(axis=0) / np.maximum(1 + found, 1e-300)
            move = np.where(reachable & np.isfinite(x), off / np.maximum(slope, 1e-300), 0.0)
            x = x - np.clip(move, -1e3, 1e3)
            if close:  # one step more than is needed: its error is the square of the last
                break
            close = not (np.abs(move) > 1e-8 * (1 + np.abs(x))).any()
    return np.where(reachable, x, -np.inf)
