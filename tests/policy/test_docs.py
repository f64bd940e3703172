"""The page about policies tells the truth."""

from __future__ import annotations

from pathlib import Path

from discreet.policy.columns import KEYS as COLUMN_KEYS
from discreet.policy.tables import KEYS as TABLE_KEYS
from policies import read

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()


def test_the_example_in_the_docs_is_a_policy() -> None:
    policy = read(PAGE.split("```toml\n")[1].split("```")[0])
    assert [table.name for table in policy.tables] == ["visits", "wards"]
    assert policy.table("visits").hidden == ("ssn",)


def test_the_table_of_keys_names_every_key() -> None:
    rows = [line.split("|")[1] for line in PAGE.split("\n") if line.startswith("| `")]
    for key in {*TABLE_KEYS, *COLUMN_KEYS} - {"columns"}:
        assert any(key in row for row in rows), key
