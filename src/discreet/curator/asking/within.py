"""`within={"n": 50}`: the smallest epsilon that gives this error, from public facts alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.mechanisms.quantile import Quantile
from discreet.plan.expressions import Reference, Slot
from discreet.plan.question import AggregateKind, Question
from discreet.policy.model import Policy
from discreet.query.bound import Bounded
from discreet.query.draws import Draw
from discreet.query.price import Price, find_half_width, price
from discreet.query.price_choice import find_shortfall, price_question

CONFIDENCE = 0.95
LARGEST = 2.0**12


def find_least_epsilon(
    question: Question, bounded: Bounded, policy: Policy, wanted: Mapping[str, object], min_count: int | None
) -> Fraction:
    """Return the least epsilon, to three digits and rounded up, that keeps every column named within its error."""
    if not isinstance(wanted, Mapping) or not wanted:
        raise ParameterError("within", wanted, 'columns of the answer and their errors, such as {"n": 50}')
    if bounded.pick is not None:
        return _find_least_choice(question, bounded, policy, wanted)
    targets = []
    for name, error in wanted.items():
        targets.append((_aggregate(question, name), float(check.positive(f"within[{name!r}]", error))))
    return _search(lambda epsilon: _close(price(bounded, policy, epsilon=epsilon), question, targets, min_count))


def _find_least_choice(question: Question, bounded: Bounded, policy: Policy, wanted: Mapping[str, object]) -> Fraction:
    """Return the least epsilon at which chosen keys fall short by no more than this of the best."""
    columns = {name.casefold() for name, _ in question.finish.outputs}
    errors = []
    for name, error in wanted.items():
        if str(name).casefold() not in columns:
            listed = ", ".join(repr(column) for column, _ in question.finish.outputs)
            raise QueryError(f"within takes columns of the answer, of {listed}; not {name!r}")
        errors.append(float(check.positive(f"within[{name!r}]", error)))

    return find_least_for_choice(lambda epsilon: price_question(bounded, policy, epsilon=epsilon), min(errors))


def find_least_for_choice(make: Callable[[Fraction], Price], error: float) -> Fraction:
    """Return the least epsilon at which what is chosen falls short of the best by no more than this."""

    def is_met(epsilon: Fraction) -> bool:
        found = find_shortfall(make(epsilon), CONFIDENCE)
        return found is not None and found <= error

    return _search(is_met)


def _search(is_met: Callable[[Fraction], bool]) -> Fraction:
    low, high = 0.0, 1e-6
    while not is_met(Fraction(high)):
        low, high = high, 2 * high
        if high > LARGEST:
            raise QueryError("no epsilon below 4096 gives errors this small; ask for larger ones")
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if is_met(Fraction(middle)) else (middle, high)
    return Fraction(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(high)))


def _aggregate(question: Question, name: str) -> int:
    """Return the aggregate that a column of the answer is, unchanged."""
    outputs = {column.casefold(): expression for column, expression in question.finish.outputs}
    expression = outputs.get(str(name).casefold())
    if not isinstance(expression, Reference) or expression.slot is not Slot.AGGREGATE:
        plain = [
            repr(column)
            for column, each in question.finish.outputs
            if isinstance(each, Reference) and each.slot is Slot.AGGREGATE
        ]
        listed = f"here {', '.join(plain)}" if plain else "and here is none"
        raise QueryError(f"within takes columns of the answer that are plain aggregates, {listed}; not {name!r}")
    return expression.index


def _close(priced: Price, question: Question, targets: list[tuple[int, float]], min_count: int | None) -> bool:
    return all(_error(priced, question, aggregate, min_count) <= error for aggregate, error in targets)


def _error(priced: Price, question: Question, aggregate: int, min_count: int | None) -> float:
    width = find_half_width(priced, aggregate, CONFIDENCE)
    if width is not None:
        return width
    asked = question.aggregates[aggregate]
    if asked.kind is not AggregateKind.MEAN or min_count is None:
        raise QueryError(
            f"the error of a {asked.kind.value} depends on how many rows there are, which is private; use within for "
            "counts and sums, declare min_count in the policy for means, or ask with an epsilon"
        )
    return bound_mean_error(priced, aggregate, min_count)


def bound_mean_error(priced: Price, aggregate: int, count: int) -> float:
    """Return how far a mean of at least so many values lies from the truth at most, at the usual confidence.

    Sum and count share what may be missed: |s'/n' - s/n| <= (|s' - s| + reach * |n' - n|) / n', and n' is at least the
    count less its own error.
    """
    counted, total = priced.bounded.sources[aggregate]
    grid = priced.bounded.plan.measures[total].grid
    assert grid is not None
    each = 1 - (1 - CONFIDENCE) / 2
    moved, missed = (_width(priced.noises[place], each) for place in (total, counted))
    rest = count - missed
    return math.inf if rest <= 0 else float(grid.step) * (moved + grid.reach * missed) / rest


def _width(noise: Draw, confidence: float) -> float:
    return math.inf if isinstance(noise, Quantile) else float(noise.interval(confidence))
