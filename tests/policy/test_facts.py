"""A policy's facts are plain JSON: its identity is whom it protects, its fingerprint is everything."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.canonical import write_json
from discreet.policy import describe_policy, describe_protected, hash_policy
from support.policies import EXAMPLE, read, table

POLICY = read(EXAMPLE)


def test_the_identity_is_whom_the_budget_protects() -> None:
    assert describe_protected(POLICY) == {
        "neighbours": "add-remove",
        "tables": {
            name: {"unit": "patient_id", "rows_are_units": False, "identifies": "patient"}
            for name in ("visits", "patients")
        },
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("epsilon = 3.0", "epsilon = 4.0"),
        ("delta = 1e-09", "delta = 0"),
        ('version = "1"', 'version = "2"'),
        ("max_rows = 3", "max_rows = 4"),
        ("step = 0.01", "step = 0.1"),
        ('"icu"', '"ICU"'),
        ("[tables.wards", "[tables.rooms"),
        ("[analysts.alice]", "[analysts.carol]"),
        ("size = 1_000_000", "size = 100_000"),
        ('ward = { values = ["north", "south", "icu"] }', 'ward = { values = ["north", "south", "icu"], longest = 9 }'),
        ("epsilon = 3.0", "epsilon = 3.0\nleast_share = 1e-7"),
        ("public = true", 'public = true\nhidden = ["x"]'),
        ("[tables.wards]", '[ledger]\ndsn_env = "X"\n[tables.wards]'),
    ],
)
def test_other_facts_change_the_fingerprint_and_not_the_identity(old: str, new: str) -> None:
    other = read(EXAMPLE.replace(old, new))
    assert other != POLICY
    assert describe_protected(other) == describe_protected(POLICY)
    assert hash_policy(other) != hash_policy(POLICY)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"add-remove"', '"replace"'),
        ('unit = "patient_id"', 'unit = "person"'),
        ('identifies = "patient"', 'identifies = "person"'),
        ("[tables.visits", "[tables.stays"),
    ],
)
def test_what_changes_the_identity_changes_both(old: str, new: str) -> None:
    other = read(EXAMPLE.replace(old, new))
    assert describe_protected(other) != describe_protected(POLICY)
    assert hash_policy(other) != hash_policy(POLICY)


def test_neither_place_nor_order_nor_the_way_a_number_is_written_matters() -> None:
    assert hash_policy(replace(POLICY, path=Path("/elsewhere.toml"))) == hash_policy(POLICY)
    assert hash_policy(replace(POLICY, tables=POLICY.tables[::-1])) == hash_policy(POLICY)
    assert hash_policy(read(EXAMPLE.replace("3.0", "3").replace("0.01", "1e-2"))) == hash_policy(POLICY)


def test_numbers_are_exact_decimals_in_text() -> None:
    facts = describe_policy(POLICY)
    assert facts["budget"] == {"epsilon": "3", "delta": "1e-9", "question_delta": "1e-9", "least_share": "0.000001"}
    assert facts["tables"]["visits"]["columns"]["cost"] == {
        "type": None,
        "lower": "0",
        "upper": "5000",
        "step": "0.01",
        "values": None,
    }
    assert describe_policy(replace(POLICY, epsilon=Fraction(1, 3)))["budget"]["epsilon"] == "1/3"


def test_facts_survive_json() -> None:
    for facts in (describe_protected(POLICY), describe_policy(POLICY)):
        assert json.loads(write_json(facts)) == facts


def test_a_category_is_never_taken_for_another_that_looks_like_it() -> None:
    values = ['["2020-01-01"]', "[2020-01-01]", "[2020-01-01T00:00:00Z]", '["1"]', "[1]", "[true]", '["true"]']
    prints = {hash_policy(read(table("", f"c = {{ values = {value} }}"))) for value in values}
    assert len(prints) == len(values)


def test_an_identity_is_written_the_same_way_for_ever_since_ledgers_hold_it() -> None:
    policy = read(table('unit = "patient_id"\nidentifies = "patient"\nmax_rows = 3'))
    assert write_json(describe_protected(policy)) == (
        '{"neighbours":"add-remove","tables":{"t":{"identifies":"patient","rows_are_units":false,"unit":"patient_id"}}}'
    )
