"""Released numbers to an answer: finished rows, intervals for every cell, and what must be said about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from discreet.answers import CLAMPED, SELECTED, Accuracy, Answer, Bounds, Field, Receipt
from discreet.base.search import least_int
from discreet.base.types import Type
from discreet.curator.estimates.arithmetic import bound_expression, find_aggregates
from discreet.curator.estimates.values import REMARKS, ReleasedRow, Values
from discreet.curator.release.finish import finish_rows
from discreet.curator.release.released import Released
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.plan.expressions import Column, Expression
from discreet.plan.question import COUNTS, Aggregate, AggregateKind, Finish, Question
from discreet.plan.relations import Block
from discreet.plan.words import describe_aggregate, describe_arguments
from discreet.query.price import Price
from discreet.query.price_choice import find_shortfall

CUT = "a unit's rows beyond its limits are left out, if there are any; the intervals do not cover that"
UNGROUPED = "rows whose key is NULL, or not among the public values, are in no group"
PUBLIC = "these keys are public: the policy and the public tables say them; whether any row has them is not told"
EXTREME = "MIN and MAX are private extreme quantiles: they lie some ranks inside the data"
CHOSEN_CLAMPED = "values beyond their public bounds were clamped to them, if there are any"
CHOSEN_CUT = "a unit's rows beyond its limits were left out, if there are any"
"""Both instead of `CLAMPED` and `CUT` where nothing has an interval."""

CHOSEN = "this was chosen by a private mechanism; no score of it was released, and asking for one costs extra"
COUNTED = {
    AggregateKind.ROWS: "rows",
    AggregateKind.UNITS: "units",
    AggregateKind.VALUES: "values",
    AggregateKind.DISTINCT: "distinct values",
}
SETS = "each grouping is a release of its own; a key is NULL in rows that are not grouped by it"


MORE_KEYS = "a larger epsilon or key_delta shows more; declared values, or keys that you name, all appear"
"""What helps where keys from the data are missing."""


def describe_selection(selection: KeySelection | KeyThreshold) -> str:
    """Say how keys were chosen."""
    if isinstance(selection, KeyThreshold):
        return (
            f"keys come from the data: those whose noisy count is {selection.level:,} or more appear, others do not; "
            f"{MORE_KEYS}"
        )
    sure = selection.threshold[1]
    half = least_int(lambda count: selection.probability(count).low >= 0.5, start=1)
    return (
        f"keys come from the data, selected privately by their number of units: those with {half} units appear with "
        f"probability 1/2, those with {sure} always, and most of those with fewer not at all; {MORE_KEYS}"
    )


def assemble(
    question: Question, priced: Price, released: Released, receipt: Receipt, text: str, values: Values | None = None
) -> Answer:
    """Return the answer: a function of what was released, and of nothing else.

    A route that infers what was not released gives `values` of its own, with their intervals.
    """
    values = values or Values(question.aggregates if priced.choice is None else (), priced, released)
    rows = finish_rows(find_finish(question, priced), priced.bounded.plan.keys, values)
    outputs = question.finish.outputs
    cells = max(1, len(values.rows) * len(question.aggregates))

    def bounds(confidence: float, simultaneous: bool) -> tuple[Bounds, ...]:
        miss = (1 - confidence) / (cells if simultaneous else 1)
        return tuple(
            tuple(_interval(expression, values, values.rows[number], miss) for _, expression in outputs)
            for number, _ in rows
        )

    return Answer(
        fields=describe_fields(question),
        rows=tuple(row for _, row in rows),
        receipt=receipt,
        guarantee=priced.guarantee,
        question=text,
        notes=_list_notes(question, priced),
        bounds=bounds,
        accuracy=measure_accuracy(question, priced),
    )


def assemble_candidate(
    question: Question,
    priced: Price,
    released: Released,
    receipt: Receipt,
    text: str,
    field: Field,
    show: Callable[[int], object],
) -> Answer:
    """Return the answer of a choice among candidates: those that were chosen, the best first."""
    (chosen,) = released.sets[0].chosen or ((),)
    return Answer(
        fields=(field,),
        rows=tuple((show(place),) for place in chosen),
        receipt=receipt,
        guarantee=priced.guarantee,
        question=text,
        notes=_list_notes(question, priced),
        accuracy=measure_accuracy(question, priced),
    )


def find_finish(question: Question, priced: Price) -> Finish:
    """Return what is done to released values: a choice of keys has done what ORDER BY and LIMIT say."""
    if priced.choice is None or question.pick is None or not question.pick.ordered:
        return question.finish
    return replace(question.finish, order=(), limit=None)


def measure_accuracy(question: Question, priced: Price) -> Accuracy | None:
    """Return how far the keys that are shown may fall short of the best, where they were chosen by an aggregate."""
    if priced.bounded.pick is None and priced.choice is None:
        return None

    def bound(confidence: float) -> float:
        found = find_shortfall(priced, confidence)
        assert found is not None
        return found

    count = question.pick.count if question.pick is not None and priced.choice is None else 1
    asked, block = question.aggregates[0], priced.bounded.plan.block
    words = describe_score(asked, block)
    return Accuracy(words, count if priced.choice is None else priced.choice.count, bound)


def describe_score(asked: Aggregate, block: Block) -> str:
    """Return an aggregate by which something was chosen, in words."""
    of = describe_arguments(asked.argument, asked.other, block)
    if asked.kind in COUNTED:
        return f"number of {COUNTED[asked.kind]}{f' of {of}' if of else ''}"
    return describe_aggregate(asked, block)


def describe_fields(question: Question) -> tuple[Field, ...]:
    """Return the columns of a question's answer, which are known before it is run."""
    return tuple(_field(name, expression, question) for name, expression in question.finish.outputs)


