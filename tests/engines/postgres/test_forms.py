"""Every allowed function has a form, and each gives what DuckDB's gives, bit by bit, on the worst values there are."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from discreet.base.types import Type
from discreet.engines.postgres.forms import FORMS, is_nan, sql, told
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import FUNCTIONS, call
from nasty import ARGUMENTS
from sides import CLOSE, VALUES, Nesting, Sides, batches, column, functions_of, rounds_wide, same, tried


def calls(name: str) -> dict[tuple[Type, ...], list[Expression]]:
    """Return every call of a function, over columns x0, x1, ... and constants, by the types of its columns."""
    found: dict[tuple[Type, ...], list[Expression]] = {}
    for pools in ARGUMENTS[name]:
        kinds = [
            list(dict.fromkeys(each.type if isinstance(each, Column) else each for each in pool)) for pool in pools
        ]
        for chosen in itertools.product(*kinds):
            places = itertools.count()
            arguments = [column(next(places), each) if isinstance(each, Type) else each for each in chosen]
            made = tried(name, *arguments)
            if made is not None:
                found.setdefault(tuple(each for each in chosen if isinstance(each, Type)), []).append(made)
    return found


def test_every_function_has_a_form_and_every_form_a_function() -> None:
    assert FORMS.keys() == FUNCTIONS.keys() == ARGUMENTS.keys()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_form_gives_what_duckdb_gives_on_all_values_and_pairs(sides: Sides, name: str) -> None:
    seen, wrong = 0, []
    for types, expressions in calls(name).items():
        for some in batches(expressions, 40):
            for made, places, first, second in sides.results(some, *(types or (Type.BOOLEAN,))):
                seen += 1
                if not same(made, first, second, name in CLOSE):
                    values = [VALUES[type_][at] for type_, at in zip(types, places, strict=False)]
                    wrong.append((sql(made), values, first, second))
    assert wrong[:5] == []
    assert seen >= 12


@pytest.mark.parametrize("seed", range(4))
def test_nested_forms_give_what_duckdb_gives(sides: Sides, seed: int) -> None:
    """Curves differ in their last bits, which forms around them may blow up: of those it is enough that none fails."""
    compared = 0
    for some in batches(Nesting(seed, ARGUMENTS).many(250, 3), 10):
        for made, row, first, second in sides.sampled(some, seed):
            if not CLOSE.intersection(functions_of(made)) and not rounds_wide(made):
                compared += 1
                assert first == second, (sql(made), row)
    assert compared > 10_000


def test_sql_grows_with_nesting_by_addition() -> None:
    made: Expression = Column("t", "x", Type.FLOAT)
    sizes = []
    for _ in range(12):
        made = call("pow", call("mul", call("round", made, Literal(2, Type.INTEGER)), made), Literal(3, Type.INTEGER))
        sizes.append(len(sql(made)))
    made = Column("t", "x", Type.FLOAT)
    for _ in range(30):
        made = call("sqrt", call("div", made, call("add", Column("t", "y", Type.FLOAT), Column("t", "x", Type.FLOAT))))
    assert len(sql(made)) < 100_000


def test_forms_nest_as_deeply_as_expressions_may(sides: Sides) -> None:
    made: Expression = column(0, Type.FLOAT)
    while True:
        more = tried("add", made, column(0, Type.FLOAT))
        if more is None or len(list(functions_of(more))) > 150:
            break
        made = more
    assert all(first == second for _, _, first, second in sides.results([made], Type.FLOAT))


@pytest.mark.parametrize(
    ("value", "type_", "wanted"),
    [
        ("'5'::bigint", Type.INTEGER, "5"),
        ("'-0'::float8", Type.FLOAT, "-9223372036854775808"),
        ("'nan'::float8", Type.FLOAT, "9221120237041090560"),
        ("'1'::float8", Type.FLOAT, "4607182418800017408"),
        ("TRUE", Type.BOOLEAN, "true"),
        ("DATE '0001-01-01'", Type.DATE, "0001-01-01"),
        ("TIMESTAMP '1969-12-31 23:59:59.999999'", Type.TIMESTAMP, "-1"),
        ("TIMESTAMP '9999-12-31 23:59:59.999999'", Type.TIMESTAMP, "253402300799999999"),
        ("'\u00e9'::text", Type.TEXT, "\u00e9"),
        ("NULL::float8", Type.FLOAT, None),
    ],
)
def test_values_are_told_by_the_same_letters_on_every_engine(
    sides: Sides, value: str, type_: Type, wanted: Any
) -> None:
    assert sides.server.execute(f"SELECT {told(value, type_)}").fetchall() == [(wanted,)]


def test_nan_is_found(sides: Sides) -> None:
    listed = ", ".join(is_nan(f"{value}::float8") for value in ("'nan'", "'inf'", "'1'", "NULL"))
    assert sides.server.execute(f"SELECT {listed}").fetchall() == [(True, False, False, None)]
