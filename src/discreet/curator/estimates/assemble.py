"""Released numbers to an answer: finished rows, intervals for every cell, and what must be said about them."""

from __future__ import annotations

from collections.abc import Callable

from discreet.answers import CLAMPED, SELECTED, Accuracy, Answer, Bounds, Field, LeftOut, Receipt
from discreet.base.search import least_int
from discreet.base.types import Type
from discreet.curator.estimates.across import describe_interval
from discreet.curator.estimates.arithmetic import (
    bound_expression,
    find_aggregates,
    find_parts,
    is_noisy,
    is_noisy_column,
)
from discreet.curator.estimates.finished import Finished, finish_beside, make_values
from discreet.curator.estimates.values import REMARKS, Values
from discreet.curator.release.released import Released
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile
from discreet.plan.beside import list_releases
from discreet.plan.expressions import Call, Column, Expression, Reference
from discreet.plan.question import COUNTS, Aggregate, AggregateKind, Question
from discreet.plan.relations import Block
from discreet.plan.windows import Attached, Computed, Joined, find_computed, find_released
from discreet.plan.words import describe_aggregate, describe_arguments
from discreet.query.price import Price
from discreet.query.price_choice import find_shortfall

CUT = "a unit's rows beyond its limits are left out, if there are any; the intervals do not cover that"
UNGROUPED = "rows whose key is NULL, or not among the public values, are in no group"
PUBLIC = "these keys are public: the policy and the public tables say them; whether any row has them is not told"
EXTREME = "MIN and MAX are private extreme quantiles: they lie some ranks inside the data"
ACROSS = "windows, and aggregates over an answer, go over the groups that were released, and over no others"
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
DATED = {"plus_days": "day", "as_timestamp": "second"}
ENDS = {AggregateKind.LEAST: "MIN", AggregateKind.GREATEST: "MAX"}
SHOWN_DATE = "none: this is no number; {}(DATE_DIFF('{}', DATE '1970-01-01', x)) is the same release, and has one"
"""Where the interval of the least or the largest date is to be found: asked for it, nothing is charged again."""

NO_ARITHMETIC = "none: this is no arithmetic"
SETS = "each grouping is a release of its own; a key is NULL in rows that are not grouped by it"
BESIDE = "each answer in this statement is a release of its own, with noise of its own; the price is that of all"

FieldsBeside = list[tuple[Field, ...]]
"""The columns of other answers of a statement."""

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
        f"keys come from the data, selected privately by their number of units: those with {half:,} units appear with "
        f"probability 1/2, those with {sure:,} always, and most of those with fewer not at all; {MORE_KEYS}"
    )


