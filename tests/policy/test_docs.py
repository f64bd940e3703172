"""The page about policies tells the truth."""

from __future__ import annotations

from pathlib import Path

from discreet.policy import LedgerServer
from discreet.policy.columns import KEYS as COLUMN_KEYS
from discreet.policy.ledger import KEYS as LEDGER_KEYS
from discreet.policy.tables import KEYS as TABLE_KEYS
from support.policies import read, table

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "policy.md").read_text()


def test_the_example_in_the_docs_is_a_policy() -> None:
    policy = read(PAGE.split("```toml\n")[1].split("```")[0])
    assert [table.name for table in policy.tables] == ["visits", "wards"]
    assert policy.table("visits").hidden == ("ssn",)
    assert policy.ledger == LedgerServer("LEDGER_DSN", "discreet")


def test_the_example_on_the_page_about_the_ledger_is_part_of_a_policy() -> None:
    section = (DOCS / "ledger.md").read_text().split("```toml\n")[1].split("```")[0]
    assert read(table("") + section).ledger == LedgerServer("LEDGER_DSN", "discreet")


def test_the_examples_on_the_page_about_engines_are_policies() -> None:
    blocks = (DOCS / "engines.md").read_text().split("```toml\n")[1:]
    policies = [read(block.split("```")[0]) for block in blocks]
    kinds = [[policy.engine(table).kind.value for table in policy.tables] for policy in policies]
    assert kinds == [["spark", "spark"], ["postgres"], ["duckdb", "postgres"]]


def test_the_table_of_keys_names_every_key() -> None:
    rows = [line.split("|")[1] for line in PAGE.split("\n") if line.startswith("| `")]
    for key in {*TABLE_KEYS, *COLUMN_KEYS, *LEDGER_KEYS} - {"columns"}:
        assert any(key in row for row in rows), key


def test_the_example_of_keys_and_paths_is_a_policy() -> None:
    policy = read(PAGE.split("```toml\n")[2].split("```")[0])
    assert policy.table("lineitem").whose == "o_custkey (through l_orderkey -> orders.o_orderkey)"
    assert policy.table("orders").unique == (("o_orderkey",),)
    assert {table.identifies for table in policy.tables} == {"customer"}
