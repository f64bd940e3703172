"""Columns of synthetic tables: a public place for whatever a row holds, and a value for every place."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.base.errors import ParameterError
from discreet.base.types import Type
from discreet.curator.door.cells import count_rows, find_domain
from discreet.engines.engines import Engines
from discreet.policy.model import DeclaredColumn
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from discreet.query.placed_columns import BinnedColumn, ListedColumn, PlacedColumn, place_column, write_places
from discreet.query.placing import choose_places
from discreet.query.plan_rows import plan_rows
from support.hospital import engine_of

POLICY = """
[budget]
epsilon = 1
[tables.'odd "name']
rows_are_units = true
[tables.'odd "name'.columns]
ward = { values = ["north", "it's", "$x", ""] }
floor = { values = [3, -1, 7] }
age = { lower = -2, upper = 5 }
income = { lower = 0, upper = 100000 }
weight = { lower = 0.5, upper = 2.5 }
day = { lower = 2024-01-01, upper = 2024-12-31 }
at = { lower = 2024-01-01T00:00:00, upper = 2024-01-02T00:00:00 }
since = { values = [2020-01-01, 2021-06-30] }
"""
TABLE = 'odd "name'
KINDS = {
    "ward": pa.string(),
    "floor": pa.int64(),
    "age": pa.int64(),
    "income": pa.int64(),
    "weight": pa.float64(),
    "day": pa.date32(),
    "at": pa.timestamp("us"),
    "since": pa.date32(),
    "sick": pa.bool_(),
}
NAN = float("nan")
ODD: dict[str, list[Any]] = {  # "north " has more letters than any category: it is NULL, as everywhere
    "ward": [None, "north", "it's", "$x", "", "attic", "NORTH", "north "],
    "floor": [None, 3, -1, 7, 8, 2**62, 0, 3],
    "age": [None, -2, 5, 0, -3, 6, 2**63 - 1, -(2**63)],
    "income": [None, 0, 99_999, 100_000, -5, 10**15, 4_999, 5_000],
    "weight": [None, NAN, 0.5, 2.5, -1.0, float("inf"), float("-inf"), 0.6],
    "day": [None, dt.date(2024, 1, 1), dt.date(2024, 12, 31), dt.date(1900, 1, 1), dt.date(9999, 12, 31), *[None] * 3],
    "at": [None, dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2), dt.datetime(1969, 1, 1), *[None] * 4],
    "since": [None, dt.date(2020, 1, 1), dt.date(2021, 6, 30), dt.date(2020, 1, 2), *[None] * 4],
    "sick": [None, True, False, True, *[None] * 4],
}


def engine_with(columns: dict[str, Any]) -> Engines:
    """Return an engine with a table of these columns; the others hold nothing."""
    (length,) = {len(values) for values in columns.values()}
    made = {name: pa.array(columns.get(name, [None] * length), kind) for name, kind in KINDS.items()}
    return engine_of(POLICY, {TABLE: pa.table(made)})


ENGINE = engine_with(ODD)
COLUMNS = [place_column(column) for column in ENGINE.tables[TABLE.casefold()].columns]


def find_places(engine: Engines, columns: list[PlacedColumn]) -> list[list[int]]:
    """Return the places of all rows, column by column, in the order in which rows are read."""
    text, parameters = write_places(TABLE, columns)
    plan = plan_rows(parse(text), Catalog.of(engine), parameters)
    assert find_domain(plan).sizes == tuple(column.size for column in columns)
    return [list(map(int, values)) for values in count_rows(plan, engine.read(plan).result()).values]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("ward", [0, 0, 1, 2, 3, 4, 5, 5]),
        ("floor", [0, 1, 1, 2, 3, 4, 4, 4]),
        ("age", [0, 1, 1, 1, 3, 8, 8, 8]),
        ("income", [0, 1, 1, 1, 2, 20, 20, 20]),
        ("weight", [0, 0, 1, 1, 1, 2, 20, 20]),
        ("day", [0, 0, 0, 0, 1, 1, 20, 20]),
        ("at", [0, 0, 0, 0, 0, 1, 1, 20]),
        ("since", [0, 0, 0, 0, 0, 1, 2, 3]),
        ("sick", [0, 0, 0, 0, 0, 1, 2, 2]),
    ],
)
def test_whatever_a_row_holds_it_has_a_place(name: str, places: list[int]) -> None:
    (column,) = (each for each in COLUMNS if each.name == name)
    (found,) = find_places(ENGINE, [column])
    assert sorted(found) == places


def test_values_that_are_sampled_lie_in_their_places() -> None:
    random = np.random.default_rng(1)
    for column in COLUMNS:
        places = random.integers(0, column.size, 500)
        values = column.sample(places, random)
        assert values.type == KINDS[column.name]
        unnamed = isinstance(column, ListedColumn) and column.type is not Type.BOOLEAN
        wanted = np.where(unnamed & (places == column.size - 1), 0, places)
        (found,) = find_places(engine_with({column.name: values}), [column])
        assert sorted(found) == sorted(wanted.tolist()), column.name
        assert (np.array(values.is_null()) == (wanted == 0)).all()


def test_every_place_has_a_name() -> None:
    for column in COLUMNS:
        names = column.describe_places()
        assert len(names) == len(set(names)) == column.size
        assert names[0] == "NULL"
    assert COLUMNS[0].describe_places() == ["NULL", "north", "it's", "$x", "", "other"]
    assert COLUMNS[4].describe_places()[1] == "[0.5, 0.6)"


def test_forms_tell_columns_apart() -> None:
    assert len({str(column.describe()) for column in COLUMNS}) == len(COLUMNS)


def test_bins_are_as_many_as_asked_or_between_given_edges() -> None:
    income, day = (next(c for c in ENGINE.tables[TABLE.casefold()].columns if c.name == n) for n in ("income", "day"))
    assert place_column(income, 4).describe_places() == [
        "NULL",
        "[0, 25000)",
        "[25000, 50000)",
        "[50000, 75000)",
        "[75000, 100000]",
    ]
    assert place_column(income, [0, 1, 10]).size == 3
    halves = place_column(day, [dt.date(2024, 1, 1), dt.date(2024, 7, 1), dt.date(2025, 1, 1)])
    assert halves.describe_places()[1] == "[2024-01-01, 2024-07-01)"


def test_few_whole_numbers_have_no_more_bins_than_there_are() -> None:
    column = place_column(DeclaredColumn("n", Type.INTEGER, Fraction(0), Fraction(3)), 20)
    assert column == BinnedColumn("n", Type.INTEGER, tuple(Fraction(each) for each in range(4)))


@pytest.mark.parametrize(
    ("column", "bins", "part"),
    [
        (
            DeclaredColumn("note", Type.TEXT),
            None,
            "or say in the policy what note holds: values",
        ),
        (DeclaredColumn("x", Type.FLOAT), 5, "columns must be other columns"),
        (DeclaredColumn("x", Type.FLOAT), [1, 1], "edges that ascend"),
        (DeclaredColumn("x", Type.FLOAT), [1], "from 2 to 513 edges"),
        (DeclaredColumn("x", Type.FLOAT), ["1", "2"], "bins must be edges of the column's type, float"),
        (DeclaredColumn("d", Type.DATE), [1, 2], "bins must be edges of the column's type, date"),
        (DeclaredColumn("x", Type.FLOAT, Fraction(0), Fraction(1)), 0, "bins must be at least 1"),
    ],
)
def test_columns_without_public_places_are_refused(column: DeclaredColumn, bins: Any, part: str) -> None:
    with pytest.raises(ParameterError) as caught:
        place_column(column, bins)
    assert part in str(caught.value)


def test_what_is_no_value_has_a_name_that_no_value_has() -> None:
    column = ListedColumn("ward", Type.TEXT, ("NULL", "other", "(other)", "north"))
    names = column.describe_places()
    assert names == ["(NULL)", "NULL", "other", "(other)", "north", "((other))"]
    assert choose_places(column, None) == choose_places(column, "(NULL)") == [0]
    assert choose_places(column, "NULL") == [1]
    assert choose_places(column, ["other", "((other))"]) == [2, 5]
