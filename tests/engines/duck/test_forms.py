"""Every allowed function has a form, and no form ever raises, whatever the data holds."""

from __future__ import annotations

import duckdb
import pytest

from discreet.base.types import Type
from discreet.engines.duck.forms import FORMS, write_sql
from discreet.plan.expressions import Call, Column, Literal
from discreet.plan.functions import FUNCTIONS, call
from support.worst_values import ALL, ARGUMENTS, DATES, MOMENTS, every, nasty


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return nasty()


def test_every_function_has_a_form_and_every_form_a_function() -> None:
    assert FORMS.keys() == FUNCTIONS.keys() == ARGUMENTS.keys()


@pytest.mark.many
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_form_raises_on_nasty_data(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    calls = list(every(name))
    assert calls
    for start in range(0, len(calls), 60):
        some = calls[start : start + 60]
        listed = ", ".join(f"count({write_sql(made)})" for made in some)
        (found,) = connection.execute(f"SELECT count(*), {listed} FROM t").fetchall()
        assert found[0] == 10


@pytest.mark.many
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_form_raises_in_a_condition(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    for made in list(every(name))[::7]:
        connection.execute(f"SELECT count(*) FROM t WHERE {write_sql(made)} IS NOT NULL AND length(s) >= 0").fetchall()


def test_a_date_beyond_all_points_in_time_equals_none(connection: duckdb.DuckDBPyConnection) -> None:
    before = write_sql(call("lt", DATES[0], MOMENTS[0]))
    assert "TRY_CAST" in before
    connection.execute(f"SELECT * FROM t WHERE {before}").fetchall()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("least(x, 1)", 1.0),
        ("greatest(x, 1)", "nan"),
        ("x > 1e308", True),
    ],
)
def test_nan_lies_above_all_numbers(connection: duckdb.DuckDBPyConnection, text: str, wanted: object) -> None:
    nan = Column("n", "x", Type.FLOAT)
    one = Literal(1, Type.INTEGER)
    made = {"least(x, 1)": call("least", nan, one), "greatest(x, 1)": call("greatest", nan, one)}.get(text)
    found = connection.execute(
        f"SELECT {write_sql(made) if made else text} FROM (SELECT 'nan'::DOUBLE AS x) n"
    ).fetchall()
    assert str(found[0][0]) == str(wanted)


def test_extremes_leave_nulls_out(connection: duckdb.DuckDBPyConnection) -> None:
    for name in ("least", "greatest"):
        made = call(name, Literal(None, Type.INTEGER), Literal(5, Type.INTEGER))
        assert connection.execute(f"SELECT {write_sql(made)}").fetchall() == [(5,)]


def test_truth_has_three_values_and_is_true_has_two(connection: duckdb.DuckDBPyConnection) -> None:
    for value, true, false in ((True, True, False), (False, False, True), (None, False, False)):
        given = Literal(value, Type.BOOLEAN)
        listed = ", ".join(write_sql(call(name, given)) for name in ("is_true", "is_false"))
        assert connection.execute(f"SELECT {listed}").fetchall() == [(true, false)]


def test_what_is_distinct_is_never_null(connection: duckdb.DuckDBPyConnection) -> None:
    for made in every("distinct"):
        assert connection.execute(f"SELECT count({write_sql(made)}) FROM t").fetchall() == [(10,)]


def test_nested_guards_do_not_raise_either(connection: duckdb.DuckDBPyConnection) -> None:
    for argument in ALL:
        if argument.type.numeric:
            inner = call("ln", call("sub", call("sqrt", argument), Literal(1, Type.INTEGER)))
            for made in (call("asin", inner), call("as_integer", call("exp", call("pow", inner, inner)))):
                assert isinstance(made, Call)
                connection.execute(f"SELECT {write_sql(made)} FROM t").fetchall()
