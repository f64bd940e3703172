"""Candidates that are no keys: public values of `$candidate`, chosen by an aggregate in which it stands.

A list of candidates becomes one plan with a measure for each, which are all computed in one pass. A range of them, of
any length, becomes one plan that counts values at every point of a column's grid (`query.thresholds`).
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.base.errors import ParameterError, QueryError
from discreet.base.exact import to_float
from discreet.base.types import Type
from discreet.plan.expressions import Call, Expression, Literal, Reference, Slot
from discreet.plan.question import Finish, Question
from discreet.query.bound import MOST_NUMBERS, bound
from discreet.query.build import build, find_parameters
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.price import find_step
from discreet.query.price_choice import ChoiceDraft
from discreet.query.scalars.constants import to_literal
from discreet.query.scores import WeightedMeasures
from discreet.query.select.picking import SCORES

CANDIDATE = "candidate"

ONE = (
    "a score is one COUNT or SUM in which $candidate stands, or a number times one, as in "
    "$candidate * COUNT(*) FILTER (WHERE bid >= $candidate)"
)


@dataclass(frozen=True, slots=True)
class CandidateRange:
    """The numbers from `lower` to `upper`, both included, in steps: candidates without a list of them."""

    lower: Fraction
    upper: Fraction
    step: Fraction = Fraction(1)

    def __init__(self, lower: object, upper: object, step: object = 1) -> None:
        for name, value in (("lower", lower), ("upper", upper), ("step", step)):
            found = to_literal(value, name).value if not isinstance(value, bool) else None
            if not isinstance(found, int | Fraction):
                raise ParameterError(name, value, "a number")
            object.__setattr__(self, name, Fraction(found))
        if self.step <= 0 or self.lower > self.upper:
            raise ParameterError(
                "candidates", f"{lower} .. {upper} in steps of {step}", "a lower end, an upper, a step > 0"
            )

    @classmethod
    def of(cls, given: range) -> CandidateRange:
        """Return the numbers of a Python range, whichever way it goes."""
        if not given:
            raise ParameterError("candidates", given, "at least one")
        return cls(min(given[0], given[-1]), max(given[0], given[-1]), abs(given.step))

    def __len__(self) -> int:
        return math.floor((self.upper - self.lower) / self.step) + 1

    def value(self, place: int) -> int | float:
        """Return the candidate at a place."""
        found = self.lower + place * self.step
        whole = self.lower.denominator == self.step.denominator == 1
        return int(found) if whole else to_float(found)


@dataclass(frozen=True, slots=True)
class CandidatePlan:
    """A question whose first aggregate is the score of a candidate, and the choice that is to be priced."""

    question: Question
    draft: ChoiceDraft


def list_candidates(given: Iterable[object]) -> tuple[Any, ...]:
    """Return candidates sorted, each once: however they were listed, the question is the same.

    >>> list_candidates([3, 1.5, 2, 3])
    (1.5, Decimal('2'), Decimal('3'))
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ParameterError("candidates", given, "a list of values, a range, or a CandidateRange")
    found = {}
    for each in given:
        if each is None or isinstance(each, bool):
            raise ParameterError("candidates", each, "numbers, texts, dates or times")
        value = _to_plain(each)
        found[to_literal(value, "a candidate").value] = value
    if not found:
        raise ParameterError("candidates", [], "at least one")
    kinds = {_kind(value) for value in found.values()}
    if len(kinds) > 1:
        raise ParameterError("candidates", ", ".join(sorted(kinds)), "all numbers, all texts, or all dates or times")
    values = tuple(found[each] for each in sorted(found))  # type: ignore[type-var]
    if find_type(values) is not Type.FLOAT:
        return values
    return tuple(Decimal(each) if isinstance(each, int) else each for each in values)


def find_type(values: Iterable[object]) -> Type:
    """Return the type of candidates in an answer: whole numbers where all are; decimals are shown as floats."""
    types = {to_literal(value, "a candidate").type for value in values}
    return types.pop() if len(types) == 1 and Type.DECIMAL not in types else Type.FLOAT


