"""Bounded plan to price: which noise, how the charge is split, what it costs, and how far answers will be off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.base.rounding import ball, float_down, float_up, ratio_up, rounded_up
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.gaussian import analytic_sigma
from discreet.plan.bounded import Measure, Part
from discreet.policy.model import Policy
from discreet.privacy.charges import Charge, add_up
from discreet.privacy.guarantees import PureLoss
from discreet.query.bound import Bounded

ROWS = 1 << 48
"""No table has more rows."""

DIGITS = 10**38

Noise = Laplace | Gaussian


@dataclass(frozen=True, slots=True)
class Price:
    """What a question costs and how its measures are released: one noise each, and its share of the charge.

    Theorem (basic composition; Dwork, McSherry, Nissim, Smith 2006): Laplace noise of scale L1 / (share * epsilon) on
    each measure is (sum of shares) * epsilon = epsilon-differentially private. (Dong, Roth, Su 2022): Gaussian noise
    of sigma = L2 / (sqrt(share) * mu) on each is mu-Gaussian differentially private, and its curve gives the delta.
    """

    bounded: Bounded
    noises: tuple[Noise, ...]
    shares: tuple[Fraction, ...]
    charge: Charge
    guarantee: str


def price(bounded: Bounded, policy: Policy, epsilon: Fraction | None = None, rho: Fraction | None = None) -> Price:
    """Return the price of a question at this epsilon (the noise that errs less) or rho (Gaussian noise)."""
    for measure in bounded.plan.measures:
        if measure.reach * ROWS >= DIGITS:
            raise QueryError("a sum here could leave 38 digits; declare narrower bounds or a larger step")
    shares = _shares(bounded)
    if rho is not None:
        if policy.delta == 0:
            raise QueryError("rho= needs a budget with delta > 0; ask with epsilon= instead")
        sigma = rounded_up(lambda: 1 / (2 * ball(rho)).sqrt())
        words = f"{_decimal(rho)}-zCDP"
        return _gaussian(bounded, shares, sigma, Charge(math.inf, rho), words)
    assert epsilon is not None
    laplace = _laplace(bounded, shares, epsilon)
    if policy.question_delta == 0:
        return laplace
    sigma = analytic_sigma(float_down(epsilon), float_down(policy.question_delta), 1)
    words = f"({_decimal(epsilon)}, {float(policy.question_delta):g})-differentially private"
    try:
        gaussian = _gaussian(bounded, shares, sigma, None, words)
    except ParameterError:  # beyond the widest noise, where the other still is not
        return laplace
    ratios = [expected_error(a) / expected_error(b) for a, b in zip(gaussian.noises, laplace.noises, strict=True)]
    return gaussian if math.fsum(ratios) < len(ratios) else laplace


def amount(name: str, value: object) -> Fraction:
    """Return an epsilon or rho as the exact decimal that was written: 0.1 is one tenth."""
    number = check.positive(name, value)
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _shares(bounded: Bounded) -> tuple[Fraction, ...]:
    """Split the charge: as much for each aggregate, and as much for each measure that an aggregate is made from."""
    shares = [Fraction(0)] * len(bounded.plan.measures)
    for source in bounded.sources:
        for measure in source:
            shares[measure] += Fraction(1, len(bounded.sources) * len(source))
    return tuple(shares)


def _laplace(bounded: Bounded, shares: tuple[Fraction, ...], epsilon: Fraction) -> Price:
    noises, rho = [], 0.0
    for measure, share in zip(bounded.plan.measures, shares, strict=True):
        scale = ratio_up(bounded.plan.l1(measure), share * epsilon)
        noises.append(Laplace(fitting_scale(scale, "epsilon", float(epsilon))))
        rho = float(add_up(rho, PureLoss(float_up(share * epsilon)).zcdp()))
    words = f"{_decimal(epsilon)}-differentially private"
    return Price(bounded, tuple(noises), shares, Charge(epsilon, rho), words)


def _gaussian(bounded: Bounded, shares: tuple[Fraction, ...], sigma: float, charge: Charge | None, words: str) -> Price:
    """Return Gaussian noises that are together as private as `sigma` on a sensitivity of 1."""
    noises, squares = [], Fraction(0)
    for measure, share in zip(bounded.plan.measures, shares, strict=True):
        l2 = Fraction(bounded.plan.l2_squared(measure))
        noise = Gaussian(fitting_scale(_wider(sigma, l2 / share), "epsilon", words))
        noises.append(noise)
        squares += l2 / Fraction(noise.sigma) ** 2
    cost = charge or Charge(math.inf, ratio_up(squares, 2))
    return Price(bounded, tuple(noises), shares, cost, words)


def _wider(sigma: float, square: Fraction) -> float:
    """Return sigma times the root of a number, rounded up."""
    return rounded_up(lambda: ball(square).sqrt() * ball(sigma))


def expected_error(noise: Noise) -> float:
    """Return the mean distance of the noise from zero, about."""
    return noise.scale if isinstance(noise, Laplace) else noise.sigma * math.sqrt(2 / math.pi)


def half_width(priced: Price, aggregate: int, confidence: float) -> float | None:
    """Return how far a count or a sum lies from the truth at most, at this confidence; None for other aggregates."""
    source = priced.bounded.sources[aggregate]
    measure = priced.bounded.plan.measures[source[0]]
    if len(source) != 1 or measure.part is Part.RANKS:
        return None
    return float(priced.noises[source[0]].interval(confidence) * step_of(measure))


def step_of(measure: Measure) -> Fraction:
    """Return the value of one step of a measure: a grid's step for sums, its square for squares, else 1."""
    if measure.grid is None or measure.part not in (Part.SUM, Part.SQUARES):
        return Fraction(1)
    return measure.grid.step ** (2 if measure.part is Part.SQUARES else 1)


def _decimal(value: Fraction) -> str:
    return f"{float(value):.12g}"
