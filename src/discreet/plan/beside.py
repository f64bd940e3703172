"""What stands beside released rows: values of other answers in the same statement.

Each of these answers is a question of its own. Those that release the same share one release: it is paid for once, and
what they show differs by what is done to it afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal, replace_columns
from discreet.plan.question import Finish, Question
from discreet.plan.windows import RELEASED, Across, Attached, Computed, Order, Stage


def name_attached(part: int, type_: Type) -> Attached:
    """Return the value of an answer of one row and one column, by its place in `Question.beside`.

    >>> name_attached(1, Type.INTEGER).name
    's1'
    """
    return Attached(RELEASED, f"s{part}", type_, part)


@dataclass(frozen=True, slots=True)
class StatementReleases:
    """The questions of a statement that release something of their own, and which of them each question reads.

    The first is the statement's own question. `shared` has a place among them for each of `Question.beside`.
    """

    questions: tuple[Question, ...]
    shared: tuple[int, ...]


def list_releases(question: Question) -> StatementReleases:
    """Return what a statement releases: equal rows, keys and aggregates are released once."""
    found, shared = [question], []
    for each in question.beside:
        place = next((at for at, known in enumerate(found) if releases_same(known, each)), None)
        if place is None:
            place = len(found)
            found.append(each)
        shared.append(place)
    return StatementReleases(tuple(found), tuple(shared))


def releases_same(one: Question, other: Question) -> bool:
    """Say whether two questions release the same, whatever is done to it afterwards."""
    return (one.block, one.keys, one.aggregates, one.sets, one.pick) == (
        other.block,
        other.keys,
        other.aggregates,
        other.sets,
        other.pick,
    )


def put_values(finish: Finish, values: Mapping[str, Literal]) -> Finish:
    """Return a finish with the values of other answers written into it; an order by such a value is none."""
    if not values:
        return finish

    def change(expression: Expression) -> Expression:
        return replace_columns(expression, put)

    def put(column: Column) -> Expression:
        if isinstance(column, Attached):
            return values[column.name]
        return replace(column, made=put_across(column.made)) if isinstance(column, Computed) else column

    def put_across(made: Across) -> Across:
        return replace(
            made,
            arguments=tuple(change(each) for each in made.arguments),
            partition=tuple(change(each) for each in made.partition),
            order=put_order(made.order),
            where=None if made.where is None else change(made.where),
            chosen=tuple(change(each) for each in made.chosen),
        )

    def put_order(terms: tuple[Order, ...]) -> tuple[Order, ...]:
        changed = (replace(term, by=change(term.by)) for term in terms)
        return tuple(term for term in changed if not isinstance(term.by, Literal))

    def put_stage(stage: Stage) -> Stage:
        columns = tuple(replace(each, made=put_across(each.made)) for each in stage.columns)
        having = None if stage.having is None else change(stage.having)
        join = stage.join
        if join is not None:
            join = replace(join, on=tuple((change(mine), theirs) for mine, theirs in join.on))
        return replace(stage, having=having, columns=columns, order=put_order(stage.order), join=join)

    return replace(
        finish,
        outputs=tuple((name, change(each)) for name, each in finish.outputs),
        having=None if finish.having is None else change(finish.having),
        order=put_order(finish.order),
        stages=tuple(put_stage(each) for each in finish.stages),
    )