def _interval(expression: Expression, values: Values, row: ReleasedRow, miss: float) -> tuple[float, float] | None:
    """Return an interval for one cell; the aggregates in it share what may be missed."""
    used = find_aggregates(expression)
    if not used:
        return None
    known = {place: values.interval(place, row, miss / len(used)) for place in used}
    return bound_expression(expression, known)


def _field(name: str, expression: Expression, question: Question) -> Field:
    used = find_aggregates(expression)
    if not used:
        return Field(name, expression.type, noisy=False)
    if isinstance(expression, Column):
        return Field(name, expression.type, True, REMARKS[question.aggregates[used[0]].kind])
    known = bound_expression(expression, dict.fromkeys(used, (1.0, 2.0)))
    remark = "conservative: every aggregate in it bounded at once" if known else "none: this is no arithmetic"
    return Field(name, Type.FLOAT if expression.type is Type.DECIMAL else expression.type, True, remark)


def _list_notes(question: Question, priced: Price) -> tuple[str, ...]:
    """Return everything that is to be noted, each once."""
    return tuple(dict.fromkeys((*_notes(question, priced), *priced.bounded.coarsened, *priced.notes)))


def _notes(question: Question, priced: Price) -> list[str]:
    if priced.choice is not None:
        return _list_choice_notes(question, priced)
    notes = []
    if priced.free:
        return [PUBLIC]
    if any(each.kind not in COUNTS for each in question.aggregates):
        notes.append(CLAMPED)
    if any(each.kind in (AggregateKind.LEAST, AggregateKind.GREATEST) for each in question.aggregates):
        notes.append(EXTREME)
    if priced.bounded.plan.units:
        notes.append(CUT if question.aggregates else CHOSEN_CUT)
    if question.keys:
        notes.append(UNGROUPED)
    if priced.selection is not None:
        notes.append(describe_selection(priced.selection))
    if len(question.sets) > 1:
        notes.append(SETS)
    noisy = any(find_aggregates(each) for _, each in question.finish.outputs)
    if noisy and (question.finish.having is not None or question.finish.limit is not None or question.finish.offset):
        notes.append(SELECTED)
    return notes


def _list_choice_notes(question: Question, priced: Price) -> list[str]:
    """Return the notes of an answer that has no intervals."""
    said = {
        CHOSEN_CLAMPED: any(each.kind not in COUNTS for each in question.aggregates),
        CHOSEN_CUT: priced.bounded.plan.units,
        UNGROUPED: question.keys,
        CHOSEN: True,
    }
    return [note for note, holds in said.items() if holds]
