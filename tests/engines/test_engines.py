"""All engines of a policy as one: each table where it lies, and nothing opened that holds no table."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.engines.engines import Engines
from discreet.policy import loads
from support.hospital import HOSPITAL, POLICY, answered, engine_of, open_engines, sums

AWAY = '[engines.away]\nkind = "postgres"\ndsn_env = "DISCREET_NOT_SET"\n'


def test_an_engine_without_tables_is_not_opened() -> None:
    engines = Engines(loads(POLICY + AWAY, "owner/policy.toml"), HOSPITAL)
    assert sums(answered(engines, "SELECT COUNT(*) FROM people")) == ((len(HOSPITAL["people"]),),)
    engines.close()


def test_tables_keep_the_order_of_the_policy() -> None:
    assert list(engine_of().tables) == [table.name for table in loads(POLICY, "p.toml").tables]


def test_tables_to_be_handed_over_may_be_left_out_for_checking_the_rest() -> None:
    policy = loads(POLICY, "owner/policy.toml")
    with pytest.raises(PolicyError, match="there is no source"):
        open_engines(policy)
    assert not Engines(policy, partly=True).tables
    assert list(Engines(policy, {"WARDS": HOSPITAL["wards"]}, partly=True).tables) == ["wards"]


def test_nothing_is_handed_over_for_a_table_that_lies_elsewhere() -> None:
    policy = loads(POLICY.replace("[tables.wards]", '[tables.wards]\nengine = "away"') + AWAY, "owner/policy.toml")
    with pytest.raises(PolicyError, match=r'wards: a table was handed over.*write engine = "duckdb"'):
        Engines(policy, HOSPITAL)
