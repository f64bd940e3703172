"""Where the ledger is: an environment variable's name and a schema, and no secret in the file or in a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import PolicyError
from discreet.policy import LedgerServer, describe_policy
from discreet.policy.ledger import read_ledger_alone
from support.policies import read, refusal, table


def test_without_a_section_the_ledger_is_beside_the_policy() -> None:
    assert read(table("")).ledger is None
    assert "ledger" not in describe_policy(read(table("")))


def test_the_schema_is_discreet_unless_the_policy_says_otherwise() -> None:
    assert read(table("") + '[ledger]\ndsn_env = "LEDGER_DSN"\n').ledger == LedgerServer("LEDGER_DSN", "discreet")
    policy = read(table("") + '[ledger]\ndsn_env = "D"\nschema = "clinic_2"\n')
    assert policy.ledger == LedgerServer("D", "clinic_2")
    assert describe_policy(policy)["ledger"] == {"dsn_env": "D", "schema": "clinic_2"}


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("", "ledger.dsn_env: is missing: a ledger on PostgreSQL needs the name of an environment variable; write "),
        ('schema = "s"', "ledger.dsn_env: is missing"),
        ('dsn_env = ""', "ledger.dsn_env: is empty; write the name of an environment variable"),
        ("dsn_env = 3", "ledger.dsn_env: is 3, not text"),
        ('dsn_env = "A B"', "ledger.dsn_env: is no name of an environment variable"),
        ('dsn_env = "A"\nschema = ""', "ledger.schema: is empty; write a name such as"),
        ('dsn_env = "A"\nschema = "Big"', 'ledger.schema: is "Big"; write small letters'),
        ('dsn_env = "A"\nschema = "pg_mine"', 'ledger.schema: is "pg_mine"'),
        ('dsn_env = "A"\nschema = \'a"; DROP\'', "ledger.schema: is "),
        (f'dsn_env = "A"\nschema = "{"x" * 64}"', "ledger.schema: is "),
        ('dsn_env = "A"\ndns_env = "B"', "ledger.dns_env: is not known; did you mean dsn_env?"),
    ],
)
def test_what_is_wrong_is_told_with_the_remedy(section: str, line: str) -> None:
    assert refusal(table("") + f"[ledger]\n{section}\n").startswith(line)


@pytest.mark.parametrize("key", ["dsn_env", "dsn"])
def test_a_secret_that_was_written_here_is_not_shown(key: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read(table("") + f'[ledger]\n{key} = "postgresql://ann:hunter2@db/x"\n')
    assert "hunter2" not in str(caught.value)


def test_the_ledger_is_found_in_a_policy_that_is_wrong_otherwise() -> None:
    found = read_ledger_alone({"ledger": {"dsn_env": "D"}, "nonsense": 1}, Path("policy.toml"))
    assert found == LedgerServer("D", "discreet")
    assert read_ledger_alone({"nonsense": 1}, Path("policy.toml")) is None
    for wrong in ({"dsn_env": 3}, {}, 7):
        with pytest.raises(PolicyError, match=r"policy\.toml: ledger"):
            read_ledger_alone({"ledger": wrong}, Path("policy.toml"))