def assemble(
    question: Question, priced: Price, released: Released, receipt: Receipt, text: str, values: Values | None = None
) -> Answer:
    """Return the answer: a function of what was released, and of nothing else.

    A route that infers what was not released gives `values` of its own, with their intervals.
    """
    values = values or make_values(question, priced, released)
    finished = Finished(question, priced, values, finish_beside(question, priced, released))
    outputs = question.finish.outputs

    def bounds(confidence: float, simultaneous: bool) -> tuple[Bounds, ...]:
        miss = (1 - confidence) / (finished.cells if simultaneous else 1)
        return tuple(
            tuple(finished.bound(expression, place, miss, simultaneous) for _, expression in outputs)
            for place in range(len(finished.rows))
        )

    return Answer(
        fields=describe_fields(question, priced),
        rows=tuple(row for _, row in finished.rows),
        receipt=receipt,
        guarantee=priced.guarantee,
        question=text,
        notes=_list_notes(question, priced),
        bounds=bounds,
        accuracy=measure_accuracy(question, priced),
        left_out=count_left_out(priced, released),
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


def count_left_out(priced: Price, released: Released) -> LeftOut | None:
    """Return what limits left out, where it was counted: exact but for its noise, whose interval it has."""
    if priced.left_out is None or released.left_out is None:
        return None
    counted = priced.left_out.counted
    return LeftOut(counted.words, released.left_out, lambda confidence: find_left_out_width(priced, confidence))


def find_left_out_width(priced: Price, confidence: float) -> float:
    """Return how far the count of what is left out lies from the truth at most, at this confidence."""
    assert priced.left_out is not None
    (noise,) = priced.left_out.draws.noises
    assert not isinstance(noise, Quantile)
    return float(noise.interval(confidence))


def describe_score(asked: Aggregate, block: Block) -> str:
    """Return an aggregate by which something was chosen, in words."""
    of = describe_arguments(asked.argument, asked.other, block)
    if asked.kind in COUNTED:
        return f"number of {COUNTED[asked.kind]}{f' of {of}' if of else ''}"
    return describe_aggregate(asked, block)


def describe_fields(question: Question, priced: Price) -> tuple[Field, ...]:
    """Return the columns of a question's answer, which are known before it is run."""
    beside: FieldsBeside = []
    prices = (priced, *priced.beside)
    for each, place in zip(question.beside, list_releases(question).shared, strict=True):
        beside.append(tuple(_field(name, shown, each, prices[place], beside) for name, shown in each.finish.outputs))
    return tuple(_field(name, expression, question, priced, beside) for name, expression in question.finish.outputs)


def _find_date_remark(expression: Expression, question: Question) -> str | None:
    """Return what is said of the least or the largest date; nothing of other dates that are computed."""
    if not isinstance(expression, Call) or expression.function not in DATED:
        return None
    kinds = [question.aggregates[place].kind for place in find_aggregates(expression)]
    if len(kinds) != 1 or kinds[0] not in ENDS:
        return None
    return SHOWN_DATE.format(ENDS[kinds[0]], DATED[expression.function])


def _field(name: str, expression: Expression, question: Question, priced: Price, beside: FieldsBeside) -> Field:
    if not is_noisy(expression):
        return Field(name, expression.type, noisy=False)
    remark = _find_date_remark(expression, question)
    if remark is not None:
        return Field(name, expression.type, True, remark)
    if isinstance(expression, Reference):
        return Field(name, expression.type, True, REMARKS[question.aggregates[expression.index].kind])
    if isinstance(expression, Joined | Attached):
        found = _find_beside(expression, question, beside)
        if found is None or not found.noisy:  # a key: in place of a value it is as noisy as what chose it
            valued = isinstance(expression, Attached)
            return Field(name, expression.type, valued, NO_ARITHMETIC if valued else "")
        return Field(name, expression.type, True, found.remark)
    remarks = [describe_interval(each, question, priced) for each in find_computed([expression])]
    if isinstance(expression, Computed):
        return Field(name, expression.type, True, remarks[0])
    # a computed column that is not noisy has no interval, as keys have none
    missing = next((each or NO_ARITHMETIC for each in remarks if not each.startswith("conservative")), None)
    for part in find_parts(expression):
        found = _find_beside(part, question, beside) if isinstance(part, Joined | Attached) else None
        if found is not None and found.remark.startswith("none"):
            missing = missing or found.remark
    parts = [each if isinstance(each, int) else each.name for each in find_parts(expression)]
    known = bound_expression(expression, dict.fromkeys(parts, (1.0, 2.0)))
    remark = "conservative: every aggregate in it bounded at once" if known else NO_ARITHMETIC
    return Field(name, Type.FLOAT if expression.type is Type.DECIMAL else expression.type, True, missing or remark)


def _find_beside(column: Joined | Attached, question: Question, beside: FieldsBeside) -> Field | None:
    """Return what a value of another answer is there; nothing where it is a public table's."""
    if isinstance(column, Attached):
        return beside[column.part][0]
    part = question.finish.tables[column.table].part
    return None if part is None else beside[part][column.place]


def _list_notes(question: Question, priced: Price) -> tuple[str, ...]:
    """Return everything that is to be noted, each once."""
    notes, prices = [BESIDE] if priced.beside else [], (priced, *priced.beside)
    for asked, each in zip(list_releases(question).questions, prices, strict=True):
        notes += [] if priced.beside and each.free else _notes(asked, each, prices)
        notes += each.bounded.coarsened
    return tuple(dict.fromkeys((*notes, *priced.notes)))


def _notes(question: Question, priced: Price, prices: tuple[Price, ...]) -> list[str]:
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
    noisy = any(is_noisy(each) for _, each in question.finish.outputs)
    if noisy and _is_chosen_by_noise(question, prices):
        notes.append(SELECTED)
    if any(stage.join is None for stage in question.finish.stages):
        notes.append(ACROSS)
    return notes


def _is_chosen_by_noise(question: Question, prices: tuple[Price, ...]) -> bool:
    """Say whether noise decides which rows are left: by HAVING, by an order that was cut, or by a join.

    Rows with public keys have the same partners whatever the noise, also in another answer.
    """
    finish = question.finish
    choices = [] if finish.having is None else [finish.having]
    choices += [term.by for term in finish.order if finish.limit is not None or finish.offset > 0]
    choices += [each for stage in finish.stages for each in stage.find_choices()]
    columns = [column for each in choices for column in find_released(each)]
    return any(is_noisy_column(each) and not _is_public_key(each, question, prices) for each in columns)


def _is_public_key(column: Column, question: Question, prices: tuple[Price, ...]) -> bool:
    """Say whether a column is a key of another answer that shows all of its keys, which are public."""
    if not isinstance(column, Joined):
        return False
    part = question.finish.tables[column.table].part
    if part is None or part >= len(question.beside):
        return False
    other, selection = question.beside[part], prices[list_releases(question).shared[part]].selection
    key = selection is None and not is_noisy(other.finish.outputs[column.place][1])
    return key and not _is_chosen_by_noise(other, prices)


def _list_choice_notes(question: Question, priced: Price) -> list[str]:
    """Return the notes of an answer that has no intervals."""
    said = {
        CHOSEN_CLAMPED: any(each.kind not in COUNTS for each in question.aggregates),
        CHOSEN_CUT: priced.bounded.plan.units,
        UNGROUPED: question.keys,
        CHOSEN: True,
    }
    return [note for note, holds in said.items() if holds]