def show_candidate(value: object, kind: Type) -> object:
    """Return a candidate as an answer shows it: times in UTC, and numbers that are no whole ones as floats."""
    if kind is Type.TIMESTAMP:
        moment = to_literal(value).value
        return moment.replace(tzinfo=None) if isinstance(moment, dt.datetime) else None
    return float(value) if kind is Type.FLOAT and isinstance(value, int | float | Decimal | Fraction) else value


def _to_plain(value: object) -> object:
    """Return a value of numpy as Python's own."""
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def _kind(value: object) -> str:
    if isinstance(value, int | float | Decimal | Fraction):
        return "number"
    return "time" if isinstance(value, dt.datetime) else type(value).__name__


def plan_candidates(
    select: exp.Select,
    catalog: Catalog,
    values: tuple[Any, ...],
    parameters: Mapping[str, Any],
    largest: bool,
    count: int,
    limits: Mapping[str, int | None],
) -> CandidatePlan:
    """Return the plan that computes the score of every candidate in one pass."""
    check_candidate(select, parameters)
    if len(values) > MOST_NUMBERS:
        raise QueryError(
            f"there are {len(values):,} candidates, and {MOST_NUMBERS} are computed at once; give numbers as a range, "
            "or as a CandidateRange"
        )
    asked = [to_canonical(build(select.copy(), catalog, {**parameters, CANDIDATE: value})) for value in values]
    scores = [_read_score(each) for each in asked]
    block = asked[0].block
    if any(each.block != block for each in asked):
        raise QueryError("$candidate stands inside the score only: put its condition into FILTER (WHERE ...) or CASE")
    aggregates = tuple(dict.fromkeys(each.aggregates[0] for each in asked))
    question = Question(block, (), aggregates, Finish(()), ((),))
    bounded = bound(question, catalog, limits)
    measures = [bounded.sources[aggregates.index(each.aggregates[0])][0] for each in asked]
    worth = [weight * find_step(bounded.plan.measures[place]) for place, weight in zip(measures, scores, strict=True)]
    step = find_common_step(worth)
    sign = 1 if largest else -1
    weights = tuple(sign * int(each / step) for each in worth)
    return CandidatePlan(question, ChoiceDraft(bounded, WeightedMeasures(tuple(measures), weights), step, count))


def check_candidate(select: exp.Select, parameters: Mapping[str, Any]) -> None:
    """Refuse a score without $candidate, and parameters that it does not use."""
    names = find_parameters(select)
    if CANDIDATE not in names:
        raise QueryError(f"the score has no $candidate; {ONE}")
    if CANDIDATE in parameters:
        raise QueryError("$candidate is each of the candidates; give the parameter another name")
    unused = sorted(set(parameters) - names)
    if unused:
        raise QueryError(f"the score has no ${unused[0]}; leave that parameter out, or use it")


def _read_score(question: Question) -> Fraction:
    """Return by what public number the one aggregate of a question is multiplied."""
    finish = question.finish
    plain = not question.keys and not finish.selects
    if plain and len(finish.outputs) == len(question.aggregates) == 1 and question.aggregates[0].kind in SCORES:
        weight = _read_weight(finish.outputs[0][1])
        if weight is not None:
            return weight
    raise QueryError(f"this is no score; {ONE}")


def _read_weight(expression: Expression) -> Fraction | None:
    if isinstance(expression, Reference) and expression.slot is Slot.AGGREGATE:
        return Fraction(1)
    if not isinstance(expression, Call) or expression.function != "mul":
        return None
    first, second = expression.arguments
    number, rest = (first, second) if isinstance(first, Literal) else (second, first)
    if not isinstance(number, Literal) or not isinstance(number.value, int | Fraction):
        return None
    inner = _read_weight(rest)
    return None if inner is None else Fraction(number.value) * inner


def find_common_step(worth: Iterable[Fraction]) -> Fraction:
    """Return the greatest number of which all are whole multiples."""
    step = Fraction(0)
    for each in worth:
        below = step.denominator * each.denominator
        step = Fraction(math.gcd(int(step * below), int(each * below)), below)
    return step or Fraction(1)
