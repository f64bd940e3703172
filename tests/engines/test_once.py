"""A form that needs an argument several times computes a long one once, on every engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from discreet.base.types import Type
from discreet.engines.dialect import Dialect
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.once import SHORT, bind_arguments
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.spark.dialect import SPARK
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import FUNCTIONS, HELD_COPIES, MOST_COPIED, call, count_nodes, may_overflow
from support.worst_values import every

DIALECTS = {"duckdb": DUCKDB, "spark": SPARK, "postgres": POSTGRES}
STEPS = {Type.TEXT: "rtrim", Type.INTEGER: "neg", Type.FLOAT: "neg", Type.BOOLEAN: "not"}
"""A function of one argument for each type; COALESCE for all others."""


@cache
def wrapped(value: Expression, times: int) -> Expression:
    for _ in range(times):
        value = call(STEPS.get(value.type, "coalesce"), value)
    return value


def calls_over(name: str, times: int) -> Iterator[tuple[Call, list[Column]]]:
    """Yield calls of a function on columns that are wrapped so many times, and the columns of each."""
    for made in every(name):
        columns = [each for each in made.arguments if isinstance(each, Column)]
        if columns and (name != "like" or isinstance(made.arguments[1], Literal)):
            wide = [wrapped(each, times) if isinstance(each, Column) else each for each in made.arguments]
            yield call(name, *wide), columns


def count_written(made: Call, columns: list[Column], dialect: Dialect) -> float:
    """Return how often a column is written at most, for each time that it is an argument."""
    text = dialect.write_sql(made)
    return max(text.count(dialect.write_sql(each)) / columns.count(each) for each in columns)


def most_written(name: str, times: int, dialect: Dialect) -> float:
    """Return the same of all calls of a function."""
    return max((count_written(*each, dialect) for each in calls_over(name, times)), default=0.0)


@pytest.mark.many
@pytest.mark.parametrize("engine", DIALECTS)
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_form_writes_an_argument_more_often_than_it_says(name: str, engine: str) -> None:
    for made, columns in calls_over(name, 1):
        most = max(FUNCTIONS[name].copies, HELD_COPIES if may_overflow(made) else 1)
        assert count_written(made, columns, DIALECTS[engine]) <= most


@pytest.mark.many
@pytest.mark.parametrize("engine", DIALECTS)
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_form_writes_a_long_argument_twice(name: str, engine: str) -> None:
    assert all(
        count_nodes(wrapped(each, MOST_COPIED)) > MOST_COPIED for _, columns in calls_over(name, 1) for each in columns
    )
    assert most_written(name, MOST_COPIED, DIALECTS[engine]) <= 1


def test_short_arguments_are_repeated() -> None:
    def bind(value: str, expression: str) -> str:
        return f"LET v = {value} IN {expression}"

    def write(*arguments: str) -> str:
        return bind_arguments(lambda *given: " + ".join(given * 2), arguments, bind, " & ".join)

    long = "y" * (SHORT + 1)
    assert write("x" * SHORT).count("x") == 2 * SHORT
    assert write(long) == f"LET v = {long} IN v + v"
    assert write("x", long) == f"LET v = x & {long} IN v.x0 + v.x1 + v.x0 + v.x1"
