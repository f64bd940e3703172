"""Long arguments of DuckDB's forms are computed once, and functions in one another stay quick."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.base.types import Type
from discreet.engines.duck.connection import connect
from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.once import compute_once, hold_within
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call

ROW = "(SELECT 'abc' AS t, 1.5::DOUBLE AS f, DATE '2020-02-29' AS d, 7::BIGINT AS i)"
MONTH, WORD = Literal("month", Type.TEXT), Literal("b", Type.TEXT)
ONE, TWO = Literal(1, Type.INTEGER), Literal(2, Type.INTEGER)


def test_of_several_arguments_each_is_written_once_where_one_is_long() -> None:
    long = "'" + "y" * 200 + "'"
    found = compute_once(lambda a, b: f"({a} || {b} || {a})", "'z'", long)
    assert found.count(long) == found.count("'z'") == 1
    assert connect().execute(f"SELECT {found}").fetchall() == [("z" + "y" * 200 + "z",)]


@pytest.mark.parametrize("value", ["x", "x + 0" + " + 0" * 60])
def test_what_is_held_is_null_outside(value: str) -> None:
    rows = "(VALUES (0::DOUBLE), (1), (2), (3), ('nan'), (NULL)) AS t(x)"
    found = connect().execute(f"SELECT x FROM {rows} WHERE {hold_within(value, '1', '2')} IS NOT NULL").fetchall()
    assert found == [(1.0,), (2.0,)]


NESTED: dict[str, tuple[Type, Callable[[Expression], Expression]]] = {
    "reverse": (Type.TEXT, lambda x: call("reverse", x)),
    "in": (Type.TEXT, lambda x: call("as_text", call("in", x, WORD, WORD))),
    "as_timestamp": (Type.TEXT, lambda x: call("as_text", call("as_date", call("as_timestamp", x)))),
    "sin": (Type.FLOAT, lambda x: call("sin", x)),
    "pow": (Type.FLOAT, lambda x: call("pow", TWO, x)),
    "mod": (Type.FLOAT, lambda x: call("mod", TWO, x)),
    "nullif": (Type.INTEGER, lambda x: call("nullif", x, ONE)),
    "date_trunc": (Type.DATE, lambda x: call("date_trunc", MONTH, x)),
}
COLUMNS = {Type.TEXT: "t", Type.FLOAT: "f", Type.DATE: "d", Type.INTEGER: "i"}


def planned(name: str, levels: int) -> int:
    """Return how many letters DuckDB's own plan of a function nested so many times takes."""
    type_, step = NESTED[name]
    made: Expression = Column("q", COLUMNS[type_], type_)
    for _ in range(levels):
        made = step(made)
    cursor = connect()
    cursor.execute("SET disabled_optimizers = 'common_subexpressions'")
    cursor.execute(f"EXPLAIN (FORMAT json) SELECT {write_sql(made)} FROM {ROW} AS q")
    return sum(len(text) for _, text in cursor.fetchall())


@pytest.mark.parametrize("name", NESTED)
def test_functions_in_one_another_do_not_double_with_every_level(name: str) -> None:
    """Sixteen REVERSE took more memory than there is, and eight sines minutes."""
    assert planned(name, 6) < 3 * planned(name, 3)
