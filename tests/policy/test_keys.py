"""Keys of a table: read as lists of columns, and refused where they could help nobody."""

from __future__ import annotations

import pytest

from support.policies import read, refusal

ORDERS = '[budget]\nepsilon = 1.0\n[tables.orders]\nunit = "custkey"\nmax_rows = 8\n'


def keys(text: str) -> tuple[tuple[str, ...], ...]:
    return read(f"{ORDERS}unique = {text}\n").table("orders").unique


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[["orderkey"]]', (("orderkey",),)),
        ('[["orderkey"], ["day", "place"]]', (("orderkey",), ("day", "place"))),
        ('["day", "place"]', (("day", "place"),)),
        ('["orderkey"]', (("orderkey",),)),
        ('[["custkey", "orderkey"], ["orderkey"]]', (("orderkey",),)),
        ("[]", ()),
    ],
)
def test_a_key_is_a_list_of_columns_without_the_unit(text: str, found: tuple[tuple[str, ...], ...]) -> None:
    assert keys(text) == found


def test_a_table_without_keys_has_none() -> None:
    assert read(ORDERS).table("orders").unique == ()


@pytest.mark.parametrize("text", ['"orderkey"', "[[]]", '[["a", "a"]]', '[["a"], "b"]', "[1]", '[[""]]', "true"])
def test_what_is_no_list_of_keys_is_refused(text: str) -> None:
    line = refusal(f"{ORDERS}unique = {text}\n")
    assert line.startswith("tables.orders.unique: is ")
    assert line.endswith('such as unique = [["orderkey"]]')


def test_a_key_of_the_unit_alone_is_max_rows() -> None:
    line = refusal(f'{ORDERS}unique = ["custkey"]\n')
    assert line == 'tables.orders.unique: "custkey" is the unit, which would have one row; write max_rows = 1'


def test_a_hidden_column_is_in_no_key() -> None:
    line = refusal(f'{ORDERS}unique = ["ssn"]\nhidden = ["ssn"]\n')
    assert line == 'tables.orders.unique: "ssn" is hidden, so nobody can join on it; take it out'


def test_rows_that_are_units_and_public_tables_have_no_keys() -> None:
    body = '[budget]\nepsilon = 1.0\n[tables.t]\n{}\nunique = ["a"]\n'
    assert "a unit has one row anyway" in refusal(body.format("rows_are_units = true"))
    assert "is for private tables" in refusal(body.format("public = true"))
