"""A policy fits its source, or everything that does not fit is told before any data is read."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.policy import DeclaredColumn, Resolved, check_schema
from discreet.policy.schema import Schema, check_people, link_paths
from support.policies import lines_of, read, table

PARQUET = 'source = "a.parquet"\n'
CSV = 'source = "a.csv"\n'
SCHEMA: Schema = {"u": Type.INTEGER, "age": Type.INTEGER, "ward": Type.TEXT, "at": Type.TIMESTAMP, "ssn": Type.TEXT}


def resolved(text: str, schema: Schema = SCHEMA) -> Resolved:
    policy = read(text)
    return check_schema(policy, policy.table("t"), schema)


def misfits(text: str, schema: Schema = SCHEMA) -> list[str]:
    with pytest.raises(PolicyError) as found:
        resolved(text, schema)
    lines = lines_of(found.value)
    assert all(line.startswith("tables.t.") for line in lines)
    return [line.removeprefix("tables.t.") for line in lines]


def test_columns_have_the_types_and_the_order_of_the_source() -> None:
    found = resolved(
        table(PARQUET + 'unit = "u"\nmax_rows = 2', 'ward = { values = ["n"] }\nage = { type = "integer" }')
    )
    assert [(column.name, column.type) for column in found.columns] == list(SCHEMA.items())
    assert found.column("WARD") == DeclaredColumn("ward", Type.TEXT, values=("n",))
    assert found.column("other") is None
    assert found.unit_type is Type.INTEGER


def test_hidden_columns_are_taken_away_and_the_unit_may_be_one() -> None:
    found = resolved(table(PARQUET + 'unit = "u"\nmax_rows = 2\nhidden = ["u", "ssn"]'))
    assert [column.name for column in found.columns] == ["age", "ward", "at"]
    assert found.column("ssn") is None
    assert found.unit_type is Type.INTEGER
    assert dict(found.source_types) == SCHEMA


def test_columns_that_the_source_lacks_are_told_all_at_once() -> None:
    text = table(PARQUET + 'unit = "uid"\nmax_rows = 2\nhidden = ["SSN"]', "agee = {}\nzzz = {}")
    assert misfits(text) == [
        'columns.agee: the source has no column "agee"; did you mean "age"?',
        'columns.zzz: the source has no column "zzz"; write a name that the source has, or take it out',
        'hidden: the source has no column "SSN"; did you mean "ssn"?',
        'unit: the source has no column "uid"; write a name that the source has, or take it out',
    ]


def test_facts_fit_the_type_in_the_source() -> None:
    assert misfits(table(PARQUET, "ward = { lower = 0, upper = 1, step = 0.5 }")) == [
        'columns.ward: lower = 0 is no bound for a column of type text; take lower and upper out, or write values = ["...", "..."]',  # noqa: E501
        'columns.ward: upper = 1 is no bound for a column of type text; take lower and upper out, or write values = ["...", "..."]',  # noqa: E501
        "columns.ward: step is for numbers, and the column's type is text; take step out",
    ]
    (line,) = misfits(table(PARQUET, 'age = { values = ["1"] }'))
    assert line.startswith('columns.age: values has "1", which no column of type integer holds; write whole numbers')
    (line,) = misfits(table(PARQUET, 'ward = { type = "integer" }'))
    assert line == 'columns.ward: type is integer in the policy and text in the source; write type = "text"'


def test_the_types_of_a_csv_file_come_from_the_policy_alone() -> None:
    schema: Schema = {"a": Type.INTEGER, "b": None}
    text = table(CSV, 'a = { type = "text" }\nb = { type = "float", lower = 0, upper = 1 }')
    assert [column.type for column in resolved(text, schema).columns] == [Type.TEXT, Type.FLOAT]
    assert resolved(text, schema).source_types == (("a", Type.TEXT), ("b", Type.FLOAT))


def test_every_column_of_a_private_csv_file_needs_a_type_hidden_ones_too() -> None:
    schema: Schema = {"a": Type.INTEGER, "b": Type.INTEGER, "c": Type.TEXT}
    assert misfits(table(CSV + 'hidden = ["c"]', 'a = { type = "integer" }'), schema) == [
        'columns.b: has no type, and csv files bring none; write its type, such as type = "integer"',
        'columns.c: has no type, and csv files bring none; write its type, such as type = "integer"',
    ]


def test_a_public_csv_file_may_be_read_for_its_types() -> None:
    found = resolved(table(CSV + "public = true", 'a = { type = "text" }'), {"a": Type.INTEGER, "b": Type.DATE})
    assert [column.type for column in found.columns] == [Type.TEXT, Type.DATE]
    assert found.unit_type is None


def test_columns_of_unknown_types_are_not_offered_and_cannot_be_declared() -> None:
    schema: Schema = {"a": Type.INTEGER, "photo": None}
    assert [column.name for column in resolved(table(PARQUET), schema).columns] == ["a"]
    assert [column.name for column in resolved(table(PARQUET + 'hidden = ["photo"]'), schema).columns] == ["a"]
    for text, key in [(table(PARQUET, "photo = {}"), "columns.photo"), (table('unit = "photo"\nmax_rows = 1'), "unit")]:
        (line,) = misfits(text, schema)
        assert line.startswith(f'{key}: the column "photo" has a type that discreet does not know; take it out')


def test_names_in_the_source_that_sql_cannot_tell_apart_are_refused() -> None:
    assert [line.split(":")[0] for line in misfits(table(PARQUET), {"a": Type.TEXT, "A": Type.TEXT})] == ["source.A"]
    (line,) = misfits(table(PARQUET), {"__discreet_unit": Type.TEXT})
    assert line.startswith("source.__discreet_unit: names that begin with __discreet are discreet's own")


def test_floats_name_nobody() -> None:
    (line,) = misfits(table('unit = "u"\nmax_rows = 1'), {"u": Type.FLOAT})
    assert line.startswith('unit: "u" is a column of floats, which name nobody; store it as integer or text')


def test_tables_that_speak_of_the_same_people_name_them_by_one_type() -> None:
    text = (
        "[budget]\nepsilon = 1\n"
        '[tables.a]\nunit = "id"\nmax_rows = 1\nidentifies = "p"\n'
        '[tables.b]\nunit = "pid"\nmax_rows = 1\nidentifies = "p"\n'
        '[tables.c]\nunit = "id"\nmax_rows = 1\nidentifies = "other"\n'
        "[tables.d]\nrows_are_units = true\n"
    )
    policy = read(text)

    def all_with(b: Type) -> tuple[Resolved, ...]:
        types = {"a": {"id": Type.TEXT}, "b": {"pid": b}, "c": {"id": Type.INTEGER}, "d": {"x": Type.DATE}}
        return tuple(check_schema(policy, policy.table(name), schema) for name, schema in types.items())

    check_people(policy, all_with(Type.TEXT))
    with pytest.raises(PolicyError) as found:
        check_people(policy, all_with(Type.INTEGER))
    assert lines_of(found.value) == [
        'tables.b.unit: "pid" is integer here and "id" is text in "a", yet both identify "p"; '
        "store both as one type, or change identifies"
    ]


KEYED = PARQUET + 'unit = "u"\nmax_rows = 2\n'


def test_keys_are_columns_of_the_source_and_no_floats() -> None:
    assert resolved(table(KEYED + 'unique = [["age"], ["ward", "at"]]')).table.unique == (("age",), ("ward", "at"))
    assert misfits(table(KEYED + 'unique = ["ages"]')) == [
        'unique: the source has no column "ages"; did you mean "age"?'
    ]
    (line,) = misfits(table(KEYED + 'unique = ["age"]'), {**SCHEMA, "age": Type.FLOAT})
    assert line.startswith('unique: "age" is a column of floats, which are no keys')


PATH = """
[budget]
epsilon = 1.0
[tables.orders]
unit = "who"
max_rows = 3
[tables.items]
through = "key -> orders.key"
max_rows = 5
[tables.parcels]
through = ["key -> items.key", "line -> items.line"]
max_rows = 5
"""
ORDERS: Schema = {"who": Type.TEXT, "key": Type.INTEGER}
ITEMS: Schema = {"key": Type.INTEGER, "line": Type.INTEGER}


def linked(orders: Schema = ORDERS, items: Schema = ITEMS, parcels: Schema = ITEMS) -> dict[str, Resolved]:
    policy, schemas = read(PATH), {"orders": orders, "items": items, "parcels": parcels}
    found = {table.name: check_schema(policy, table, schemas[table.name]) for table in policy.tables}
    return link_paths(policy, found)


def unlinked(**schemas: Schema) -> str:
    with pytest.raises(PolicyError) as found:
        linked(**schemas)
    (line,) = lines_of(found.value)
    return line.removeprefix("tables.")


def test_units_across_foreign_keys_have_the_type_of_the_column_at_the_end() -> None:
    assert {name: found.unit_type for name, found in linked().items()} == dict.fromkeys(
        ("orders", "items", "parcels"), Type.TEXT
    )
    assert [column.name for column in linked()["items"].columns] == ["key", "line"]


def test_columns_of_a_foreign_key_are_there_on_both_sides_in_one_type_and_no_floats() -> None:
    assert unlinked(items={"line": Type.INTEGER, "id": Type.TEXT}).startswith(
        'items.through: the source has no column "key"'
    )
    assert unlinked(orders={"who": Type.TEXT, "keys": Type.INTEGER}) == (
        'items.through: "orders" has no column "key" of a known type; did you mean "keys"?'
    )
    assert unlinked(orders={"who": Type.TEXT, "key": Type.TEXT}).startswith(
        'items.through: "key" is integer and "key" is text; store both'
    )
    floats: Schema = {"key": Type.INTEGER, "line": Type.FLOAT}
    assert unlinked(items=floats, parcels=floats).startswith('parcels.through: "line" is a column of floats')


def test_a_column_with_the_name_of_a_unit_that_lies_elsewhere_is_told() -> None:
    line = unlinked(items={**ITEMS, "Who": Type.TEXT})
    assert line.startswith('items.unit: the source has a column "Who", which is not the unit that through leads to')
    assert line.endswith('such as unit = "customer"')
