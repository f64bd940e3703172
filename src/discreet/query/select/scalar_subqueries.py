"""Subqueries in place of a value: `COUNT(*) / (SELECT COUNT(*) FROM visits)`.

One over private rows is a whole question of its own: it is released and paid for beside the other, and its value is
known after the release only. So it stands among released values, and nowhere else: in WHERE, in GROUP BY or inside an
aggregate of private rows, what one unit does to it would reach the rows of all others.
"""

from __future__ import annotations

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.beside import name_attached
from discreet.plan.expressions import Expression
from discreet.plan.question import Question
from discreet.plan.windows import KEY
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.select.context import Context
from discreet.query.select.public_values import read_public_value

AMONG_ROWS = (
    "a subquery over private rows in place of a value is an answer of its own: it stands beside aggregates, in SELECT, "
    "HAVING and ORDER BY, and not where private rows are read, in WHERE, GROUP BY or inside an aggregate; ask the "
    "inner question by itself and write its number here, or JOIN (SELECT unit, AVG(x) AS m ... GROUP BY unit)"
)
ONE_ROW = "a subquery in place of a value has one row: leave its GROUP BY out, or write ORDER BY ... LIMIT 1"


def read_scalar(node: exp.Expression, reading: Context) -> Expression | None:
    """Return the value of a subquery beside released ones; nothing where the node is no subquery."""
    if not isinstance(node, exp.Subquery):
        return None
    public = read_public_value(node, reading)
    if public is not None:
        return public
    query = _open(node)
    for known, names, found in reading.beside.read:
        if names is reading.withs and known == query:
            return found
    if reading.answer is None or not isinstance(query, exp.Select):
        raise QueryError(f"{quote_sql(node)}: {AMONG_ROWS}")
    question = read_apart(query, reading)
    if len(question.finish.outputs) != 1:
        raise QueryError(f"{quote_sql(node)}: a subquery in place of a value has one column")
    if not has_one_row(question):
        raise QueryError(f"{quote_sql(node)}: {ONE_ROW}")
    ((_, shown),) = question.finish.outputs
    made = name_attached(reading.beside.add(question), Type.FLOAT if shown.type is Type.DECIMAL else shown.type)
    reading.beside.read.append((query, reading.withs, made))
    return made


def read_apart(query: exp.Select, reading: Context) -> Question:
    """Read a whole question inside a statement: a plan of its own, with names of its own."""
    assert reading.answer is not None
    counter = reading.counter
    used, counter.used = counter.used, 0
    try:
        return reading.answer(query, reading)
    finally:
        counter.used = used


def refuse_scalar(node: exp.Expression, reading: Context) -> Expression | None:
    """Return the value of a subquery over a public table, and refuse any other where private rows are read."""
    public = read_public_value(node, reading)
    if public is not None:
        return public
    if isinstance(node, exp.Subquery):
        raise QueryError(f"{quote_sql(node)}: {AMONG_ROWS}")
    return None


def has_one_row(question: Question) -> bool:
    """Say whether an answer has one row at most, whatever is released."""
    finish = question.finish
    single = question.sets == ((),)
    if question.pick is not None:
        single = single or (question.pick.count == 1 and not question.pick.each)
    for stage in finish.stages:
        if stage.grouped:
            single = single or not any(each.made.function == KEY for each in stage.columns)
        single = single or (stage.limit is not None and stage.limit <= 1)
    return single or (finish.limit is not None and finish.limit <= 1)


def _open(node: exp.Expression) -> exp.Expression:
    query: exp.Expression = node
    while isinstance(query, exp.Subquery):
        refuse_other_parts(query, {"this"}, {"alias": "a subquery in place of a value has no name"})
        query = query.this
    return query
