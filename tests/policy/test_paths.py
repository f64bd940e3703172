"""Units across foreign keys: where a path leads, and what is said about one that leads nowhere."""

from __future__ import annotations

import pytest

from discreet.policy import ForeignKey, Policy, describe_policy, describe_protected
from support.policies import read, refusal, refusals

CUSTOMER = '[tables.customer]\nunit = "custkey"\nidentifies = "customer"\nmax_rows = 1\n'
ORDERS = '[tables.orders]\nunit = "custkey"\nidentifies = "customer"\nmax_rows = 8\n'
HEAD = "[budget]\nepsilon = 1.0\n"


def item(through: str, more: str = "") -> str:
    return f"[tables.lineitem]\nthrough = {through}\nmax_rows = 24\n{more}\n"


def shop(through: str, more: str = "", others: str = ORDERS) -> Policy:
    return read(HEAD + others + item(through, more))


@pytest.mark.parametrize(
    "text",
    [
        '"orderkey -> orders.orderkey"',
        '["orderkey -> orders.orderkey"]',
        '"lineitem.orderkey->orders.orderkey"',
        '"orderkey -> ORDERS.orderkey"',
    ],
)
def test_a_foreign_key_leads_to_the_unit_of_another_table(text: str) -> None:
    policy = shop(text)
    table = policy.table("lineitem")
    assert table.through == ForeignKey("orders", (("orderkey", "orderkey"),))
    assert (table.unit, table.identifies) == ("custkey", "customer")
    assert table.whose == "custkey (through orderkey -> orders.orderkey)"
    assert policy.list_path(table) == (policy.table("orders"),)


def test_the_unit_may_have_a_name_of_its_own() -> None:
    table = shop('"orderkey -> orders.orderkey"', 'unit = "customer"\nidentifies = "customer"').table("lineitem")
    assert (table.unit, table.identifies) == ("customer", "customer")


def test_several_columns_are_one_key() -> None:
    policy = shop('["a -> orders.x", "lineitem.b -> orders.y"]')
    assert policy.table("lineitem").through == ForeignKey("orders", (("a", "x"), ("b", "y")))


def test_a_path_goes_on_through_every_table_that_has_one_itself() -> None:
    orders = '[tables.orders]\nthrough = "custkey -> customer.custkey"\nmax_rows = 8\n'
    policy = shop('"orderkey -> orders.orderkey"', others=orders + CUSTOMER)
    assert [table.name for table in policy.list_path(policy.table("lineitem"))] == ["orders", "customer"]
    assert {table.identifies for table in policy.tables} == {"customer"}


def test_tables_whose_names_hold_points_are_found() -> None:
    others = '[tables."shop.orders"]\nunit = "custkey"\nmax_rows = 8\n[tables.shop]\nunit = "u"\nmax_rows = 1\n'
    assert shop('"k -> shop.orders.key"', others=others).table("lineitem").through == ForeignKey(
        "shop.orders", (("k", "key"),)
    )


@pytest.mark.parametrize(
    ("through", "words"),
    [
        ("3", "through: is 3; write its columns"),
        ("[]", "through: is []; write its columns"),
        ('"orderkey"', 'through: is "orderkey"; write its columns'),
        ('"a -> b -> orders.c"', "write its columns and those of another table"),
        ('"orderkey -> sales.orderkey"', '"sales.orderkey" is no column of a table of this policy'),
        ('"orderkey -> orders"', '"orders" is no column of a table of this policy'),
        ('"orders.orderkey -> lineitem.orderkey"', 'begins at "orders"; write it as through in [tables.orders]'),
        ('["a -> orders.a", "b -> customer.b"]', "leads to several tables"),
        ('["orderkey -> orders.orderkey", "orders.custkey -> customer.custkey"]', "write it as through in [tables.ord"),
        ('"orderkey -> lineitem.orderkey"', "goes in a circle: lineitem -> lineitem"),
    ],
)
def test_what_is_no_foreign_key_is_refused(through: str, words: str) -> None:
    assert words in refusal(HEAD + ORDERS + CUSTOMER + item(through))


def test_a_circle_of_tables_is_refused_at_each_of_them() -> None:
    orders = '[tables.orders]\nthrough = "a -> lineitem.a"\nmax_rows = 8\n'
    lines = refusals(HEAD + orders + item('"a -> orders.a"'))
    assert [line.partition(": ")[0] for line in lines] == ["tables.orders.through", "tables.lineitem.through"]
    assert all("goes in a circle: " in line for line in lines)


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ("public = true", 'leads to "orders", which is public: it is about nobody'),
        ("rows_are_units = true", 'leads to "orders", whose rows are units of their own'),
        (
            'unit = "custkey"\nmax_rows = 8\nengine = "lake"',
            'leads to "orders" on another engine: no private row is copied between engines',
        ),
    ],
)
def test_a_path_leads_to_a_private_table_with_units_on_the_same_engine(orders: str, words: str) -> None:
    lake = '[engines.lake]\nkind = "spark"\nmaster = "local[1]"\n'
    assert words in refusal(HEAD + lake + f"[tables.orders]\n{orders}\n" + item('"k -> orders.k"'))


def test_a_path_is_about_whom_its_end_is_about() -> None:
    line = refusal(HEAD + ORDERS + item('"k -> orders.k"', 'identifies = "supplier"'))
    assert line.startswith('tables.lineitem.identifies: is "supplier", and the rows are those of "customer" in orders')


def test_a_path_needs_a_limit_and_contradicts_rows_as_units() -> None:
    bare = '[tables.lineitem]\nthrough = "k -> orders.k"\n'
    assert "nothing says how many rows one unit may have" in refusal(HEAD + ORDERS + bare)
    assert "through and rows_are_units" in refusal(HEAD + ORDERS + bare + "rows_are_units = true\n")


def test_the_path_is_part_of_what_a_ledger_protects_and_keys_are_not() -> None:
    one, other = shop('"k -> orders.k"'), shop('"k -> orders.j"')
    assert describe_protected(one)["tables"]["lineitem"]["through"] == "k -> orders.k"
    assert describe_protected(one) != describe_protected(other)
    keyed = shop('"k -> orders.k"', 'unique = ["k", "line"]')
    assert describe_protected(one) == describe_protected(keyed)
    assert describe_policy(one) != describe_policy(keyed)
