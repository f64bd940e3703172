"""Bounded plan to price: which noise, how the charge is split, what it costs, and how far answers will be off."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.base.rounding import ball, float_down, float_up, ratio_up, rounded_down, rounded_up
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.gaussian import analytic_sigma
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import Measure, Part
from discreet.plan.expressions import Call
from discreet.plan.words import told
from discreet.policy.model import Policy
from discreet.privacy import BoundedRangeLoss, PureLoss
from discreet.privacy.charges import Charge, add_up
from discreet.query.bound import Bounded

ROWS = 1 << 48
"""No table has more rows."""

DIGITS = 10**38

Noise = Laplace | Gaussian
Draw = Noise | Quantile

SELECTIONS = 32
"""One selection of keys takes at most this part of the budget's delta, so that some of them fit."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a question costs and how its measures are released: one noise each, and its share of the charge.

    Theorem (basic composition; Dwork, McSherry, Nissim, Smith 2006): Laplace noise of scale L1 / (share * epsilon) on
    each measure is (sum of shares) * epsilon = epsilon-differentially private. (Dong, Roth, Su 2022): Gaussian noise
    of sigma = L2 / (sqrt(share) * mu) on each is mu-Gaussian differentially private, and its curve gives the delta.
    Quantiles are drawn, in every group for itself, at a range of share * epsilon / L1 for each row that a unit moves:
    all groups that it is in add up to share * epsilon. Keys that come from the data are kept where a count that is
    released anyway is above a threshold, or else selected at a share of their own, with a delta either way; what is
    released about a key is released only if the key is.
    """

    bounded: Bounded
    noises: tuple[Draw, ...]
    shares: tuple[Fraction, ...]
    charge: Charge
    guarantee: str
    selection: KeySelection | KeyThreshold | None = None
    counted: int | None = None
    """The measure whose noisy counts are compared with a threshold."""


def price(bounded: Bounded, policy: Policy, epsilon: Fraction | None = None, rho: Fraction | None = None) -> Price:
    """Return the price of a question at this epsilon (the noise that errs less) or rho (Gaussian noise)."""
    for measure in bounded.plan.measures:
        if measure.reach * ROWS >= DIGITS:
            raise QueryError("a sum here could leave 38 digits; declare narrower bounds or a larger step")
    selects = any(bounded.plan.selects(index) for index in range(len(bounded.plan.sets)))
    delta = _selection_delta(policy, bounded) if selects else Fraction(0)
    counted = _counted(bounded) if selects else None
    shares, kept = _shares(bounded, selects and counted is None)
    if rho is not None:
        if policy.delta == 0:
            raise QueryError("rho= needs a budget with delta > 0; ask with epsilon= instead")
        sigma = rounded_up(lambda: 1 / (2 * ball(rho)).sqrt())
        words = f"{_decimal(rho)}-zCDP" + (f" with delta {float(delta):g} for its keys" if selects else "")
        made = _gaussian(bounded, shares, sigma, Charge(math.inf, rho, delta), words, rho)
        return _selecting(made, delta, counted, lambda: _root_down(2 * rho * kept)) if selects else made
    assert epsilon is not None
    laplace = _laplace(bounded, shares, epsilon, kept, delta)
    if selects:
        return _selecting(laplace, delta, counted, lambda: float_down(kept * epsilon))
    if policy.question_delta == 0 or any(measure.part is Part.QUANTILE for measure in bounded.plan.measures):
        return laplace
    sigma = analytic_sigma(float_down(epsilon), float_down(policy.question_delta), 1)
    words = f"({_decimal(epsilon)}, {float(policy.question_delta):g})-differentially private"
    try:
        gaussian = _gaussian(bounded, shares, sigma, None, words)
    except ParameterError:  # beyond the widest noise, where the other still is not
        return laplace
    pairs = zip(gaussian.noises, laplace.noises, strict=True)
    ratios = [expected_error(a) / expected_error(b) for a, b in pairs]
    return gaussian if math.fsum(ratios) < len(ratios) else laplace


def _selection_delta(policy: Policy, bounded: Bounded) -> Fraction:
    """Return the delta of one selection of keys."""
    if policy.question_delta == 0:
        plan = bounded.plan
        word = " and ".join(told(key.expression, plan.block) for key in plan.keys if key.domain is None)
        raise QueryError(
            f"grouped by {word}: its values are not declared, and keys taken from the data would tell who is in it; "
            f"declare values = [...] or bounds in the policy, or a budget with delta > 0, so that keys can be selected"
        )
    return min(policy.question_delta, policy.delta / SELECTIONS)


def amount(name: str, value: object) -> Fraction:
    """Return an epsilon or rho as the exact decimal that was written: 0.1 is one tenth."""
    number = check.positive(name, value)
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _counted(bounded: Bounded) -> int | None:
    """Return a measure that counts a key's units, its rows or a column's values, whichever is there, best first."""
    measures = bounded.plan.measures
    for part in (Part.UNITS, Part.ROWS, Part.VALUES):
        for place, measure in enumerate(measures):
            if measure.part is part and measure.other is None and not isinstance(measure.argument, Call):
                return place
    return None


def _selecting(priced: Price, delta: Fraction, counted: int | None, epsilon: Callable[[], float]) -> Price:
    """Return a price with the selection of its keys: by a count that is released, or by one of its own."""
    plan = priced.bounded.plan
    if counted is None:
        return replace(priced, selection=KeySelection(epsilon(), float_down(delta), plan.reached()))
    noise, chosen = priced.noises[counted], [each for index, each in enumerate(plan.sets) if plan.selects(index)]
    assert not isinstance(noise, Quantile)
    units = plan.measures[counted].part is Part.UNITS
    rows = 1 if units else max(min(each.limits.rows_per_group, each.limits.rows) for each in chosen)
    return replace(priced, selection=KeyThreshold(noise, float_down(delta), plan.reached(), rows), counted=counted)


def _shares(bounded: Bounded, selects: bool) -> tuple[tuple[Fraction, ...], Fraction]:
    """Split the charge: as much for each aggregate, and as much for each measure that an aggregate is made from.

    A selection of keys gets what a measure gets on average, and its share is returned beside the others.
    """
    kept = Fraction(1, len(bounded.plan.measures) + 1) if selects else Fraction(0)
    shares = [Fraction(0)] * len(bounded.plan.measures)
    for source in bounded.sources:
        for measure in source:
            shares[measure] += (1 - kept) / (len(bounded.sources) * len(source))
    return tuple(shares), kept


def _laplace(
    bounded: Bounded, shares: tuple[Fraction, ...], epsilon: Fraction, kept: Fraction, delta: Fraction
) -> Price:
    noises: list[Draw] = []
    rho = 0.0
    for measure, share in zip(bounded.plan.measures, shares, strict=True):
        own = share * epsilon
        if measure.part is Part.QUANTILE:
            noises.append(_quantile(bounded, measure, float_down(own)))
            rho = float(add_up(rho, BoundedRangeLoss(float_up(own)).zcdp()))
            continue
        scale = ratio_up(bounded.plan.l1(measure), own)
        noises.append(Laplace(fitting_scale(scale, "epsilon", float(epsilon))))
        rho = float(add_up(rho, PureLoss(float_up(own)).zcdp()))
    if kept:
        rho = float(add_up(rho, PureLoss(float_up(kept * epsilon)).zcdp()))
    if not delta:
        return Price(
            bounded, tuple(noises), shares, Charge(epsilon, rho), f"{_decimal(epsilon)}-differentially private"
        )
    words = f"({_decimal(epsilon)}, {float(delta):g})-differentially private"
    return Price(bounded, tuple(noises), shares, Charge(epsilon, rho, delta), words)


def _quantile(bounded: Bounded, measure: Measure, epsilon: float) -> Quantile:
    assert measure.grid is not None
    assert measure.share is not None
    points = measure.grid.upper - measure.grid.lower + 1
    return Quantile(measure.share, points, epsilon, bounded.plan.l1(measure))


def _gaussian(
    bounded: Bounded,
    shares: tuple[Fraction, ...],
    sigma: float,
    charge: Charge | None,
    words: str,
    rho: Fraction = Fraction(0),
) -> Price:
    """Return Gaussian noises that are together as private as `sigma` on a sensitivity of 1.

    Quantiles have no Gaussian noise: a unit that moves n_g rows in group g loses a range of n_g e / L1 there, and so
    at most e^2 L2^2 / (8 L1^2) of zCDP in all (Cesar, Rogers 2021), which is their share of rho.
    """
    noises: list[Draw] = []
    squares = Fraction(0)
    for measure, share in zip(bounded.plan.measures, shares, strict=True):
        l2 = Fraction(bounded.plan.l2_squared(measure))
        if measure.part is Part.QUANTILE:
            wide = Fraction(bounded.plan.l1(measure)) ** 2 * 8 * share * rho / l2
            noises.append(_quantile(bounded, measure, _root_down(wide)))
            continue
        noise = Gaussian(fitting_scale(_wider(sigma, l2 / share), "epsilon", words))
        noises.append(noise)
        squares += l2 / Fraction(noise.sigma) ** 2
    cost = charge or Charge(math.inf, ratio_up(squares, 2))
    return Price(bounded, tuple(noises), shares, cost, words)


def _wider(sigma: float, square: Fraction) -> float:
    """Return sigma times the root of a number, rounded up."""
    return rounded_up(lambda: ball(square).sqrt() * ball(sigma))


def _root_down(square: Fraction) -> float:
    return rounded_down(lambda: ball(square).sqrt())


def expected_error(noise: Draw) -> float:
    """Return the mean distance of the noise from zero, about; of a quantile, in ranks."""
    if isinstance(noise, Quantile):
        return noise.rank_error(0.5)
    return noise.scale if isinstance(noise, Laplace) else noise.sigma * math.sqrt(2 / math.pi)


def half_width(priced: Price, aggregate: int, confidence: float) -> float | None:
    """Return how far a count or a sum lies from the truth at most, at this confidence; None for other aggregates."""
    source = priced.bounded.sources[aggregate]
    measure = priced.bounded.plan.measures[source[0]]
    noise = priced.noises[source[0]]
    if len(source) != 1 or measure.in_cells or isinstance(noise, Quantile):
        return None
    return float(noise.interval(confidence) * step_of(measure))


def step_of(measure: Measure) -> Fraction:
    """Return the value of one step of a measure: of sums, squares and products, else 1."""
    if measure.grid is None or measure.part not in (Part.SUM, Part.SQUARES, Part.PRODUCTS):
        return Fraction(1)
    if measure.part is Part.PRODUCTS and measure.other_grid is not None:
        return measure.grid.step * measure.other_grid.step
    return measure.grid.step ** (2 if measure.part is Part.SQUARES else 1)


def _decimal(value: Fraction) -> str:
    return f"{float(value):.12g}"
