"""How a charge is split among the measures of a question: by the error expected of it, from public facts alone.

The objective is the sum of all aggregates' mean squared errors, each relative to the most that a unit can move it. The
noise of a measure enters an aggregate with its *influence*: the derivative of the aggregate by it, for a measure whose
own sensitivity is one. Nobody knows the mean m and the spread of the data beforehand, so influences are averaged over
all that the bounds allow, each alike. With values in [-1, 1] around the middle of their bounds:

    mean s/n                   count m, sum 1                           E[m^2] = 1/3
    variance q/n - (s/n)^2     count m^2 - V, sum 2m, squares 1         E[(m^2 - V)^2] = 11/45, E[4 m^2] = 4/3
    covariance p/n - xy/n^2    count ab - C, sums b and a, products 1   E[(ab - C)^2] = 4/27, E[a^2] = E[b^2] = 1/3
    correlation                as the covariance, and the influence of both variances at their mean, V = 1/3

with V uniform in [0, 1 - m^2] and C uniform between plus and minus sqrt(V V'). A measure of squared influence w and
share s adds w / s^2 to the squared error with pure epsilon, and w / s with rho. Both sums are least, at a given sum of
shares, where s is proportional to w^(1/3), or w^(1/2) (Lagrange). Sizes drop out: they are the same for all measures.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.plan.bounded import Measure, Part
from discreet.query.bound import Bounded

INFLUENCES: dict[tuple[Part, ...], tuple[Fraction, ...]] = {
    (Part.VALUES, Part.SUM): (Fraction(1, 3), Fraction(1)),
    (Part.DISTINCT, Part.DISTINCT_SUM): (Fraction(1, 3), Fraction(1)),
    (Part.VALUES, Part.SUM, Part.SQUARES): (Fraction(11, 45), Fraction(4, 3), Fraction(1)),
    (Part.VALUES, Part.SUM, Part.SUM, Part.PRODUCTS): (Fraction(4, 27), Fraction(1, 3), Fraction(1, 3), Fraction(1)),
    (Part.VALUES, Part.SUM, Part.SUM, Part.PRODUCTS, Part.SQUARES, Part.SQUARES): (
        Fraction(22, 135),
        Fraction(4, 9),
        Fraction(4, 9),
        Fraction(1),
        Fraction(1, 12),
        Fraction(1, 12),
    ),
}
"""Mean squared influences of the measures that an aggregate is computed from, by what they are."""

NODES = 8
"""Counts of each level of a tree of ranks that a rank is added up from, about."""

PARTS = 10_000
"""Shares are multiples of one part in this many, but for the largest, which has what is left."""


def weigh(bounded: Bounded, counted: int | None = None) -> tuple[Fraction, ...]:
    """Return the squared influence of each measure, added up over the aggregates that use it.

    A count that keys are chosen by weighs as much as the others do on average, at least: keys are lost by its noise.
    """
    measures = bounded.plan.measures
    weights = [Fraction(0)] * len(measures)
    for source in bounded.sources:
        parts = tuple(measures[place].part for place in source)
        for place, weight in zip(
            source, INFLUENCES.get(parts, [_weigh_alone(measures[at]) for at in source]), strict=True
        ):
            weights[place] += weight
    if counted is not None and len(weights) > 1:
        others = [weight for place, weight in enumerate(weights) if place != counted]
        weights[counted] = max(weights[counted], sum(others, Fraction(0)) / len(others))
    return tuple(weights)


def _weigh_alone(measure: Measure) -> Fraction:
    """Return the squared influence of a measure that is an aggregate itself, or one of an unknown kind of aggregate.

    A rank is off by max(share, 1 - share) twice as far as a count at the same price; in a tree every node's noise is
    as many times wider as there are levels, and a rank adds some of each level up.
    """
    if measure.part is Part.QUANTILE and measure.share is not None:
        return (2 * max(measure.share, 1 - measure.share)) ** 2
    return Fraction(NODES * measure.levels**3 if measure.part is Part.RANKS else 1)


def split_charge(weights: tuple[Fraction, ...], power: int, whole: Fraction = Fraction(1)) -> tuple[Fraction, ...]:
    """Return shares in proportion to the root of this power of the weights; they add up to the whole, exactly.

    >>> split_charge((Fraction(1, 3), Fraction(1)), 3)
    (Fraction(819, 2000), Fraction(1181, 2000))
    >>> split_charge((Fraction(2), Fraction(2)), 3)
    (Fraction(1, 2), Fraction(1, 2))
    """
    if not weights:  # keys alone: their selection takes all
        return ()
    if len(set(weights)) == 1:
        return (whole / len(weights),) * len(weights)
    roots = [float(weight) ** (1 / power) for weight in weights]
    parts = [max(1, round(PARTS * root / sum(roots))) for root in roots]
    largest = parts.index(max(parts))
    parts[largest] += PARTS - sum(parts)
    assert min(parts) > 0, "more measures than parts"
    return tuple(whole * part / PARTS for part in parts)
