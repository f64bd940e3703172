"""Which sums each aggregate is computed from, and on which grid: ranges and steps are public."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.bounded import Measure, Part, count_tree_levels
from discreet.plan.expressions import Call, Column, Expression, find_columns
from discreet.plan.grid import ClampedGrid
from discreet.plan.question import COUNTS, PAIRED, RANKED, SPREADS, Aggregate, AggregateKind
from discreet.plan.ranges import Range
from discreet.plan.scales import find_scale
from discreet.plan.words import describe_expression
from discreet.query.bounding.public_facts import PublicFacts

FINE = 10**6
"""Steps across the range of an expression that declares none."""

FINEST = 10**12
"""Steps across such a range inside one unit, where sums are compared: floats have some fifteen digits."""

SQUARE_REACH = 1 << 20
"""The furthest grid point where squares are summed: 2^48 of them stay below 2^88."""

SUM_REACH = 1 << 52
"""The furthest grid point of a sum: floats hold it exactly, and 2^48 of them stay below 2^100."""

DECLARED = (
    "declare lower and upper of its dates in the policy, or write "
    "LEAST(GREATEST(DATE_DIFF('day', DATE '2026-01-01', x), 0), 365)"
)
HELD = "LEAST(GREATEST(x, low), high), which takes NULL for low: leave NULLs out in WHERE"

NARROW, WIDE = Fraction(1, 1 << 900), Fraction(10) ** 300
"""Ranges of columns that are narrower, and values that are larger, are refused: steps and answers would be no floats.

Constants whose range is narrower are constants.
"""

RANK_POINTS = 16**6
"""Grid points of ranks."""

Wanted = tuple[list[Measure], list[str]]
"""What an aggregate is computed from, the count first, and what is to be said about it."""


@dataclass(frozen=True)
class Measures:
    """Turns aggregates into measures by what is public about their arguments."""

    facts: PublicFacts

    def of(self, aggregates: tuple[Aggregate, ...]) -> list[Wanted]:
        """Return the measures of each aggregate."""
        quantiles = Counter(each.argument for each in dict.fromkeys(aggregates) if each.kind in RANKED)
        return [self._one(each, quantiles[each.argument]) for each in aggregates]

    def _one(self, aggregate: Aggregate, quantiles: int) -> Wanted:
        argument, kind = aggregate.argument, aggregate.kind
        simple = {
            AggregateKind.ROWS: Part.ROWS,
            AggregateKind.VALUES: Part.VALUES,
            AggregateKind.UNITS: Part.UNITS,
            AggregateKind.DISTINCT: Part.DISTINCT,
        }
        if kind in COUNTS and kind is not AggregateKind.CLAMPED:
            return [Measure(simple[kind], argument)], []
        assert argument is not None
        if kind in PAIRED:
            assert aggregate.other is not None
            return self._paired(kind, argument, aggregate.other)
        found = self._range(argument)
        step, remarks = self._step(argument, found)
        if kind is AggregateKind.CLAMPED:
            return [Measure(Part.OUTSIDE, argument, _grid(found, Fraction(0), step))], []
        if kind is AggregateKind.SUM:
            return [Measure(Part.SUM, argument, _grid(found, Fraction(0), step))], remarks
        if kind is AggregateKind.SUM_DISTINCT:
            return [Measure(Part.DISTINCT_SUM, argument, _grid(found, Fraction(0), step))], remarks + _merged(
                argument, step
            )
        if kind is AggregateKind.MEAN_DISTINCT:
            grid = _grid(found, _middle(found, step), step)
            both = [Measure(Part.DISTINCT, argument, grid), Measure(Part.DISTINCT_SUM, argument, grid)]
            return both, remarks + _merged(argument, step)
        if kind in RANKED:
            coarse, more = _coarser(argument, step, (found.upper - found.lower) / (RANK_POINTS - 1))
            return [_rank(aggregate, _grid(found, found.lower, coarse), quantiles)], remarks + more
        count = Measure(Part.VALUES, argument)
        if kind is AggregateKind.MEAN:
            return [count, Measure(Part.SUM, argument, _grid(found, _middle(found, step), step))], remarks
        assert kind in SPREADS
        coarse, more = _coarser(argument, step, (found.upper - found.lower) / SQUARE_REACH)
        _check_squares(argument, coarse)
        grid = _grid(found, _middle(found, coarse), coarse)
        return [count, Measure(Part.SUM, argument, grid), Measure(Part.SQUARES, argument, grid)], remarks + more

    def inner(self, argument: Expression) -> ClampedGrid:
        """Return the grid of the values of one row, where rows are handed on."""
        found = self._range(argument)
        return _grid(found, Fraction(0), self._step(argument, found)[0])

    def summed(self, argument: Expression) -> tuple[ClampedGrid, list[str]]:
        """Return the grid on which one unit's values are added up inside a subquery, and what is to be said about it.

        Nothing is charged by its steps, so that of floats it has as many as make sums right to twelve digits.
        """
        found = self._range(argument)
        step, remarks = self._step(argument, found, FINEST)
        return _grid(found, Fraction(0), step), remarks

    def _paired(self, kind: AggregateKind, x: Expression, y: Expression) -> Wanted:
        """Return count, both sums and the sum of products, and for a correlation both sums of squares."""
        grids, remarks = [], []
        for each in (x, y):
            found = self._range(each)
            step, more = self._step(each, found)
            coarse, still = _coarser(each, step, (found.upper - found.lower) / SQUARE_REACH)
            _check_squares(each, coarse)
            grids.append(_grid(found, _middle(found, coarse), coarse))
            remarks += more + still
        pairs = ((x, grids[0], y), (y, grids[1], x))
        made = [Measure(Part.VALUES, x, other=y)]
        made += [Measure(Part.SUM, one, grid, other=two) for one, grid, two in pairs]
        made.append(Measure(Part.PRODUCTS, x, grids[0], y, grids[1]))
        if kind is AggregateKind.CORRELATION:
            made += [Measure(Part.SQUARES, one, grid, other=two) for one, grid, two in pairs]
        return made, remarks

    def _range(self, argument: Expression) -> Range:
        found = self.facts.bounds(argument)
        if found is None:
            word = describe_expression(argument, self.facts.block)
            if isinstance(argument, Column) and not word.startswith(("an ", "the ")):
                raise QueryError(
                    f"{word!r} has no declared bounds, so one person could move the result without limit; declare "
                    f"lower and upper in the policy (`discreet bounds` finds them privately), or write {HELD}"
                )
            dates = isinstance(argument, Call) and argument.function == "date_diff"
            raise QueryError(
                f"{word} has no bounds that follow from those of its columns, so one person could move the result "
                f"without limit; {DECLARED if dates else f'write {HELD}'}"
            )
        narrow = found.upper - found.lower < NARROW
        differs = found.upper > found.lower and any(find_columns(argument))
        if max(abs(found.lower), abs(found.upper)) > WIDE or (narrow and differs):
            word = describe_expression(argument, self.facts.block)
            raise QueryError(
                f"{word} could be larger than any float, or values could differ by less than floats do; scale it so "
                "that it stays between 1e-270 and 1e300, or declare other bounds"
            )
        if not narrow:
            return found
        step = found.step if found.step is not None and found.step >= NARROW else None
        return Range(found.lower, found.lower + (step or 1), step)  # a constant, which has no width

    def _step(self, argument: Expression, found: Range, fine: int = FINE) -> tuple[Fraction, list[str]]:
        """Return the grid's step: declared or derived, the last place of exact numbers, else one that makes so many."""
        step = found.step
        if argument.type in (Type.INTEGER, Type.DECIMAL):
            unit = Fraction(1, 10 ** find_scale(argument))
            step = step if step is not None and (step / unit).denominator == 1 else unit
        if step is None:
            step = Fraction(10) ** math.floor(math.log10(float((found.upper - found.lower) / fine)))
        least = max(abs(found.lower), abs(found.upper), found.upper - found.lower) / SUM_REACH
        return _coarser(argument, step, least)


