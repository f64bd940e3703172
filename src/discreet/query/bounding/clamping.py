"""`clamping=True`: a question that also counts the rows whose values its bounds cut off, as one more aggregate each."""

from __future__ import annotations

from dataclasses import replace

from discreet.base.errors import QueryError
from discreet.plan.expressions import Column
from discreet.plan.question import COUNTS, Aggregate, AggregateKind, Question, refer_to_value


def add_clamped_counts(question: Question) -> Question:
    """Return the question with a column `clamped_x` for every column x that is clamped."""
    arguments = [
        each for asked in question.aggregates if asked.kind not in COUNTS for each in (asked.argument, asked.other)
    ]
    columns = dict.fromkeys(each for each in arguments if isinstance(each, Column))
    if columns and question.finish.grouped:
        raise QueryError("clamping=True counts for each released row; ask for the inner SELECT by itself")
    aggregates, outputs = list(question.aggregates), list(question.finish.outputs)
    for column in columns:
        added = Aggregate(AggregateKind.CLAMPED, column)
        aggregates.append(added)
        name = f"clamped_{column.name}"
        if name in dict(outputs):
            raise QueryError(f"clamping adds a column {name!r}, and there is one already; give it another name with AS")
        outputs.append((name, refer_to_value(len(aggregates) - 1, added)))
    finish = replace(question.finish, outputs=tuple(outputs))
    pick = None if columns else question.pick  # a choice is released alone
    return replace(question, aggregates=tuple(aggregates), finish=finish, pick=pick)