def _merged(argument: Expression, step: Fraction) -> list[str]:
    """Say where values that differ may count as one: distinct are the points of the grid, after clamping."""
    exact = argument.type in (Type.INTEGER, Type.DECIMAL) and step == Fraction(1, 10 ** find_scale(argument))
    told = f"values of {describe_expression(argument)} that round to the same multiple of {float(step):g} are one value"
    return [] if exact else [f"{told} for DISTINCT"]


def _rank(aggregate: Aggregate, grid: ClampedGrid, quantiles: int) -> Measure:
    """Return the draw of one rank; many ranks of one column come from a tree that answers any number at one price.

    A draw errs by about 1 / epsilon ranks and is paid for by itself; the tree's noise is that of some 8 nodes in each
    level, every level with noise as many times wider as there are levels.
    """
    if aggregate.kind is AggregateKind.QUANTILE and quantiles > 4 * count_tree_levels(grid):
        return Measure(Part.RANKS, aggregate.argument, grid)
    ends = {AggregateKind.LEAST: Fraction(0), AggregateKind.GREATEST: Fraction(1)}
    share = ends.get(aggregate.kind, aggregate.share)
    return Measure(Part.QUANTILE, aggregate.argument, grid, share=share)


def _check_squares(argument: Expression, step: Fraction) -> None:
    if step**2 < NARROW:
        raise QueryError(
            f"squares of {describe_expression(argument)} could differ by less than floats do; scale it, as in x * 1e100"
        )


def _coarser(argument: Expression, step: Fraction, least: Fraction) -> tuple[Fraction, list[str]]:
    """Return a step of at least `least`, made coarser by a power of two, and say so."""
    coarse = step
    while coarse < least:
        coarse *= 2
    if coarse == step:
        return step, []
    return coarse, [
        f"{describe_expression(argument)} is rounded to multiples of {float(coarse):g} here, "
        "so that no sum can overflow"
    ]


def _middle(found: Range, step: Fraction) -> Fraction:
    return math.floor((found.lower + found.upper) / 2 / step) * step


def _grid(found: Range, center: Fraction, step: Fraction) -> ClampedGrid:
    half = Fraction(1, 2)
    low, high = (math.floor((value - center) / step + half) for value in (found.lower, found.upper))
    return ClampedGrid(center, step, low, max(high, low))
